"""Poses near one that is taken, from which the thing still shows."""

from __future__ import annotations

import math

import pytest

from memory_nodes.geometry import Pose
from memory_nodes.navigation.standoff import (
    bearing_rad,
    floor_distance_m,
    nearby_poses,
    still_sees,
)

GOAL = Pose.planar(2.0, 0.0, 0.0)
SEEN_FROM = (0.0, 0.0, 0.0)
THING = (3.0, 0.0, 1.0)


def test_every_pose_is_within_the_tolerance_and_faces_the_thing() -> None:
    poses = nearby_poses(GOAL, 0.5, 0.1, SEEN_FROM, THING)
    assert len(poses) > 20
    for pose in poses:
        assert 0.0 < floor_distance_m(pose.position_m, GOAL.position_m) <= 0.5 + 1e-9
        assert pose.yaw_rad == pytest.approx(bearing_rad(pose.position_m, THING))


def test_pose_on_the_line_of_sight_comes_before_one_as_far_beside_it() -> None:
    poses = nearby_poses(GOAL, 0.1, 0.1, SEEN_FROM, THING)
    on_line = [pose for pose in poses if abs(pose.position_m[1]) < 1e-9]
    assert poses[:2] == on_line


def test_without_a_known_place_the_heading_stays() -> None:
    poses = nearby_poses(Pose.planar(2.0, 0.0, 0.7), 0.2, 0.1, SEEN_FROM, None)
    assert len(poses) == 6 + 12  # two whole rings
    assert all(pose.yaw_rad == pytest.approx(0.7) for pose in poses)


def test_no_tolerance_leaves_no_other_pose() -> None:
    assert nearby_poses(GOAL, 0.0, 0.1, SEEN_FROM, THING) == []


@pytest.mark.parametrize(
    ("angle_deg", "far_m", "sees"),
    [(0.0, 1.0, True), (29.0, 1.0, True), (31.0, 1.0, False), (0.0, 3.5, True), (0.0, 3.7, False)],
)
def test_thing_shows_from_about_where_it_was_seen(
    angle_deg: float, far_m: float, sees: bool
) -> None:
    """It was seen from 3 m, so it may be 3.6 m away, and 30 degrees to the side."""
    back_rad = math.pi + math.radians(angle_deg)
    here = (THING[0] + far_m * math.cos(back_rad), far_m * math.sin(back_rad), 0.0)
    assert still_sees(here, SEEN_FROM, THING) is sees
