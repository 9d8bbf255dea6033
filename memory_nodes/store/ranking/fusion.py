"""One ranking out of several, and recent things before old ones."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory_nodes.errors import InputError
from memory_nodes.geometry import Array
from memory_nodes.parameters import parameter
from memory_nodes.records import NS_PER_S


@dataclass(frozen=True)
class FusionConfig:
    """How rankings by meaning, by words and by age are weighed."""

    rrf_k: int = parameter(
        60,
        "how little the first places of a ranking stand out in the fusion of several",
        low=0,
        high=10_000,
    )
    pool: int = parameter(50, "texts of each ranking that are fused", low=1, high=10_000)
    dense_weight: float = parameter(
        1.0, "weight of the ranking by vectors of meaning, 0 turns it off", low=0.0, high=100.0
    )
    word_weight: float = parameter(
        1.0, "weight of the ranking by words, 0 turns it off", low=0.0, high=100.0
    )
    recency_weight: float = parameter(
        0.0, "distance that is added per half-life of age, 0 turns it off", low=0.0, high=100.0
    )
    recency_half_life_s: float = parameter(
        86_400.0, "the age that costs recency_weight once", unit="s", low=1.0, high=1e9
    )
    recency_pool: int = parameter(
        10, "so many times the items wanted are weighed by their age", low=1, high=1000
    )


def reciprocal_rank(
    rankings: Mapping[str, Sequence[int]], weights: Mapping[str, float], k: int = 60
) -> list[tuple[int, float]]:
    """The keys of all rankings with their scores, best first; of equal scores the higher key.

    A key scores weight / (k + rank) in each ranking that has it, the first rank being 1; where a
    ranking names it twice the better rank counts. A ranking of weight 0 does not take part.
    Raises InputError for a ranking without a weight, an unusable weight or a negative k.
    Source: Cormack, Clarke and Buettcher 2009, Reciprocal Rank Fusion.
    """
    if k < 0:
        raise InputError(f"k is {k}, the least is 0")
    shares: dict[int, list[float]] = defaultdict(list)
    for name, ranking in rankings.items():
        weight = weights.get(name, math.nan)
        if not 0.0 <= weight < math.inf:
            raise InputError(
                f"ranking {name!r} has weight {weight}: give each a finite one, 0 or more"
            )
        if weight > 0.0:
            for rank, key in enumerate(dict.fromkeys(ranking), start=1):
                shares[key].append(weight / (k + rank))
    # fsum: equal shares give equal scores in whatever order the rankings came
    scored = [(key, math.fsum(parts)) for key, parts in shares.items()]
    return sorted(scored, key=lambda item: (item[1], item[0]), reverse=True)


def with_recency(
    distances: Array, ages_ns: NDArray[np.int64], alpha: float, half_life_s: float
) -> Array:
    """Distances, shape (N,), each with alpha added per half-life of its age; smaller is better.

    ages_ns, shape (N,), are counted back from the caller's clock. That may have been set back, and
    what is then newer than now has age 0: it gains nothing over what is of this moment.
    Raises InputError for another shape, a negative alpha or a half-life that is not above 0.
    Source: eMEM, recency.
    """
    if distances.shape != ages_ns.shape:
        raise InputError(f"{distances.shape} distances for {ages_ns.shape} ages: give one for one")
    if not (0.0 <= alpha < math.inf and 0.0 < half_life_s < math.inf):
        raise InputError(
            f"alpha {alpha} and half-life {half_life_s} s: both are finite,"
            " the first 0 or more, the second above 0"
        )
    half_lives = np.maximum(ages_ns, 0) / (half_life_s * NS_PER_S)
    aged: Array = distances + alpha * half_lives
    return aged
