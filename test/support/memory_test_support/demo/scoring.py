"""What the demo found, against the hand annotation of the tour."""

from __future__ import annotations

import math
from typing import Any

from memory_nodes.navigation.outcomes import Outcome
from memory_nodes.ros.conversions import time_from_msg
from memory_test_support.demo.report import Asked, Driven
from memory_test_support.drive import FloorPose, distance_m
from memory_test_support.ros_messages import floor_pose_of
from memory_test_support.tour import Question, Truth, load_tour


def score_answer(question: Question, answer: Any, truth: Truth) -> Asked:
    """A MemoryAnswer beside the truth; a keyframe is found in the tour by its stamp."""
    position_m = _best_position_m(answer)
    asked = Asked(
        question=question.text,
        answer=answer.text,
        position_m=position_m,
        position_error_m=_error_m(position_m, question, truth),
    )
    if not answer.keyframes:
        return asked
    keyframe = answer.keyframes[0].keyframe
    frame_of = {frame.stamp_ns: frame.index for frame in load_tour().frames}
    stamp_ns = time_from_msg(keyframe.header.stamp)
    asked.keyframe_id = keyframe.keyframe_id
    asked.in_truth = frame_of.get(stamp_ns) in question.ground_truth_frames
    asked.age_s = (time_from_msg(answer.header.stamp) - stamp_ns) / 1e9
    return asked


def score_drive(result: Any, candidate: int, base_pose: FloorPose | None) -> Driven:
    """How far the base stands from the keyframe that was driven to, its pose on the floor.

    What the memory believes of that pose is not enough: it is compared with the recording too.
    """
    outcome = Outcome(result.outcome)
    if outcome is not Outcome.ARRIVED or base_pose is None:
        return Driven(outcome.name)
    chosen = result.answer.keyframes[candidate - 1].keyframe
    wanted = floor_pose_of(chosen.base_pose.pose)
    assert wanted is not None
    driven = Driven(outcome.name, *_off(base_pose, wanted))
    recorded = _recorded_pose(time_from_msg(chosen.header.stamp))
    if recorded is not None:
        driven.distance_to_tour_pose_m, driven.tour_heading_error_rad = _off(base_pose, recorded)
    return driven


def _off(pose: FloorPose, wanted: FloorPose) -> tuple[float, float]:
    """Metres and radians, both positive."""
    turn_rad = math.remainder(pose.yaw_rad - wanted.yaw_rad, math.tau)
    return distance_m(pose, wanted), abs(turn_rad)


def _recorded_pose(stamp_ns: int) -> FloorPose | None:
    """Where the tour says that the robot was; None at a stamp that the tour has not."""
    base = next((f.world_from_base for f in load_tour().frames if f.stamp_ns == stamp_ns), None)
    if base is None:
        return None
    return FloorPose(base.position_m[0], base.position_m[1], base.yaw_rad)


def _best_position_m(answer: Any) -> tuple[float, float, float] | None:
    if not answer.objects or not answer.objects[0].has_position:
        return None
    place = answer.objects[0].position.pose.position
    return (place.x, place.y, place.z)


def _error_m(
    position_m: tuple[float, float, float] | None, question: Question, truth: Truth
) -> float | None:
    """To the nearest target; None when there is nothing to compare."""
    if position_m is None or not question.target_ids:
        return None
    targets_m = [truth.instances[target].position_m for target in question.target_ids]
    return min(math.dist(position_m, target_m) for target_m in targets_m)
