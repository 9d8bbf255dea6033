"""Markers of one shape each; whoever wants them says where, how large and in which colour."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import Point, Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from memory_nodes.geometry import Pose
from memory_nodes.geometry import Vector3 as Place
from memory_nodes.ros.conversions import pose_to_msg

UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def color(rgb: str, alpha: float) -> ColorRGBA:
    """Of #rrggbb."""
    red, green, blue = (int(rgb[start : start + 2], 16) / 255.0 for start in (1, 3, 5))
    return ColorRGBA(r=red, g=green, b=blue, a=alpha)


def solid(
    ns: str, kind: int, frame_id: str, pose: Pose, size_m: Place, painted: ColorRGBA
) -> Marker:
    """A sphere, cylinder, cube or arrow of Marker's kinds."""
    marker = Marker(ns=ns, type=kind, action=Marker.ADD, color=painted)
    marker.header.frame_id = frame_id
    marker.pose = pose_to_msg(pose)
    x, y, z = size_m
    marker.scale = Vector3(x=x, y=y, z=z)
    return marker


def label(
    ns: str, frame_id: str, place: Place, text: str, height_m: float, painted: ColorRGBA
) -> Marker:
    """A text that faces whoever looks."""
    kind = Marker.TEXT_VIEW_FACING
    marker = solid(ns, kind, frame_id, Pose(place, UPRIGHT), (0.0, 0.0, height_m), painted)
    marker.text = text
    return marker


def lines(
    ns: str,
    frame_id: str,
    ends: Iterable[tuple[Place, Place]],
    width_m: float,
    painted: ColorRGBA,
) -> Marker:
    """Any number of lines as one marker."""
    at = Pose((0.0, 0.0, 0.0), UPRIGHT)
    marker = solid(ns, Marker.LINE_LIST, frame_id, at, (width_m, 0.0, 0.0), painted)
    marker.points = [Point(x=x, y=y, z=z) for pair in ends for x, y, z in pair]
    return marker
