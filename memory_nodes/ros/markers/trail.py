"""The way of the robot."""

from __future__ import annotations

from collections.abc import Mapping

from nav_msgs.msg import Path

from memory_nodes.records import Keyframe
from memory_nodes.ros.conversions import pose_stamped


def trail(keyframes: Mapping[int, Keyframe], map_id: str, map_frame: str, limit: int) -> Path:
    """Where the base was at the newest keyframes of a map, at most so many."""
    here = [item for item in keyframes.values() if item.map_id == map_id]
    path = Path()
    path.header.frame_id = map_frame
    path.poses = [
        pose_stamped(item.map_from_base, item.stamp_ns, item.map_frame)
        for item in here[max(0, len(here) - limit) :]
    ]
    return path
