"""The body of doubt around a place, against matrices made by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from memory_nodes.drawing.ellipsoid import LEAST_DIAMETER_M, ellipsoid_of
from memory_nodes.geometry import Array, PointEstimate


def estimate(covariance_m2: Array) -> PointEstimate:
    return PointEstimate((1.0, 2.0, 3.0), tuple(covariance_m2.ravel().tolist()))


def test_diameters_are_four_standard_deviations_along_the_axes() -> None:
    """Two to each side; variances of 0.01, 0.04 and 0.09 are sigmas of 0.1, 0.2 and 0.3 m."""
    made = ellipsoid_of(estimate(np.diag([0.01, 0.04, 0.09])))
    assert made is not None
    assert sorted(made.diameters_m) == pytest.approx([0.4, 0.8, 1.2])
    assert made.map_from_ellipsoid.position_m == (1.0, 2.0, 3.0)


def test_long_axis_points_where_least_is_known() -> None:
    """Least is known along x = y: variance 0.25 there, 0.01 across."""
    turn = Rotation.from_euler("z", 45, degrees=True).as_matrix()
    made = ellipsoid_of(estimate(turn @ np.diag([0.25, 0.01, 0.01]) @ turn.T))
    assert made is not None
    axis = int(np.argmax(made.diameters_m))
    direction = made.map_from_ellipsoid.rotation.as_matrix()[:, axis]
    assert abs(direction @ np.array([1.0, 1.0, 0.0])) / math.sqrt(2.0) == pytest.approx(1.0)
    assert made.diameters_m[axis] == pytest.approx(2.0)


angles = st.floats(-180.0, 180.0)
variances_m2 = st.tuples(*[st.floats(1e-4, 4.0)] * 3)


@given(variances_m2, st.tuples(angles, angles, angles))
def test_it_is_a_rotated_body_of_the_same_covariance(
    variances: tuple[float, float, float], turned: tuple[float, float, float]
) -> None:
    """Put together again from its axes and diameters: a mirrored frame would be no quaternion."""
    turn = Rotation.from_euler("xyz", turned, degrees=True).as_matrix()
    covariance = turn @ np.diag(variances) @ turn.T
    made = ellipsoid_of(estimate(covariance))
    assert made is not None
    axes = made.map_from_ellipsoid.rotation.as_matrix()
    assert np.linalg.det(axes) == pytest.approx(1.0)
    sigmas_m = np.array(made.diameters_m) / 4.0
    again = axes @ np.diag(sigmas_m**2) @ axes.T
    assert again == pytest.approx(covariance, abs=1e-5)


def test_exact_place_has_a_body_that_can_be_drawn() -> None:
    made = ellipsoid_of(estimate(np.zeros((3, 3))))
    assert made is not None
    assert made.diameters_m == (LEAST_DIAMETER_M,) * 3


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_covariance_that_is_not_finite_has_no_body(value: float) -> None:
    assert ellipsoid_of(estimate(np.diag([0.1, 0.1, value]))) is None
