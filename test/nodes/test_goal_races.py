"""A word that gets lost or comes too early does not leave a robot that drives by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rclpy.parameter import Parameter
from rclpy.task import Future
from std_msgs.msg import String

from memory_nodes.geometry import Pose
from memory_nodes.navigation.outcomes import Cause
from memory_nodes.navigation.preflight import NoAnswer, Preflight
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.ros import endpoints
from memory_test_support.floor_plan import Area, FloorPlan, PlanOfFloor
from memory_test_support.goal_driver import SOON, Driver, cause_of, remember
from memory_test_support.navigator import Navigator
from memory_test_support.node_bench import NodeBench
from memory_test_support.records import keyframe

PATIENT = {**SOON, "server_timeout_s": 0.5, "drive_timeout_s": 60.0}


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    with NodeBench(ros_domain, tmp_path) as made:
        yield made


def test_stop_right_after_a_spoken_command_is_heeded(bench: NodeBench) -> None:
    """Both are often read in one round: the goal is still on its way to its server then."""
    remember(bench, keyframe(1))
    navigator = bench.make(Navigator, behaviors=["hang"])
    bench.start(QueryNode, base_url="")
    bench.start(GoalNode, **PATIENT)
    Driver(bench)
    speech = bench.heard(String, endpoints.SPEECH)
    commands = bench.publisher(String, endpoints.COMMANDS)
    commands.publish(String(data="take me to the red mug"))
    commands.publish(String(data="stop"))
    bench.until(lambda: len(speech) == 2, "what came of it")
    assert [said.data for said in speech] == ["I stop.", "The drive was called off."]
    assert navigator.goals == []


def test_goal_whose_acceptance_is_lost_does_not_drive_on(bench: NodeBench) -> None:
    remember(bench, keyframe(1))
    navigator = bench.make(Navigator, behaviors=["hang"])
    node = bench.start(GoalNode, **PATIENT)
    client: Any = node.means.nav2._client
    send = client.send_goal_async

    def lost(*goal: Any) -> Future[Any]:
        send(*goal)
        return Future(executor=node.executor)

    client.send_goal_async = lost
    assert cause_of(Driver(bench).go(keyframe_id=1)) is Cause.UNANSWERED
    bench.until(lambda: navigator.accepted == 1 and navigator.active == 0, "the robot to stop")


def test_goal_that_outlives_its_cancels_is_cancelled_when_navigation_tells_of_it(
    bench: NodeBench,
) -> None:
    """As one does that nothing could be said to for a while: it drives, and nobody waits."""
    remember(bench, keyframe(1), keyframe(2))
    navigator = bench.make(Navigator, behaviors=["hang"], refused_cancels=4)
    bench.start(GoalNode, **PATIENT)
    driver = Driver(bench)
    handle = driver.send(keyframe_id=1)
    bench.until(lambda: navigator.active == 1, "the robot to drive")
    bench.result(handle.cancel_goal_async(), "the cancellation")
    assert "not confirmed" in driver.end_of(handle).message
    navigator.publish_status()
    bench.until(lambda: navigator.active == 0, "the robot to stop")


def test_navigation_that_was_started_anew_is_noticed(bench: NodeBench) -> None:
    """After a kill the old server seems to be there until the new one is."""
    remember(bench, keyframe(1), keyframe(2))
    navigator = bench.make(Navigator, behaviors=["hang"])
    node = bench.start(GoalNode, **PATIENT)
    driver = Driver(bench)
    handle = driver.send(object_id="mug_1")
    bench.until(lambda: navigator.active == 1, "the robot to drive")
    again = bench.make(Navigator, behaviors=["hang"])
    status = "/navigate_to_pose/_action/status"
    bench.until(lambda: node.count_publishers(status) == 2, "the new server")
    bench.stop(navigator)
    assert cause_of(driver.end_of(handle)) is Cause.GONE
    assert again.goals == []


@pytest.mark.parametrize("is_driving", [False, True])
def test_node_that_is_deactivated_under_way_ends_the_goal_without_an_error(
    is_driving: bool, bench: NodeBench
) -> None:
    remember(bench, keyframe(1))
    navigator = bench.make(Navigator, behaviors=["hang"])
    node = bench.start(GoalNode, **PATIENT)
    driver = Driver(bench)
    driver.send(**({"keyframe_id": 1} if is_driving else {"query": "the red mug"}))
    bench.until(lambda: navigator.active == int(is_driving) and bool(driver.feedback), "the goal")
    node.trigger_deactivate()
    bench.until(lambda: node.counters["outcome_canceled"] == 1, "the end of the goal")
    bench.until(lambda: navigator.active == 0, "the robot to stop")
    assert node.counters["errors"] == 0


@pytest.mark.parametrize(
    ("forbidding", "cause"),
    [
        (Parameter("dry_run", value=True), Cause.DRY_RUN),
        (Parameter("allowed_maps", value=["cellar"]), Cause.MAP_FORBIDDEN),
        (Parameter("keep_out", value=["-1 -1, 1 -1, 1 1, -1 1"]), Cause.KEPT_OUT),
    ],
)
def test_what_is_forbidden_while_a_goal_is_under_way_is_not_driven_to(
    forbidding: Parameter[Any], cause: Cause, bench: NodeBench
) -> None:
    at_origin = Pose.planar(0.0, 0.0, 0.0)
    remember(bench, keyframe(1, base=at_origin), keyframe(2, base=at_origin))
    navigator = bench.make(Navigator)
    node = bench.start(GoalNode, **SOON)

    class Forbidding(PlanOfFloor):
        """While it is asked, somebody forbids it."""

        async def costs(self, poses: Sequence[Pose]) -> Sequence[float] | NoAnswer:
            node.set_parameters([forbidding])
            return await super().costs(poses)

    planner = Forbidding(FloorPlan(Area(-5.0, -5.0, 5.0, 5.0)), at_origin)
    node.means = replace(node.means, preflight=Preflight(planner, node.checking))
    assert cause_of(Driver(bench).go(object_id="mug_1")) is cause
    assert navigator.goals == []
