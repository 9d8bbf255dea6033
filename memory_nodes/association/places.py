"""What places say of identity: how likely an object is where it was, or has been moved."""

from __future__ import annotations

import math

import numpy as np

from memory_nodes.geometry import Array
from memory_nodes.records import NS_PER_S

NEAR_M = 0.2
"""Positions of one object differ by about this between chunks; more with their uncertainty."""
LOOSE_M = 0.7
LOOSE_SHARE = 0.15
"""So many are this far off: what is seen of a large thing differs from time to time."""
ELSEWHERE_M3 = 30.0
"""Another object of the kind is somewhere in a room of so much space."""
MOVED_ELSEWHERE = 0.2
"""A thing that was moved is in this room with this probability, and in another one otherwise."""
MOVE_TIME_S = 5 * 86_400.0
"""After so long a thing has been moved with probability 1 - 1/e."""
MIN_MOVE_PROBABILITY = 1e-4
MOVED_IF_ABSENT = 0.9
"""Where its place was in clear view without it."""
UNKNOWN_PLACE = -2.5
"""Without a place there may be others that look the same."""


def log_density(gaps_m: Array, covariances_m2: Array) -> Array:
    """Of the gaps between two positions of one object that stays where it is, per m^3.

    Args:
        gaps_m: shape (N, 3).
        covariances_m2: of both positions together, shape (N, 3, 3).
    """
    narrow = _log_normal(gaps_m, covariances_m2 + NEAR_M**2 * np.eye(3))
    wide = _log_normal(gaps_m, covariances_m2 + LOOSE_M**2 * np.eye(3))
    both: Array = np.logaddexp(
        narrow + math.log(1.0 - LOOSE_SHARE), wide + math.log(LOOSE_SHARE)
    )
    return both


def place_scores(gaps_m: Array, covariances_m2: Array, move_probabilities: Array) -> Array:
    """How much places speak for one object: above 0 for it, below 0 against it, in nats.

    Shapes as for ``log_density``, (N,) for the probabilities that it was moved meanwhile.
    """
    stays = log_density(gaps_m, covariances_m2) + math.log(ELSEWHERE_M3)
    scores: Array = np.logaddexp(
        np.log1p(-move_probabilities) + stays,
        np.log(move_probabilities) + math.log(MOVED_ELSEWHERE),
    )
    return scores


def move_probability(elapsed_ns: int, was_absent: bool) -> float:
    """That a thing has been moved since it was seen last; a jump in a short time is unlikely."""
    if was_absent:
        return MOVED_IF_ABSENT
    elapsed_s = max(0, elapsed_ns) / NS_PER_S
    return max(MIN_MOVE_PROBABILITY, MOVED_IF_ABSENT * -math.expm1(-elapsed_s / MOVE_TIME_S))


def common_shift_m(gaps_m: Array, covariances_m2: Array, prior_m: float) -> Array:
    """The shift, shape (3,), that positions of one time share against those of another.

    Weighted least squares over pairs that are one object each, robust against some that are not;
    a shift of about ``prior_m`` is expected, none without pairs.
    """
    shift_m = np.zeros(3)
    spread_m2 = covariances_m2 + NEAR_M**2 * np.eye(3)
    for _ in range(5):
        misses_m = gaps_m - shift_m
        distances2 = np.einsum("ni,ni->n", misses_m, _solved(spread_m2, misses_m))
        weights = 1.0 / (1.0 + distances2)
        information = np.einsum("n,nij->ij", weights, np.linalg.inv(spread_m2))
        pulls = np.einsum("n,ni->i", weights, _solved(spread_m2, gaps_m))
        shift_m = np.linalg.solve(information + np.eye(3) / prior_m**2, pulls)
    return shift_m


def _log_normal(gaps_m: Array, covariances_m2: Array) -> Array:
    distances2 = np.einsum("ni,ni->n", gaps_m, _solved(covariances_m2, gaps_m))
    _, log_volumes = np.linalg.slogdet(2.0 * math.pi * covariances_m2)
    logs: Array = -0.5 * (distances2 + log_volumes)
    return logs


def _solved(covariances_m2: Array, gaps_m: Array) -> Array:
    solved: Array = np.linalg.solve(covariances_m2, gaps_m[:, :, np.newaxis])[:, :, 0]
    return solved
