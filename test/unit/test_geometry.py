"""Transforms against scipy and by hand, the camera by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation, Slerp

from memory_nodes.geometry import (
    Array,
    Intrinsics,
    PointEstimate,
    Pose,
    Quaternion,
    Vector3,
    interpolate,
)

QUARTER = math.pi / 2.0


def _unit(vectors: Array) -> Array:
    lengths: Array = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / lengths


def _matrix(pose: Pose) -> Array:
    """4 x 4, built without Pose's own methods."""
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_quat(pose.quat_xyzw).as_matrix()
    matrix[:3, 3] = pose.position_m
    return matrix


@st.composite
def poses(draw: st.DrawFn) -> Pose:
    metres = st.floats(-50.0, 50.0)
    angles = st.floats(-3.0, 3.0)
    x, y, z = (draw(metres) for _ in range(3))
    turn = Rotation.from_euler("xyz", [draw(angles) for _ in range(3)]).as_quat()
    qx, qy, qz, qw = map(float, turn)
    return Pose((x, y, z), (qx, qy, qz, qw))


@given(poses(), poses())
def test_product_of_poses_is_product_of_their_matrices(one: Pose, other: Pose) -> None:
    assert_allclose(_matrix(one @ other), _matrix(one) @ _matrix(other), atol=1e-9)


@given(poses())
def test_inverse_undoes_a_pose(pose: Pose) -> None:
    assert_allclose(_matrix(pose @ pose.inverse()), np.eye(4), atol=1e-9)


def test_points_turn_and_move_by_hand() -> None:
    map_from_base = Pose.planar(1.0, 2.0, QUARTER)
    moved = map_from_base.apply(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.5]]))
    assert_allclose(moved, [[1.0, 3.0, 0.0], [0.0, 2.0, 0.5]], atol=1e-12)


@given(poses(), poses(), st.floats(0.0, 1.0))
def test_interpolated_rotation_is_scipys_slerp(one: Pose, other: Pose, fraction: float) -> None:
    slerp = Slerp([0.0, 1.0], Rotation.from_quat([one.quat_xyzw, other.quat_xyzw]))
    between = interpolate(one, other, fraction)
    gap = slerp(fraction).inv() * Rotation.from_quat(between.quat_xyzw)
    assert gap.magnitude() < 1e-6
    expected_m = (1.0 - fraction) * np.array(one.position_m) + fraction * np.array(other.position_m)
    assert_allclose(between.position_m, expected_m, atol=1e-9)


def test_rotation_interpolates_along_the_shorter_arc() -> None:
    one, other = Pose.planar(0.0, 0.0, math.radians(170)), Pose.planar(0.0, 0.0, math.radians(-170))
    between = interpolate(one, other, 0.5)
    assert abs(between.yaw_rad) == pytest.approx(math.pi)


def test_pose_on_floor_keeps_place_and_heading() -> None:
    tilted = Rotation.from_euler("zy", [QUARTER, 0.3])
    qx, qy, qz, qw = map(float, tilted.as_quat())
    flat = Pose((1.0, 2.0, 3.0), (qx, qy, qz, qw)).on_floor()
    assert flat.position_m == (1.0, 2.0, 0.0)
    assert flat.yaw_rad == pytest.approx(QUARTER)
    assert flat.quat_xyzw == pytest.approx((0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))


@pytest.mark.parametrize(
    ("position_m", "quat_xyzw"),
    [
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)),
        ((math.nan, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)),
        ((0.0, math.inf, 0.0), (0.0, 0.0, 0.0, 1.0)),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.1)),
    ],
)
def test_pose_that_is_not_finite_or_not_unit_is_invalid(
    position_m: Vector3, quat_xyzw: Quaternion
) -> None:
    assert not Pose(position_m, quat_xyzw).is_valid


def test_identity_is_valid() -> None:
    assert Pose.identity().is_valid


def test_pixel_ray_by_hand() -> None:
    camera = Intrinsics(500.0, 400.0, 320.0, 240.0)
    assert_allclose(camera.ray(570.0, 40.0), [0.5, -0.5, 1.0])


def test_camera_of_a_half_size_image_sees_the_same_ray() -> None:
    camera = Intrinsics(500.0, 400.0, 320.0, 240.0)
    assert_allclose(camera.scaled(0.5).ray(285.0, 20.0), camera.ray(570.0, 40.0))


def test_uncertainty_of_a_point_is_that_of_its_worst_direction() -> None:
    turned = Rotation.from_euler("xyz", (0.3, -0.4, 0.5)).as_matrix()
    covariance = turned @ np.diag([0.01, 0.04, 2.25]) @ turned.T
    estimate = PointEstimate((0.0, 0.0, 0.0), tuple(covariance.ravel()))
    assert estimate.sigma_m == pytest.approx(1.5)
    assert estimate.is_rough
