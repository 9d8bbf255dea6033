"""Rigid transforms for the stand-ins, written apart from the product's own geometry."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

# camera_link is x forward, y left, z up; its optical frame is x right, y down, z forward (REP-103).
LINK_FROM_OPTICAL_XYZW = (-0.5, 0.5, -0.5, 0.5)


def multiply_quaternions(left_xyzw: Vector, right_xyzw: Vector) -> Vector:
    """Hamilton product: the turn of `right` followed by the turn of `left`."""
    left_v, left_w = left_xyzw[:3], left_xyzw[3]
    right_v, right_w = right_xyzw[:3], right_xyzw[3]
    vector = left_w * right_v + right_w * left_v + np.cross(left_v, right_v)
    return np.append(vector, left_w * right_w - left_v @ right_v)


def rotate(quaternion_xyzw: Vector, point: Vector) -> Vector:
    """The point turned by the unit quaternion."""
    vector, w = quaternion_xyzw[:3], quaternion_xyzw[3]
    twice = 2.0 * np.cross(vector, point)
    return np.asarray(point + w * twice + np.cross(vector, twice))


@dataclass(frozen=True)
class Pose:
    """A child frame in its parent: position in metres, unit quaternion."""

    position_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    quaternion_xyzw: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)

    def __matmul__(self, child: Pose) -> Pose:
        """Chain: a_from_b @ b_from_c = a_from_c."""
        turn = np.array(self.quaternion_xyzw)
        position = np.array(self.position_m) + rotate(turn, np.array(child.position_m))
        return make_pose(position, multiply_quaternions(turn, np.array(child.quaternion_xyzw)))

    def inverse(self) -> Pose:
        """The parent frame seen from the child."""
        back = np.array(self.quaternion_xyzw) * (-1.0, -1.0, -1.0, 1.0)
        return make_pose(-rotate(back, np.array(self.position_m)), back)

    @property
    def yaw_rad(self) -> float:
        """Heading of the child's x axis on the parent's xy plane, in (-pi, pi]."""
        forward = rotate(np.array(self.quaternion_xyzw), np.array([1.0, 0.0, 0.0]))
        return math.atan2(float(forward[1]), float(forward[0]))


def make_pose(position_m: Vector, quaternion_xyzw: Vector) -> Pose:
    """A pose with the quaternion brought to unit length."""
    x, y, z = (float(value) for value in position_m)
    unit = quaternion_xyzw / np.linalg.norm(quaternion_xyzw)
    qx, qy, qz, qw = (float(value) for value in unit)
    return Pose((x, y, z), (qx, qy, qz, qw))


def planar_pose(x_m: float, y_m: float, yaw_rad: float) -> Pose:
    """A pose on the floor, z = 0."""
    return Pose((x_m, y_m, 0.0), (0.0, 0.0, math.sin(yaw_rad / 2), math.cos(yaw_rad / 2)))


LINK_FROM_OPTICAL = Pose(quaternion_xyzw=LINK_FROM_OPTICAL_XYZW)


def floor_projection(world_from_optical: Pose) -> Pose:
    """The base under a camera: its x and y, z = 0, heading of the optical axis."""
    link = world_from_optical @ LINK_FROM_OPTICAL.inverse()
    return planar_pose(link.position_m[0], link.position_m[1], link.yaw_rad)


def interpolate(start: Pose, end: Pose, fraction: float) -> Pose:
    """Straight line in position, shortest arc in orientation; fraction in [0, 1]."""
    position = (1 - fraction) * np.array(start.position_m) + fraction * np.array(end.position_m)
    first, second = np.array(start.quaternion_xyzw), np.array(end.quaternion_xyzw)
    cosine = float(first @ second)
    if cosine < 0.0:
        second, cosine = -second, -cosine
    angle = math.acos(min(1.0, cosine))
    if angle < 1e-6:
        return make_pose(position, (1 - fraction) * first + fraction * second)
    blend = math.sin((1 - fraction) * angle) * first + math.sin(fraction * angle) * second
    return make_pose(position, blend)
