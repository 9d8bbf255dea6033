"""What places say of identity: how likely an object is where it was, or has been moved."""

from __future__ import annotations

import math

import numpy as np

from memory_nodes.geometry import Array
from memory_nodes.records import NS_PER_S

NEAR_M = 0.2
"""Positions of one object differ by about this between chunks; more with their uncertainty."""
LOOSE_M = 0.7
LOOSE_SHARE = 0.05
"""So many are this far off: what is seen of a large thing differs from time to time."""
ROOM_M3 = 30.0
"""Any other object is somewhere in a room of so much space."""
HOME_M3 = 150.0
"""An object that was moved is somewhere in a home of so much space."""
TWIN_PROBABILITY = 0.2
TWIN_SPREAD_M = 1.0
"""Things come in sets: a new object is so often one that looks the same, this near."""
UNKNOWN_PLACE = -1.0
"""Looks alone must be better than those of most twins, in nats."""
MOVE_TIME_S = 5 * 86_400.0
"""After so long a thing has been moved with probability 1 - 1/e."""
MIN_MOVE_PROBABILITY = 1e-3
CARRY_TIME_S = 60.0
"""In less hardly a thing is carried away: what looks the same elsewhere is another one."""
MAX_MOVE_PROBABILITY = 0.9
"""Where its place was in clear view without it."""
STRAY_PROBABILITY = 0.05
"""A view that shows an object elsewhere is so often one of another object, or wrong."""


def log_density(gaps_m: Array, covariances_m2: Array) -> Array:
    """Of the gaps between two positions of one object that stays where it is, per m^3.

    Args:
        gaps_m: shape (N, 3).
        covariances_m2: of both positions together, shape (N, 3, 3).
    """
    narrow = _log_normal(gaps_m, covariances_m2, NEAR_M)
    wide = _log_normal(gaps_m, covariances_m2, LOOSE_M)
    both: Array = np.logaddexp(narrow + math.log(1.0 - LOOSE_SHARE), wide + math.log(LOOSE_SHARE))
    return both


def same_place(gaps_m: Array, covariances_m2: Array, move_probabilities: Array) -> Array:
    """Log density of the gaps if both are one object, which stayed or was moved; shape (N,).

    Args:
        gaps_m, covariances_m2: as for ``log_density``; NaN where a place is not known.
        move_probabilities: that it was moved since it was seen last, shape (N,).
    """
    density: Array = np.full(len(gaps_m), UNKNOWN_PLACE - math.log(ROOM_M3))
    known = np.isfinite(gaps_m[:, 0])
    moved = move_probabilities[known]
    density[known] = np.logaddexp(
        np.log1p(-moved) + log_density(gaps_m[known], covariances_m2[known]),
        np.log(moved) - math.log(HOME_M3),
    )
    return density


def or_where_seen(
    densities: Array, gaps_m: Array, covariances_m2: Array, move_probabilities: Array
) -> Array:
    """The same where the newest views show some of them elsewhere: there they may be by now.

    Args:
        densities: as ``same_place`` has them, shape (N,).
        gaps_m, covariances_m2: to where those views show them; NaN where they show them in place.
        move_probabilities: that they were moved before those views, shape (N,).
    """
    either = densities.copy()
    seen = np.isfinite(gaps_m[:, 0])
    there = move_probabilities[seen] / (move_probabilities[seen] + STRAY_PROBABILITY)
    either[seen] = np.logaddexp(
        np.log1p(-there) + densities[seen],
        np.log(there) + log_density(gaps_m[seen], covariances_m2[seen]),
    )
    return either


def twin_place(gaps_m: Array, covariances_m2: Array) -> Array:
    """Log density of the gaps if they are two of a set, as for ``same_place``."""
    density: Array = np.full(len(gaps_m), -math.log(ROOM_M3))
    known = np.isfinite(gaps_m[:, 0])
    density[known] = _log_normal(gaps_m[known], covariances_m2[known], TWIN_SPREAD_M)
    return density


def move_probability(elapsed_ns: int, was_absent: bool) -> float:
    """That a thing has been moved since it was seen last; a jump in a short time is unlikely."""
    if was_absent:
        return MAX_MOVE_PROBABILITY
    elapsed_s = max(1.0, elapsed_ns / NS_PER_S)
    least = MIN_MOVE_PROBABILITY * min(1.0, elapsed_s / CARRY_TIME_S)
    return max(least, MAX_MOVE_PROBABILITY * -math.expm1(-elapsed_s / MOVE_TIME_S))


def common_shift_m(gaps_m: Array, covariances_m2: Array, prior_m: float) -> Array:
    """The shift, shape (3,), that positions of one time share against those of another.

    Weighted least squares over pairs that are one object each, robust against some that are not;
    a shift of about ``prior_m`` is expected, none without pairs.
    """
    shift_m: Array = np.zeros(3)
    spread_m2: Array = covariances_m2 + NEAR_M**2 * np.eye(3)
    for _ in range(5):
        misses_m = gaps_m - shift_m
        distances2 = np.einsum("ni,ni->n", misses_m, _solved(spread_m2, misses_m))
        weights = 1.0 / (1.0 + distances2)
        information = np.einsum("n,nij->ij", weights, np.linalg.inv(spread_m2))
        pulls = np.einsum("n,ni->i", weights, _solved(spread_m2, gaps_m))
        shift_m = _solved((information + np.eye(3) / prior_m**2)[None], pulls[None])[0]
    return shift_m


def _log_normal(gaps_m: Array, covariances_m2: Array, spread_m: float) -> Array:
    spread_m2: Array = covariances_m2 + spread_m**2 * np.eye(3)
    distances2 = np.einsum("ni,ni->n", gaps_m, _solved(spread_m2, gaps_m))
    log_volumes = np.linalg.slogdet(2.0 * math.pi * spread_m2)[1]
    logs: Array = -0.5 * (distances2 + log_volumes)
    return logs


def _solved(covariances_m2: Array, gaps_m: Array) -> Array:
    solved = np.linalg.solve(covariances_m2, gaps_m[:, :, np.newaxis])[:, :, 0]
    return solved.astype(np.float64, copy=False)
