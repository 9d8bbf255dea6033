"""The parameters of the vector index."""

from __future__ import annotations

from dataclasses import dataclass

from memory_nodes.parameters import parameter


@dataclass(frozen=True)
class VectorConfig:
    """How vectors are indexed."""

    hnsw_m: int = parameter(16, "links of each vector in the index", low=4, high=64)
    ef_construction: int = parameter(
        200, "candidates that are looked at while a vector is taken in", low=8, high=2000
    )
    ef_search: int = parameter(
        50, "candidates that are looked at in a search: more find more", low=1, high=10000
    )
    max_dead_share: float = parameter(
        0.25, "share of removed vectors from which the index is built anew", low=0.01, high=1.0
    )
    exact_below: int = parameter(
        5000, "up to so many vectors a search compares all of them", low=0, high=10_000_000
    )
    build_threads: int = parameter(
        1, "threads that build the index: the robot needs the other cores", low=1, high=64
    )
