"""A drive is held against the recording, not only the memory; skipped without ROS."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("robot_memory.msg")

from robot_memory.msg import Keyframe, MemoryAnswer, RetrievedKeyframe

from memory_nodes.navigation.outcomes import Outcome
from memory_test_support.demo.scoring import score_drive
from memory_test_support.drive import FloorPose
from memory_test_support.ros_messages import floor_pose_message, time_message
from memory_test_support.tour import load_tour

FRAME = load_tour().frames[20]
RECORDED = FloorPose(*FRAME.world_from_base.position_m[:2], yaw_rad=FRAME.world_from_base.yaw_rad)
WRONG = FloorPose(RECORDED.x_m + 0.3, RECORDED.y_m + 0.4, RECORDED.yaw_rad - 0.1)


def arrived(remembered: FloorPose, stamp_ns: int = FRAME.stamp_ns) -> Any:
    """The result of a drive to a keyframe that the memory places there."""
    keyframe = Keyframe()
    keyframe.base_pose.pose = floor_pose_message(remembered, stamp_ns).pose
    keyframe.header.stamp = time_message(stamp_ns)
    answer = MemoryAnswer(keyframes=[RetrievedKeyframe(keyframe=keyframe)])
    return SimpleNamespace(outcome=int(Outcome.ARRIVED), answer=answer)


def test_base_where_the_robot_was_is_exact() -> None:
    assert score_drive(arrived(RECORDED), 1, RECORDED).is_exact


def test_base_at_a_pose_that_is_remembered_wrongly_is_found_out() -> None:
    driven = score_drive(arrived(WRONG), 1, WRONG)
    assert driven.distance_to_keyframe_pose_m == pytest.approx(0.0, abs=1e-9)
    assert driven.distance_to_tour_pose_m == pytest.approx(0.5)  # 3-4-5
    assert driven.tour_heading_error_rad == pytest.approx(0.1)
    assert not driven.is_exact


def test_keyframe_that_the_tour_has_not_is_not_exact() -> None:
    assert not score_drive(arrived(RECORDED, FRAME.stamp_ns + 1), 1, RECORDED).is_exact
