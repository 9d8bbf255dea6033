"""Transforms against scipy and by hand, triangulation against exact rays."""

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
    Pose,
    Quaternion,
    Vector3,
    interpolate,
    triangulate,
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


def test_exact_rays_meet_in_their_point() -> None:
    target_m = np.array([3.0, 1.0, 0.8])
    origins_m = np.array([[0.0, 0.0, 1.0], [0.5, -1.0, 1.0], [1.0, 2.0, 1.0]])
    estimate = triangulate(origins_m, _unit(target_m - origins_m))
    assert estimate is not None
    assert_allclose(estimate.point_m, target_m, atol=1e-6)


def test_one_ray_that_points_elsewhere_does_not_drag_the_point() -> None:
    target_m = np.array([3.0, 0.5, 0.8])
    origins_m = np.array([[0.3 * n, 0.4 * (n % 3), 1.0] for n in range(8)])
    directions = _unit(target_m - origins_m)
    directions[3] = _unit(np.array([[1.0, 1.5, 0.0]]))[0]
    estimate = triangulate(origins_m, directions)
    assert estimate is not None
    assert math.dist(estimate.point_m, tuple(target_m)) < 0.02


def test_rays_within_five_degrees_do_not_tell() -> None:
    target_m = np.array([10.0, 0.0, 1.0])
    origins_m = np.array([[0.0, 0.0, 1.0], [0.0, 0.5, 1.0]])  # 2.9 degrees
    assert triangulate(origins_m, _unit(target_m - origins_m)) is None


def test_rays_that_part_have_no_point() -> None:
    origins_m = np.array([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]])
    directions = _unit(np.array([[1.0, 0.5, 0.0], [1.0, -0.5, 0.0]]))
    assert triangulate(origins_m, directions) is None


def test_camera_that_only_turned_has_no_point() -> None:
    origins_m = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]])
    directions = _unit(np.array([[1.0, 0.2, 0.0], [1.0, -0.2, 0.0]]))
    assert triangulate(origins_m, directions) is None


def test_one_ray_has_no_point() -> None:
    assert triangulate(np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0]])) is None


def test_uncertainty_is_largest_along_the_line_of_sight() -> None:
    target_m = np.array([5.0, 0.0, 1.0])
    origins_m = np.array([[0.0, -0.5, 1.0], [0.0, 0.0, 1.0], [0.0, 0.5, 1.0]])
    estimate = triangulate(origins_m, _unit(target_m - origins_m))
    assert estimate is not None
    covariance = np.reshape(estimate.covariance_m2, (3, 3))
    assert covariance[0, 0] > 5.0 * covariance[1, 1] > 0.0
