"""The rigid motion of the plane that takes points to where they are now."""

from __future__ import annotations

import numpy as np

from memory_nodes.geometry import Array, Pose

INLIER_M = 0.05
"""Vertices whose movement differs by less belong together."""
MIN_SPREAD_M = 0.1
"""Points that lie closer together tell nothing of a turn."""
_RELAXING = 1.4


def fit(old_m: Array, new_m: Array, weights: Array) -> Array:
    """N rigid motions, each from K points: x and y, metres, and yaw, shape (N, 3).

    A point that moves unlike the others counts nothing in the end: the weights of graduated
    non-convexity with the Geman-McClure loss.

    Source: Umeyama, 1991 (the fit); Yang et al., 2020, Graduated Non-Convexity, section IV.

    Args:
        old_m, new_m: shape (N, K, 2).
        weights: shape (N, K), none negative, not all of a row 0.
    """
    motions = _weighted(old_m, new_m, weights)
    error_m2 = _errors_m2(motions, old_m, new_m)
    scale = max(1.0, 2.0 * float(error_m2.max(initial=0.0)) / INLIER_M**2)
    while scale > 1.0:
        scale = max(1.0, scale / _RELAXING)
        reach_m2 = scale * INLIER_M**2
        trust = (reach_m2 / (error_m2 + reach_m2)) ** 2
        motions = _weighted(old_m, new_m, weights * trust)
        error_m2 = _errors_m2(motions, old_m, new_m)
    return motions


def moved(motions: Array, points_m: Array) -> Array:
    """Points after their motions; shapes (N, 3) and (N, ..., 2)."""
    shape = (len(motions),) + (1,) * (points_m.ndim - 2)
    x_m, y_m, yaw_rad = (motions[:, column].reshape(shape) for column in range(3))
    cosine, sine = np.cos(yaw_rad), np.sin(yaw_rad)
    return np.stack(
        [
            cosine * points_m[..., 0] - sine * points_m[..., 1] + x_m,
            sine * points_m[..., 0] + cosine * points_m[..., 1] + y_m,
        ],
        axis=-1,
    )


def as_pose(motion: Array) -> Pose:
    """A motion, shape (3,), as the transform that does the same to poses."""
    x_m, y_m, yaw_rad = map(float, motion)
    return Pose.planar(x_m, y_m, yaw_rad)


def _weighted(old_m: Array, new_m: Array, weights: Array) -> Array:
    shares = (weights / weights.sum(axis=1, keepdims=True))[..., np.newaxis]
    old_middle_m, new_middle_m = (shares * old_m).sum(axis=1), (shares * new_m).sum(axis=1)
    before, after = old_m - old_middle_m[:, np.newaxis], new_m - new_middle_m[:, np.newaxis]
    along = (shares * before * after).sum(axis=(1, 2))
    across = (
        shares[..., 0] * (before[..., 0] * after[..., 1] - before[..., 1] * after[..., 0])
    ).sum(axis=1)
    spread_m = np.sqrt((shares * before**2).sum(axis=(1, 2)))
    yaw_rad = np.where(spread_m >= MIN_SPREAD_M, np.arctan2(across, along), 0.0)
    turned_m = moved(np.stack([0.0 * yaw_rad, 0.0 * yaw_rad, yaw_rad], axis=1), old_middle_m)
    return np.concatenate([new_middle_m - turned_m, yaw_rad[:, np.newaxis]], axis=1)


def _errors_m2(motions: Array, old_m: Array, new_m: Array) -> Array:
    errors_m2: Array = ((moved(motions, old_m) - new_m) ** 2).sum(axis=2)
    return errors_m2
