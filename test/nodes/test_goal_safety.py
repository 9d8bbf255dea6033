"""The robot stops when it should, whatever happens in between, and nobody is told a lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from action_msgs.srv import CancelGoal
from geometry_msgs.msg import PoseStamped
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionClient
from robot_memory.action import NavigateToMemory
from std_msgs.msg import String
from std_srvs.srv import Trigger

from memory_nodes.geometry import Pose
from memory_nodes.navigation.outcomes import Cause, Outcome
from memory_nodes.navigation.preflight import NoAnswer, Preflight
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.ros import endpoints
from memory_test_support.floor_plan import Area, FloorPlan, PlanOfFloor
from memory_test_support.goal_driver import SOON, Driver, cause_of, remember
from memory_test_support.navigator import Navigator
from memory_test_support.node_bench import NodeBench
from memory_test_support.records import keyframe

PATIENT = {**SOON, "drive_timeout_s": 60.0}


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    with NodeBench(ros_domain, tmp_path) as made:
        yield made


def test_drive_that_superseded_another_stops_with_its_node(bench: NodeBench) -> None:
    remember(bench, keyframe(1), keyframe(2))
    navigator = bench.make(Navigator, behaviors=["hang"])
    node = bench.start(GoalNode, **PATIENT)
    driver = Driver(bench)
    first = driver.send(keyframe_id=1)
    bench.until(lambda: navigator.active == 1, "the robot to drive")
    driver.send(keyframe_id=2)
    assert driver.end_of(first).outcome == Outcome.SUPERSEDED
    bench.until(lambda: len(navigator.goals) == 2 and navigator.active == 1, "the second drive")
    node.trigger_deactivate()
    bench.until(lambda: navigator.active == 0, "the robot to stop")


def test_cancel_that_comes_with_its_goal_is_heeded(bench: NodeBench) -> None:
    """Sent back to back, both are often read in one round, the cancel before the work begins."""
    remember(bench, keyframe(1))
    navigator = bench.make(Navigator, behaviors=["hang"])
    bench.start(GoalNode, **PATIENT)
    driver = Driver(bench)
    canceller = bench.calling(CancelGoal, f"{endpoints.NAVIGATE_TO_MEMORY}/_action/cancel_goal")
    accepted = 0
    for _ in range(20):
        sending = driver.client.send_goal_async(NavigateToMemory.Goal(keyframe_id=1))
        cancelling = canceller.call_async(CancelGoal.Request())
        handle = bench.result(sending, "an answer to the goal")
        if bench.result(cancelling, "an answer to the cancel").goals_canceling:
            accepted += 1
        else:
            bench.result(handle.cancel_goal_async(), "the second cancel")
        assert driver.end_of(handle).outcome == Outcome.CANCELED
        assert navigator.active == 0
    assert accepted > 0


@pytest.mark.parametrize("server_timeout_s", [0.3, 5.0])
def test_goal_that_is_cancelled_before_it_is_accepted_leaves_no_orphan(
    server_timeout_s: float, bench: NodeBench
) -> None:
    """Whether navigation accepts after all while somebody waits for it, or later."""
    remember(bench, keyframe(1))
    navigator = bench.make(Navigator, behaviors=["late"])
    bench.start(GoalNode, **{**PATIENT, "server_timeout_s": server_timeout_s})
    driver = Driver(bench)
    handle = driver.send(keyframe_id=1)
    bench.until(lambda: len(navigator.goals) == 1, "the goal at navigation")
    bench.result(handle.cancel_goal_async(), "the cancellation")
    ending = handle.get_result_async()
    if server_timeout_s < 1.0:
        bench.until(ending.done, "the end")
    navigator.accept_late()
    assert bench.result(ending, "the end").result.outcome == Outcome.CANCELED
    bench.until(lambda: navigator.accepted == 1 and navigator.active == 0, "no goal to be left")


def test_goal_that_is_never_answered_is_unavailable_and_leaves_no_orphan(bench: NodeBench) -> None:
    remember(bench, keyframe(1))
    navigator = bench.make(Navigator, behaviors=["late"])
    bench.start(GoalNode, **{**PATIENT, "server_timeout_s": 0.3})
    result = Driver(bench).go(keyframe_id=1)
    assert cause_of(result) is Cause.UNANSWERED
    navigator.accept_late()
    bench.until(lambda: navigator.accepted == 1 and navigator.active == 0, "no goal to be left")


def test_emergency_stop_takes_back_goals_of_others_too(bench: NodeBench) -> None:
    navigator = bench.make(Navigator, behaviors=["hang"])
    bench.start(GoalNode, **PATIENT)
    operator: Any = ActionClient(bench.user, NavigateToPose, "/navigate_to_pose")
    bench.until(operator.server_is_ready, "navigation")
    bench.result(operator.send_goal_async(NavigateToPose.Goal()), "the operator's goal")
    bench.until(lambda: navigator.active == 1, "the robot to drive")
    assert bench.call(Trigger, endpoints.STOP, Trigger.Request()).success
    bench.until(lambda: navigator.active == 0, "the robot to stop")


def test_emergency_stop_that_navigation_refuses_is_told(bench: NodeBench) -> None:
    navigator = bench.make(Navigator, behaviors=["hang"], refused_cancels=99)
    bench.start(GoalNode, **{**PATIENT, "server_timeout_s": 0.5})
    operator: Any = ActionClient(bench.user, NavigateToPose, "/navigate_to_pose")
    bench.until(operator.server_is_ready, "navigation")
    bench.result(operator.send_goal_async(NavigateToPose.Goal()), "the operator's goal")
    bench.until(lambda: navigator.active == 1, "the robot to drive")
    answer = bench.call(Trigger, endpoints.STOP, Trigger.Request())
    assert not answer.success
    assert "not confirmed" in answer.message


def test_emergency_stop_without_navigation_is_answered(bench: NodeBench) -> None:
    bench.start(GoalNode, **PATIENT)
    answer = bench.call(Trigger, endpoints.STOP, Trigger.Request())
    assert answer.success
    assert "not running" in answer.message


def test_nothing_drives_without_a_command(bench: NodeBench) -> None:
    """An answer, a spoken sentence that is no command and a published goal are none."""
    remember(bench, keyframe(1))
    navigator = bench.make(Navigator)
    bench.start(QueryNode, base_url="")
    bench.start(GoalNode, **PATIENT)
    speech = bench.heard(String, endpoints.SPEECH)
    goals = bench.user.create_publisher(PoseStamped, endpoints.GOAL, endpoints.LATCHED)
    goals.publish(PoseStamped())
    questions = bench.publisher(String, endpoints.QUESTIONS)
    questions.publish(String(data="Where is the mug?"))
    bench.until(lambda: bool(speech), "an answer")
    commands = bench.publisher(String, endpoints.COMMANDS)
    commands.publish(String(data="The red mug is nice."))
    bench.until(lambda: len(speech) == 2, "an answer to what was no command")
    assert navigator.goals == []


def test_goal_of_an_operator_is_not_taken_back(bench: NodeBench) -> None:
    remember(bench, keyframe(1), keyframe(2, base=Pose.planar(2.0, 0.0, 0.0)))
    navigator = bench.make(Navigator, behaviors=["hang"])
    bench.start(GoalNode, **PATIENT)
    driver = Driver(bench)
    handle = driver.send(object_id="mug_1")
    bench.until(lambda: navigator.active == 1, "the robot to drive")
    operator: ActionClient[NavigateToPose.Goal, NavigateToPose.Result, NavigateToPose.Feedback] = (
        ActionClient(bench.user, NavigateToPose, "/navigate_to_pose")
    )
    bench.until(operator.server_is_ready, "navigation")
    goal = NavigateToPose.Goal()
    goal.pose.pose.position.x = 99.0
    bench.result(operator.send_goal_async(goal), "the operator's goal to be accepted")
    assert cause_of(driver.end_of(handle)) is Cause.TAKEN_OVER
    assert navigator.goals[-1].pose.position.x == 99.0


def test_memory_that_cannot_be_read_is_not_reported_as_arrived(bench: NodeBench) -> None:
    remember(bench, keyframe(1))
    bench.make(Navigator)
    bench.start(GoalNode, **SOON)
    driver = Driver(bench)
    for path in bench.memory_dir.glob("memory.sqlite*"):
        path.write_bytes(b"garbage" * 1000)
    result = driver.go(keyframe_id=1)
    assert cause_of(result) is Cause.NOT_REMEMBERED
    assert "cannot remember" in result.message


def test_error_of_the_suite_is_told_as_one_and_nothing_drives(bench: NodeBench) -> None:
    remember(bench, keyframe(1))
    navigator = bench.make(Navigator)
    node = bench.start(GoalNode, **SOON)

    class Broken(PlanOfFloor):
        async def costs(self, poses: Sequence[Pose]) -> Sequence[float] | NoAnswer:
            raise RuntimeError("broken")

    planner = Broken(FloorPlan(Area(-5.0, -5.0, 5.0, 5.0)), Pose.planar(0.0, 0.0, 0.0))
    node.means = replace(node.means, preflight=Preflight(planner, node.checking))
    result = Driver(bench).go(keyframe_id=1)
    assert (cause_of(result), navigator.goals) == (Cause.ERROR, [])


def test_memory_that_does_not_answer_is_told_in_time(bench: NodeBench) -> None:
    bench.start(GoalNode, **{**SOON, "recall_timeout_s": 0.3})
    assert cause_of(Driver(bench).go(query="the red mug")) is Cause.MEMORY_SILENT


def test_refused_cancel_is_asked_for_again(bench: NodeBench) -> None:
    remember(bench, keyframe(1))
    navigator = bench.make(Navigator, behaviors=["hang"], refused_cancels=1)
    bench.start(GoalNode, **{**PATIENT, "server_timeout_s": 0.5})
    driver = Driver(bench)
    handle = driver.send(keyframe_id=1)
    bench.until(lambda: navigator.active == 1, "the robot to drive")
    bench.result(handle.cancel_goal_async(), "the cancellation")
    assert driver.end_of(handle).outcome == Outcome.CANCELED
    assert navigator.active == 0


def test_stop_that_navigation_does_not_confirm_is_told(bench: NodeBench) -> None:
    remember(bench, keyframe(1))
    navigator = bench.make(Navigator, behaviors=["hang"], refused_cancels=99)
    bench.start(GoalNode, **{**PATIENT, "server_timeout_s": 0.3})
    driver = Driver(bench)
    handle = driver.send(keyframe_id=1)
    bench.until(lambda: navigator.active == 1, "the robot to drive")
    bench.result(handle.cancel_goal_async(), "the cancellation")
    assert "not confirmed" in driver.end_of(handle).message


def test_navigation_that_dies_during_a_drive_is_noticed(bench: NodeBench) -> None:
    remember(bench, keyframe(1))
    navigator = bench.make(Navigator, behaviors=["hang"])
    bench.start(GoalNode, **{**PATIENT, "server_timeout_s": 0.5})
    driver = Driver(bench)
    handle = driver.send(keyframe_id=1)
    bench.until(lambda: navigator.active == 1, "the robot to drive")
    bench.stop(navigator)
    assert cause_of(driver.end_of(handle)) is Cause.GONE


def test_question_waits_for_a_query_node_that_is_just_starting(bench: NodeBench) -> None:
    remember(bench, keyframe(1))
    navigator = bench.make(Navigator)
    bench.start(GoalNode, **PATIENT)
    driver = Driver(bench)
    handle = driver.send(query="the red mug")
    bench.start(QueryNode, base_url="")
    assert driver.end_of(handle).outcome == Outcome.ARRIVED
    assert len(navigator.goals) == 1


def test_cancel_while_remembering_does_not_wait_for_the_answer(bench: NodeBench) -> None:
    remember(bench, keyframe(1))
    bench.start(GoalNode, **{**PATIENT, "recall_timeout_s": 600.0})
    driver = Driver(bench)
    handle = driver.send(query="the red mug")
    bench.result(handle.cancel_goal_async(), "the cancellation")
    assert driver.end_of(handle).outcome in (Outcome.CANCELED, Outcome.TIMEOUT)


def test_spoken_stop_stops_the_robot(bench: NodeBench) -> None:
    remember(bench, keyframe(1))
    navigator = bench.make(Navigator, behaviors=["hang"])
    bench.start(GoalNode, **PATIENT)
    commands = bench.publisher(String, endpoints.COMMANDS)
    handle = Driver(bench).send(keyframe_id=1)
    bench.until(lambda: navigator.active == 1, "the robot to drive")
    commands.publish(String(data="Stop!"))
    result = bench.result(handle.get_result_async(), "the end of the drive")
    assert result.result.outcome == Outcome.CANCELED
    assert navigator.active == 0


def test_all_goals_can_be_cancelled_at_once(bench: NodeBench) -> None:
    """As an emergency stop does, without knowing any goal's id."""
    remember(bench, keyframe(1))
    navigator = bench.make(Navigator, behaviors=["hang"])
    bench.start(GoalNode, **PATIENT)
    handle = Driver(bench).send(keyframe_id=1)
    bench.until(lambda: navigator.active == 1, "the robot to drive")
    cancel = f"{endpoints.NAVIGATE_TO_MEMORY}/_action/cancel_goal"
    bench.call(CancelGoal, cancel, CancelGoal.Request())
    bench.result(handle.get_result_async(), "the end of the drive")
    assert navigator.active == 0


def test_outcomes_are_those_of_the_action() -> None:
    for outcome in Outcome:
        assert getattr(NavigateToMemory.Result, outcome.name) == outcome
