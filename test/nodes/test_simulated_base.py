"""The simulated base over real DDS: how goals end, and where the base then stands."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import rclpy
from action_msgs.msg import GoalStatus
from geometry_msgs.msg import PoseStamped
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from tf2_msgs.msg import TFMessage

from memory_test_support.poses import planar_pose
from memory_test_support.ros_messages import LATCHED, TF, transform_message
from memory_test_support.simulated_base import SimulatedBase
from memory_test_support.spinning import spin_until

LAUNCHER = Path(__file__).resolve().parents[1] / "support" / "bin" / "simulated_base"
START = {"start_x": 1.0, "start_y": -1.0, "start_yaw_rad": 0.5}


class Bench:
    """A base and a client in one executor, and what the base says."""

    def __init__(self, domain_id: int, **parameters: Any) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain_id)
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        self.base = SimulatedBase(context=self.context, parameter_overrides=overrides)
        self.client_node = Node("client", context=self.context)
        self.client: Any = ActionClient(self.client_node, NavigateToPose, "navigate_to_pose")
        self.poses: list[Any] = []
        self.transforms: list[Any] = []
        self.feedback: list[Any] = []
        self.client_node.create_subscription(
            PoseStamped, "simulated_base/pose", self.poses.append, LATCHED
        )
        self.client_node.create_subscription(TFMessage, "/tf", self._on_tf, TF)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.base)
        self.executor.add_node(self.client_node)
        self.until(self.client.server_is_ready, "the action server")

    def _on_tf(self, message: Any) -> None:
        self.transforms += message.transforms

    def until(self, condition: Any, what: str) -> None:
        spin_until(self.executor, condition, what)

    def result_of(self, future: Any, what: str) -> Any:
        self.until(future.done, what)
        return future.result()

    def send(self, x_m: float, y_m: float, yaw_rad: float, **changes: Any) -> Any:
        """The goal handle after the server has answered."""
        goal = NavigateToPose.Goal()
        goal.pose.header.frame_id = changes.get("frame_id", "map")
        goal.pose.pose.position.x, goal.pose.pose.position.y = x_m, y_m
        goal.pose.pose.orientation.z = math.sin(yaw_rad / 2) * changes.get("scale", 1.0)
        goal.pose.pose.orientation.w = math.cos(yaw_rad / 2) * changes.get("scale", 1.0)
        future = self.client.send_goal_async(goal, feedback_callback=self._on_feedback)
        return self.result_of(future, "an answer to the goal")

    def _on_feedback(self, message: Any) -> None:
        self.feedback.append(message.feedback)

    def behave(self, behavior: str) -> bool:
        """Switches the behaviour at run time; whether the node took it."""
        result = self.base.set_parameters([Parameter("behavior", value=behavior)])[0]
        return bool(result.successful)

    def status_of(self, handle: Any) -> Any:
        return self.result_of(handle.get_result_async(), "the result").status

    def assert_at(self, x_m: float, y_m: float, yaw_rad: float) -> None:
        """The published true pose agrees within 1 mm and 0.001 rad."""

        def agrees() -> bool:
            pose = self.poses[-1].pose
            yaw = 2 * math.atan2(pose.orientation.z, pose.orientation.w)
            off_m = math.hypot(pose.position.x - x_m, pose.position.y - y_m)
            return off_m < 1e-3 and abs(math.remainder(yaw - yaw_rad, math.tau)) < 1e-3

        self.until(lambda: bool(self.poses) and agrees(), f"the base at {x_m}, {y_m}, {yaw_rad}")

    def close(self) -> None:
        self.executor.shutdown()
        self.client.destroy()
        self.client_node.destroy_node()
        self.base.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def bench(ros_domain: int) -> Iterator[Bench]:
    running = Bench(ros_domain, time_scale=10.0, **START)
    yield running
    running.close()


def test_base_lands_on_the_goal(bench: Bench) -> None:
    handle = bench.send(-1.25, 2.5, -2.9)
    assert handle.accepted
    assert bench.status_of(handle) == GoalStatus.STATUS_SUCCEEDED
    bench.assert_at(-1.25, 2.5, -2.9)


def test_feedback_counts_down(bench: Bench) -> None:
    bench.status_of(bench.send(4.0, 3.0, 0.0))
    distances = [feedback.distance_remaining for feedback in bench.feedback]
    assert len(distances) >= 3
    assert distances == sorted(distances, reverse=True)
    assert distances[0] == pytest.approx(5.0, abs=0.5)  # a 3-4-5 triangle from the start
    assert bench.feedback[-1].estimated_time_remaining.sec < 8
    assert bench.feedback[-1].current_pose.header.frame_id == "map"


def test_transforms_come_with_the_first_goal_and_agree_with_the_pose(bench: Bench) -> None:
    bench.assert_at(1.0, -1.0, 0.5)
    assert bench.client_node.count_publishers("/tf") == 0
    bench.status_of(bench.send(2.0, -1.0, 0.0))
    bench.transforms.clear()

    def base() -> list[Any]:
        return [t.transform for t in bench.transforms if t.child_frame_id == "base_link"]

    bench.until(lambda: len(base()) > 2, "transforms of the base")
    assert base()[-1].translation.x == pytest.approx(2.0, abs=1e-3)
    assert {t.child_frame_id for t in bench.transforms} == {"odom", "base_link"}


def test_start_is_learned_from_the_transforms_of_another_node(ros_domain: int) -> None:
    bench = Bench(ros_domain, time_scale=10.0)
    try:
        assert not bench.send(0.0, 0.0, 0.0).accepted  # it does not know where it is
        other = bench.client_node.create_publisher(TFMessage, "/tf", TF)
        bench.until(lambda: other.get_subscription_count() == 2, "the base's ears")
        quarter = planar_pose(2.0, 0.0, math.pi / 2)
        links = [("map", "odom", quarter), ("odom", "base_link", planar_pose(1.0, 0.5, 0.2))]
        other.publish(TFMessage(transforms=[transform_message(p, c, 1, t) for p, c, t in links]))
        # By hand: a quarter turn brings (1, 0.5) to (-0.5, 1), then 2 along x.
        bench.assert_at(1.5, 1.0, math.pi / 2 + 0.2)
        assert bench.status_of(bench.send(1.0, 1.0, 0.0)) == GoalStatus.STATUS_SUCCEEDED
        bench.transforms.clear()
        bench.until(lambda: len(bench.transforms) > 3, "transforms of the base")
        shift = next(t for t in bench.transforms if t.child_frame_id == "odom").transform
        assert shift.translation.x == pytest.approx(2.0)
    finally:
        bench.close()


def test_reject_refuses_and_stays(bench: Bench) -> None:
    assert bench.behave("reject")
    assert not bench.send(0.0, 0.0, 0.0).accepted
    bench.assert_at(1.0, -1.0, 0.5)


@pytest.mark.parametrize(
    ("x_m", "changes"),
    [(math.nan, {}), (math.inf, {}), (0.0, {"scale": 0.0}), (0.0, {"frame_id": "odom"})],
)
def test_goal_that_is_no_pose_of_the_map_is_refused(
    bench: Bench, x_m: float, changes: dict[str, Any]
) -> None:
    assert not bench.send(x_m, 0.0, 0.0, **changes).accepted


def test_abort_tells_why(bench: Bench) -> None:
    assert bench.behave("abort")
    handle = bench.send(3.0, 0.0, 0.0)
    assert handle.accepted
    result = bench.result_of(handle.get_result_async(), "the result")
    assert result.status == GoalStatus.STATUS_ABORTED
    if hasattr(result.result, "error_code"):
        assert result.result.error_code == 9000


def test_hang_never_moves_but_obeys_cancel(bench: Bench) -> None:
    assert bench.behave("hang")
    handle = bench.send(3.0, 0.0, 0.0)
    result = handle.get_result_async()
    bench.until(lambda: len(bench.feedback) > 3, "feedback of a base that hangs")
    assert not result.done()
    bench.result_of(handle.cancel_goal_async(), "an answer to the cancel")
    assert bench.result_of(result, "the result").status == GoalStatus.STATUS_CANCELED
    bench.assert_at(1.0, -1.0, 0.5)


def test_lose_never_tells_a_result_not_even_on_cancel(bench: Bench) -> None:
    assert bench.behave("lose")
    handle = bench.send(3.0, 0.0, 0.0)
    result = handle.get_result_async()
    reply = bench.result_of(handle.cancel_goal_async(), "an answer to the cancel")
    assert len(reply.goals_canceling) == 1
    assert bench.behave("succeed")
    # A later goal that comes to its end shows that the lost one's time is long over.
    assert bench.status_of(bench.send(1.2, -1.0, 0.0)) == GoalStatus.STATUS_SUCCEEDED
    assert not result.done()


def test_cancel_stops_the_drive(bench: Bench) -> None:
    handle = bench.send(100.0, 0.0, 0.0)
    bench.until(lambda: len(bench.feedback) > 2, "feedback")
    bench.result_of(handle.cancel_goal_async(), "an answer to the cancel")
    assert bench.status_of(handle) == GoalStatus.STATUS_CANCELED
    assert bench.poses[-1].pose.position.x < 90.0


def test_newer_goal_preempts_the_older(bench: Bench) -> None:
    older = bench.send(100.0, 0.0, 0.0)
    older_result = older.get_result_async()
    bench.until(lambda: len(bench.feedback) > 2, "feedback of the older goal")
    newer = bench.send(0.0, 0.0, 1.0)
    result = bench.result_of(older_result, "the older goal's result")
    assert result.status == GoalStatus.STATUS_ABORTED
    assert result.result == NavigateToPose.Result()
    assert bench.status_of(newer) == GoalStatus.STATUS_SUCCEEDED
    bench.assert_at(0.0, 0.0, 1.0)


def test_unknown_behavior_is_refused(bench: Bench) -> None:
    assert not bench.behave("dance")


def test_help_says_that_it_is_a_stand_in() -> None:
    done = subprocess.run(
        [sys.executable, str(LAUNCHER), "--help"], capture_output=True, text=True, timeout=60
    )
    assert "stand-in" in done.stdout
