"""The rigid motion of points, against motions made by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from memory_nodes.geometry import Array
from memory_nodes.mapping.rigid_fit import as_pose, fit, moved

SQUARE_M = np.array([[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]]])
ALIKE = np.ones((1, 4))


def _fitted(old_m: Array, new_m: Array, weights: Array | None = None) -> Array:
    used = np.ones(old_m.shape[:2]) if weights is None else weights
    return np.asarray(fit(old_m, new_m, used)[0])


def test_translation_is_found() -> None:
    assert _fitted(SQUARE_M, SQUARE_M + np.array([0.4, -0.3])) == pytest.approx([0.4, -0.3, 0.0])


def test_quarter_turn_about_the_origin_is_found() -> None:
    """(x, y) goes to (-y, x)."""
    turned_m = np.array([[[0.0, 0.0], [0.0, 2.0], [-1.0, 2.0], [-1.0, 0.0]]])
    assert _fitted(SQUARE_M, turned_m) == pytest.approx([0.0, 0.0, math.pi / 2], abs=1e-12)


def test_quarter_turn_about_another_point_is_a_turn_and_a_translation() -> None:
    """About (1, 0): (x, y) goes to (1 - y, x - 1)."""
    turned_m = np.array([[[1.0, -1.0], [1.0, 1.0], [0.0, 1.0], [0.0, -1.0]]])
    assert _fitted(SQUARE_M, turned_m) == pytest.approx([1.0, -1.0, math.pi / 2], abs=1e-12)


def test_vertex_that_moves_alone_counts_nothing() -> None:
    moved_m = SQUARE_M + np.array([0.4, 0.0])
    moved_m[0, 2] += [-3.0, 5.0]
    assert _fitted(SQUARE_M, moved_m) == pytest.approx([0.4, 0.0, 0.0], abs=1e-3)


def test_weights_decide_between_two_motions() -> None:
    """Three points stay, one goes: the one that weighs most takes the motion with it."""
    points_m = np.array([[[0.0, 0.0], [0.01, 0.0], [0.0, 0.01], [0.01, 0.01]]])
    moved_m = points_m.copy()
    moved_m[0, 0] += [1.0, 0.0]
    motion = _fitted(points_m, moved_m, np.array([[100.0, 1.0, 1.0, 1.0]]))
    assert motion == pytest.approx([1.0, 0.0, 0.0], abs=1e-3)


def test_one_point_tells_nothing_of_a_turn() -> None:
    assert _fitted(np.zeros((1, 1, 2)), np.array([[[0.3, 0.2]]])) == pytest.approx([0.3, 0.2, 0.0])


def test_each_row_has_its_own_motion() -> None:
    old_m = np.concatenate([SQUARE_M, SQUARE_M])
    motions = fit(old_m, old_m + np.array([[[1.0, 0.0]], [[0.0, 2.0]]]), np.ones((2, 4)))
    assert motions == pytest.approx(np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]), abs=1e-9)


def test_motion_does_to_poses_what_it_does_to_points() -> None:
    motion = np.array([0.5, -1.0, 0.3])
    point_m = np.array([[2.0, 1.0]])
    x_m, y_m, _ = as_pose(motion).apply(np.array([[2.0, 1.0, 0.7]]))[0]
    assert moved(motion[np.newaxis], point_m)[0] == pytest.approx([x_m, y_m])
