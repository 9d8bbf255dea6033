"""Settings of the synthetic house."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HouseOptions:
    """How much changes from day to day, and how well the detector sees; rates are shares of 1."""

    seed: int = 0
    days: int = 10
    moved_per_day: int = 3
    removed_per_day: int = 2
    down_day: int | None = None  # on which the detector finds nothing, and nothing changes
    chunk_size: int = 8
    miss_rate: float = 0.05
    box_jitter: float = 0.03  # largest shift of an edge, as a share of the box's size
    with_depth: bool = False
