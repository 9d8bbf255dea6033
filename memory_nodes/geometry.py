"""Rigid transforms, the pinhole camera and triangulation.

A variable named ``map_from_camera`` maps points of the camera frame into the map frame, so
``map_from_camera = map_from_base @ base_from_camera`` reads with equal names side by side.
Lengths are metres, angles radians, quaternions x, y, z, w. Optical frames have x right, y down,
z forward (REP-103).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Array: TypeAlias = NDArray[np.float64]
Vector3: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]

UNIT_NORM_TOLERANCE = 1e-3
MIN_PARALLAX_RAD = math.radians(5.0)


@dataclass(frozen=True)
class Pose:
    """A rigid transform: ``parent_from_child``, or the pose of the child in the parent frame."""

    position_m: Vector3
    quat_xyzw: Quaternion

    @classmethod
    def identity(cls) -> Pose:
        return cls((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))

    @classmethod
    def planar(cls, x_m: float, y_m: float, yaw_rad: float) -> Pose:
        """A pose on the floor."""
        half_rad = yaw_rad / 2.0
        return cls((x_m, y_m, 0.0), (0.0, 0.0, math.sin(half_rad), math.cos(half_rad)))

    @property
    def is_valid(self) -> bool:
        """Finite, and its quaternion is of unit length (an all-zero one is a common defect)."""
        values = (*self.position_m, *self.quat_xyzw)
        return all(map(math.isfinite, values)) and (
            abs(math.hypot(*self.quat_xyzw) - 1.0) < UNIT_NORM_TOLERANCE
        )

    @property
    def rotation(self) -> Rotation:
        return Rotation.from_quat(self.quat_xyzw)

    @property
    def yaw_rad(self) -> float:
        """Heading of the x axis about the parent's z axis, -pi to pi."""
        forward = self.rotation.as_matrix()[:, 0]
        return math.atan2(forward[1], forward[0])

    def __matmul__(self, other: Pose) -> Pose:
        rotation = self.rotation
        position_m = rotation.apply(other.position_m) + np.asarray(self.position_m)
        return Pose(_vector3(position_m), _quaternion(rotation * other.rotation))

    def inverse(self) -> Pose:
        rotation = self.rotation.inv()
        return Pose(_vector3(-rotation.apply(self.position_m)), _quaternion(rotation))

    def apply(self, points_child_m: Array) -> Array:
        """Maps points, shape (N, 3), from the child into the parent frame."""
        points_m: Array = self.rotation.apply(points_child_m) + np.asarray(self.position_m)
        return points_m

    def on_floor(self) -> Pose:
        """The same place and heading with z, roll and pitch removed: a goal for a wheeled base."""
        x_m, y_m, _ = self.position_m
        return Pose.planar(x_m, y_m, self.yaw_rad)

    def distance_m(self, other: Pose) -> float:
        return math.dist(self.position_m, other.position_m)

    def angle_rad(self, other: Pose) -> float:
        """Smallest rotation between the two orientations, 0 to pi."""
        return float((self.rotation.inv() * other.rotation).magnitude())


@dataclass(frozen=True)
class Intrinsics:
    """An undistorted pinhole camera; all in pixels."""

    fx_px: float
    fy_px: float
    cx_px: float
    cy_px: float

    def scaled(self, factor: float) -> Intrinsics:
        """The camera of the same image resized by a factor."""
        return Intrinsics(
            self.fx_px * factor, self.fy_px * factor, self.cx_px * factor, self.cy_px * factor
        )

    def ray(self, u_px: float, v_px: float) -> Array:
        """The direction of a pixel in the optical frame, shape (3,), with z = 1."""
        return np.array([(u_px - self.cx_px) / self.fx_px, (v_px - self.cy_px) / self.fy_px, 1.0])


@dataclass(frozen=True)
class PointEstimate:
    """A point with the covariance of its error, in one frame."""

    point_m: Vector3
    covariance_m2: tuple[float, ...]
    """Row-major 3x3."""


def parallax_rad(directions: Array) -> float:
    """The largest angle between any two unit directions, shape (N, 3)."""
    return float(np.arccos(np.clip(directions @ directions.T, -1.0, 1.0)).max())


def triangulate(origins_m: Array, directions: Array, rounds: int = 8) -> PointEstimate | None:
    """The point nearest to several rays, or None when they are too parallel to tell.

    Iteratively re-weighted least squares with Cauchy weights on the angular residual, so that
    one ray that points at something else does not drag the point along.

    Args:
        origins_m: shape (N, 3), N >= 2.
        directions: shape (N, 3), unit length, same frame.
        rounds: re-weighting rounds.
    """
    if len(origins_m) < 2 or parallax_rad(directions) < MIN_PARALLAX_RAD:
        return None
    # Distance to a ray is |(I - d d^T)(p - o)|: linear in p.
    projectors = np.eye(3) - np.einsum("ni,nj->nij", directions, directions)
    weights = np.ones(len(origins_m))
    for _ in range(rounds):
        normal = np.einsum("n,nij->ij", weights, projectors)
        right = np.einsum("n,nij,nj->i", weights, projectors, origins_m)
        point_m = np.linalg.solve(normal, right)
        offsets_m = point_m - origins_m
        misses_m = np.linalg.norm(np.einsum("nij,nj->ni", projectors, offsets_m), axis=1)
        ranges_m = np.maximum(np.linalg.norm(offsets_m, axis=1), 0.1)
        angles = misses_m / ranges_m
        scale = max(1.4826 * float(np.median(angles)), 0.005)
        weights = 1.0 / (ranges_m**2 * (1.0 + (angles / scale) ** 2))
    if np.median(np.einsum("ni,ni->n", directions, offsets_m)) <= 0.0:
        return None  # the rays part: they meet behind the cameras
    covariance = np.linalg.inv(np.einsum("n,nij->ij", weights, projectors)) * scale**2
    return PointEstimate(_vector3(point_m), tuple(map(float, covariance.ravel())))


def interpolate(before: Pose, after: Pose, fraction: float) -> Pose:
    """Between two poses: linear in position, shortest arc in rotation; fraction 0 to 1."""
    start_m, end_m = np.asarray(before.position_m), np.asarray(after.position_m)
    turn = (before.rotation.inv() * after.rotation).as_rotvec()
    rotation = before.rotation * Rotation.from_rotvec(turn * fraction)
    return Pose(_vector3(start_m + (end_m - start_m) * fraction), _quaternion(rotation))


def _vector3(values: Array) -> Vector3:
    x, y, z = map(float, values)
    return (x, y, z)


def _quaternion(rotation: Rotation) -> Quaternion:
    x, y, z, w = map(float, rotation.as_quat())
    return (x, y, z, w)
