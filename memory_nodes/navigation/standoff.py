"""Poses from which a thing can be seen: before it, and near a pose that is taken."""

from __future__ import annotations

import math

from memory_nodes.geometry import Pose, Vector3

MIN_STANDOFF_M = 0.1
"""Nearer than this a direction to face means nothing."""
SIGHT_ANGLE_RAD = math.radians(30.0)
"""So near to the direction from which it was seen a thing still shows."""
SIGHT_RANGE_FACTOR = 1.2
"""And from so much farther."""


def bearing_rad(from_m: Vector3, to_m: Vector3) -> float:
    """Of one point on the floor from another, about the map's z axis."""
    return math.atan2(to_m[1] - from_m[1], to_m[0] - from_m[0])


def floor_distance_m(one_m: Vector3, other_m: Vector3) -> float:
    return math.dist(one_m[:2], other_m[:2])


def standoff_pose(map_from_base: Pose, thing_map_m: Vector3, standoff_m: float) -> Pose | None:
    """On the line from where a thing was seen to the thing, so far before it, facing it.

    That line is free for the eye: the thing was seen along it. None where the robot stood nearer
    than that already, or no distance is wanted.
    """
    seen_from_m = map_from_base.position_m
    away_m = floor_distance_m(seen_from_m, thing_map_m)
    if standoff_m < MIN_STANDOFF_M or away_m <= standoff_m:
        return None
    yaw_rad = bearing_rad(seen_from_m, thing_map_m)
    x_m, y_m, _ = thing_map_m
    return Pose.planar(
        x_m - standoff_m * math.cos(yaw_rad), y_m - standoff_m * math.sin(yaw_rad), yaw_rad
    )


def nearby_poses(
    map_from_goal: Pose,
    tolerance_m: float,
    spacing_m: float,
    seen_from_m: Vector3,
    thing_map_m: Vector3 | None,
) -> list[Pose]:
    """Other poses within a tolerance from which the thing shows as well, nearest first.

    On rings around the goal. All face the thing, or where no place is known, as the goal does.
    What lies beside the line along which the thing was seen counts as farther, by as much: a
    corner may hide the thing there.

    Args:
        seen_from_m: where it was seen from.
    """
    goal_m = map_from_goal.position_m
    found: list[tuple[float, Pose]] = []
    for ring in range(1, math.floor(tolerance_m / spacing_m + 1e-9) + 1):
        radius_m, count = ring * spacing_m, 6 * ring
        for number in range(count):
            angle_rad = math.tau * number / count
            x_m = goal_m[0] + radius_m * math.cos(angle_rad)
            y_m = goal_m[1] + radius_m * math.sin(angle_rad)
            here_m = (x_m, y_m, 0.0)
            beside_m, yaw_rad = 0.0, map_from_goal.yaw_rad
            if thing_map_m is not None:
                if not still_sees(here_m, seen_from_m, thing_map_m):
                    continue
                beside_m = _beside_m(here_m, seen_from_m, thing_map_m)
                yaw_rad = bearing_rad(here_m, thing_map_m)
            found.append((radius_m + beside_m, Pose.planar(x_m, y_m, yaw_rad)))
    return [pose for _, pose in sorted(found, key=lambda item: item[0])]


def still_sees(here_m: Vector3, seen_from_m: Vector3, thing_map_m: Vector3) -> bool:
    """Whether a thing shows from here, too: from about where it was seen, and not much farther.

    There is no map of what hides it. As with clear looks, an earlier sighting stands for that.
    """
    turn_rad = bearing_rad(thing_map_m, here_m) - bearing_rad(thing_map_m, seen_from_m)
    far_m = floor_distance_m(here_m, thing_map_m)
    seen_from_far_m = floor_distance_m(seen_from_m, thing_map_m)
    return (
        abs(math.remainder(turn_rad, math.tau)) <= SIGHT_ANGLE_RAD
        and MIN_STANDOFF_M <= far_m <= SIGHT_RANGE_FACTOR * seen_from_far_m
    )


def _beside_m(here_m: Vector3, seen_from_m: Vector3, thing_map_m: Vector3) -> float:
    """The distance of a point from the line between two others, on the floor."""
    turn_rad = bearing_rad(thing_map_m, here_m) - bearing_rad(thing_map_m, seen_from_m)
    return abs(math.sin(turn_rad)) * floor_distance_m(thing_map_m, here_m)
