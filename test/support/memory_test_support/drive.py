"""A differential drive on the floor: turn, drive, turn. No ROS here."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class FloorPose:
    """A place on the floor of the map frame, metres and radians."""

    x_m: float
    y_m: float
    yaw_rad: float


@dataclass(frozen=True)
class Limits:
    """Largest forward and turning speed."""

    max_speed_mps: float = 0.8
    max_turn_radps: float = 1.5


def distance_m(pose: FloorPose, goal: FloorPose) -> float:
    """Straight-line distance."""
    return math.hypot(goal.x_m - pose.x_m, goal.y_m - pose.y_m)


def remaining_s(pose: FloorPose, goal: FloorPose, limits: Limits) -> float:
    """Time that turn, drive and turn will take from here."""
    away_m = distance_m(pose, goal)
    heading = _heading_rad(pose, goal) if away_m > 0 else goal.yaw_rad
    turns_rad = abs(_difference_rad(heading, pose.yaw_rad))
    turns_rad += abs(_difference_rad(goal.yaw_rad, heading))
    return away_m / limits.max_speed_mps + turns_rad / limits.max_turn_radps


def step(pose: FloorPose, goal: FloorPose, dt_s: float, limits: Limits) -> FloorPose:
    """The pose dt later; the last step lands on the goal itself."""
    reach_m, reach_rad = limits.max_speed_mps * dt_s, limits.max_turn_radps * dt_s
    away_m = distance_m(pose, goal)
    if away_m == 0.0:
        return FloorPose(goal.x_m, goal.y_m, _turn(pose.yaw_rad, goal.yaw_rad, reach_rad))
    heading = _heading_rad(pose, goal)
    if abs(_difference_rad(heading, pose.yaw_rad)) > 1e-9:
        return FloorPose(pose.x_m, pose.y_m, _turn(pose.yaw_rad, heading, reach_rad))
    if away_m <= reach_m:
        return FloorPose(goal.x_m, goal.y_m, pose.yaw_rad)
    return FloorPose(
        pose.x_m + reach_m * math.cos(heading), pose.y_m + reach_m * math.sin(heading), heading
    )


def _heading_rad(pose: FloorPose, goal: FloorPose) -> float:
    return math.atan2(goal.y_m - pose.y_m, goal.x_m - pose.x_m)


def _turn(yaw_rad: float, wanted_rad: float, reach_rad: float) -> float:
    """The yaw after a turn the short way round, the wanted one once it is in reach."""
    difference = _difference_rad(wanted_rad, yaw_rad)
    if abs(difference) <= reach_rad:
        return wanted_rad
    return yaw_rad + math.copysign(reach_rad, difference)


def _difference_rad(first: float, second: float) -> float:
    return math.remainder(first - second, math.tau)
