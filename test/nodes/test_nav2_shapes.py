"""nav2_msgs of every distribution is read alike."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from memory_nodes.geometry import Pose
from memory_nodes.navigation.outcomes import Cause
from memory_nodes.ros.conversions import pose_stamped
from memory_nodes.ros.nav2 import shapes
from memory_test_support import nav2_shapes as stand_in

POSES = [pose_stamped(Pose.planar(x_m, 2.0, 0.5), stamp_ns=7, frame_id="map") for x_m in (1.0, 3.0)]


@pytest.mark.parametrize(
    ("distribution", "cost"),
    [(stand_in.HUMBLE, None), (stand_in.JAZZY, "GetCost"), (stand_in.KILTED, "GetCosts")],
)
def test_types_are_found_by_looking(
    distribution: Any, cost: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, module in stand_in.modules(distribution).items():
        monkeypatch.setitem(sys.modules, name, module)
    assert shapes.navigate_type() == "NavigateToPose"
    assert shapes.plan_type() == "ComputePathToPose"
    assert shapes.cost_type() == cost


def test_without_nav2_there_are_no_types(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nav2_msgs", "nav2_msgs.action", "nav2_msgs.srv"):
        monkeypatch.setitem(sys.modules, name, None)
    assert shapes.navigate_type() is None
    assert shapes.plan_type() is None
    assert shapes.cost_type() is None


def test_jazzy_is_asked_once_for_each_pose() -> None:
    requests = shapes.cost_requests(stand_in.JAZZY_COST, POSES)
    assert [(item.x, item.y) for item in requests] == [(1.0, 2.0), (3.0, 2.0)]
    assert all(item.theta == pytest.approx(0.5) for item in requests)


def test_kilted_is_asked_once_for_all_poses() -> None:
    (request,) = shapes.cost_requests(stand_in.KILTED_COSTS, POSES)
    assert request.poses == POSES


def test_poses_may_be_in_a_message_that_holds_them() -> None:
    (request,) = shapes.cost_requests(stand_in.LATER_COSTS, POSES)
    assert request.poses.poses == POSES


def test_poses_without_a_frame_are_asked_for_where_the_service_wants_these() -> None:
    (request,) = shapes.cost_requests(stand_in.EARLY_COSTS, POSES)
    assert [(item.x, item.y) for item in request.poses] == [(1.0, 2.0), (3.0, 2.0)]
    assert request.poses[0].theta == pytest.approx(0.5)


def test_one_cost_and_many_are_read_alike() -> None:
    assert shapes.costs_of(SimpleNamespace(cost=253.0)) == [253.0]
    assert shapes.costs_of(SimpleNamespace(costs=[0.0, 255.0], success=False)) == [0.0, 255.0]


def test_humble_tells_no_reason() -> None:
    ending = shapes.ending_of_abort(stand_in.HumbleResult())
    assert (ending.cause, ending.message) == (Cause.ABORTED, "Navigation gave up.")


@pytest.mark.parametrize("kind", [stand_in.JazzyResult, stand_in.KiltedResult])
def test_text_of_the_result_is_passed_on_with_its_code(kind: Any) -> None:
    ending = shapes.ending_of_abort(kind(error_code=208, error_msg="no path found"))
    assert ending.message == "Navigation gave up (no path found, error 208)."


def test_code_without_a_text_is_put_into_words() -> None:
    ending = shapes.ending_of_abort(stand_in.IronResult(error_code=206))
    assert ending.message == "Navigation gave up (that place is occupied, error 206)."
    unknown = shapes.ending_of_abort(stand_in.LyricalResult(error_code=4321))
    assert unknown.message == "Navigation gave up (error 4321)."


@pytest.mark.parametrize("code", [102, 202, 9002])
def test_lost_transforms_are_a_cause_of_their_own(code: int) -> None:
    ending = shapes.ending_of_abort(stand_in.LyricalResult(error_code=code))
    assert ending.cause is Cause.TF_LOST


def test_plan_begins_where_the_robot_is() -> None:
    goal = shapes.plan_goal(stand_in.PLAN, POSES[0])
    assert goal.goal == POSES[0]
    assert goal.use_start is False


@pytest.mark.parametrize(
    ("code", "is_without"),
    [(204, True), (206, True), (208, True), (202, False), (205, False), (207, False)],
)
def test_only_a_reason_that_lies_in_the_goal_means_that_there_is_no_way(
    code: int, is_without: bool
) -> None:
    assert shapes.is_without_path(stand_in.IronResult(error_code=code)) is is_without


def test_aborted_plan_without_a_code_means_that_there_is_no_way() -> None:
    assert shapes.is_without_path(stand_in.plan_result())


def test_path_is_read_in_order() -> None:
    path = shapes.path_of(stand_in.plan_result((0.0, 0.0), (1.0, 2.0)))
    assert [pose.position_m[:2] for pose in path] == [(0.0, 0.0), (1.0, 2.0)]
    assert shapes.path_of(stand_in.plan_result()) == []
