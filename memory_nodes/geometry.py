"""Rigid transforms, points with their uncertainty and the pinhole camera.

A variable named ``map_from_camera`` maps points of the camera frame into the map frame, so
``map_from_camera = map_from_base @ base_from_camera`` reads with equal names side by side.
Lengths are metres, angles radians, quaternions x, y, z, w. Optical frames have x right, y down,
z forward (REP-103).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Array: TypeAlias = NDArray[np.float64]
Vector3: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]

UNIT_NORM_TOLERANCE = 1e-3
ROUGH_SIGMA_M = 1.0


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

    def project(self, points_camera_m: Array) -> Array:
        """Where points of the optical frame show, shape (N, 3) -> (N, 2), pixels; z above 0."""
        focal_px, middle_px = (self.fx_px, self.fy_px), (self.cx_px, self.cy_px)
        shown_px: Array = points_camera_m[:, :2] / points_camera_m[:, 2:] * focal_px + middle_px
        return shown_px


@dataclass(frozen=True)
class PointEstimate:
    """A point with the covariance of its error, in one frame."""

    point_m: Vector3
    covariance_m2: tuple[float, ...]
    """Row-major 3x3."""

    @cached_property
    def sigma_m(self) -> float:
        """Standard deviation in the direction in which least is known."""
        covariance = np.reshape(self.covariance_m2, (3, 3))
        return math.sqrt(max(0.0, float(np.linalg.eigvalsh(covariance)[-1])))

    @property
    def is_rough(self) -> bool:
        """Known by its direction only: the distance is little more than a guess."""
        trace_m2 = self.covariance_m2[0] + self.covariance_m2[4] + self.covariance_m2[8]
        return trace_m2 > ROUGH_SIGMA_M**2 and self.sigma_m > ROUGH_SIGMA_M


@lru_cache(maxsize=8192)
def camera_axes(map_from_camera: Pose) -> Array:
    """The axes of an optical frame in the map, as columns; asked for again and again."""
    axes: Array = map_from_camera.rotation.as_matrix()
    return axes


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
