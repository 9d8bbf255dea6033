"""The robot stops when it should, whatever happens in between, and nobody is told a lie."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from action_msgs.srv import CancelGoal
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionClient
from robot_memory.action import NavigateToMemory
from std_msgs.msg import String

from memory_nodes.geometry import Pose
from memory_nodes.navigation.outcomes import Outcome
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.ros import endpoints
from memory_test_support.goal_driver import SOON, Driver, remember
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
    assert driver.end_of(handle).outcome == Outcome.SUPERSEDED
    assert navigator.goals[-1].pose.position.x == 99.0


def test_error_of_the_suite_is_not_reported_as_arrived(bench: NodeBench) -> None:
    remember(bench, keyframe(1))
    bench.make(Navigator)
    bench.start(GoalNode, **SOON)
    driver = Driver(bench)
    for path in bench.memory_dir.glob("memory.sqlite*"):
        path.write_bytes(b"garbage" * 1000)
    result = driver.go(keyframe_id=1)
    assert result.outcome == Outcome.NOT_FOUND
    assert "cannot remember" in result.message


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
    assert driver.end_of(handle).outcome == Outcome.NAV_UNAVAILABLE


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
