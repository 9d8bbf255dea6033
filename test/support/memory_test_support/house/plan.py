"""What a house is made of; x and y on the floor, z up, metres."""

from __future__ import annotations

import math
from dataclasses import dataclass

from memory_nodes.geometry import Pose, Vector3
from memory_test_support.house.kinds import Kind


@dataclass(frozen=True)
class Thing:
    """One physical object: an upright box whose sides run along x, y and z."""

    thing_id: str
    kind: Kind
    color: str
    room: str
    centre_m: Vector3
    is_movable: bool = False

    @property
    def bottom_m(self) -> Vector3:
        """The middle of what it stands on."""
        x_m, y_m, z_m = self.centre_m
        return (x_m, y_m, z_m - self.kind.size_m[2] / 2.0)


@dataclass(frozen=True)
class Slot:
    """A free place for a movable thing: the middle of its bottom."""

    room: str
    bottom_m: Vector3


@dataclass(frozen=True)
class Waypoint:
    """Where the robot takes a keyframe. It sees what is in its room: walls hide the rest."""

    room: str
    base: Pose


@dataclass(frozen=True)
class House:
    """Things on the first day, slots for those that move, and the way through all rooms."""

    things: tuple[Thing, ...]
    waypoints: tuple[Waypoint, ...]
    slots: tuple[Slot, ...] = ()


def standing(
    thing_id: str, kind: Kind, color: str, room: str, bottom_m: Vector3, is_movable: bool = False
) -> Thing:
    """A thing by the middle of its bottom."""
    x_m, y_m, z_m = bottom_m
    centre_m = (x_m, y_m, z_m + kind.size_m[2] / 2.0)
    return Thing(thing_id, kind, color, room, centre_m, is_movable)


def ring(
    room: str,
    centre_m: tuple[float, float],
    radius_m: float,
    stops: int,
    *,
    looks_ahead: bool = False,
) -> tuple[Waypoint, ...]:
    """A round about a point: at each stop a look at it, and one ahead along the way if wanted."""
    waypoints = []
    for stop in range(stops):
        bearing_rad = 2.0 * math.pi * stop / stops
        x_m = centre_m[0] + radius_m * math.cos(bearing_rad)
        y_m = centre_m[1] + radius_m * math.sin(bearing_rad)
        waypoints.append(Waypoint(room, Pose.planar(x_m, y_m, bearing_rad + math.pi)))
        if looks_ahead:
            waypoints.append(Waypoint(room, Pose.planar(x_m, y_m, bearing_rad + math.pi / 2.0)))
    return tuple(waypoints)
