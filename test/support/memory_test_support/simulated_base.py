"""A simulated differential drive with a NavigateToPose server: a stand-in for a robot with Nav2.

Drives in the map frame, turn-drive-turn, and lands exactly on the goal. From its first accepted
goal on it publishes map -> odom -> base_link; until then another node owns these. `behavior` is
one of succeed, short (says it has arrived, 1 m before the goal), reject, inactive (rejects, and its
state says so), abort, hang (obeys cancel), blind (hangs, and the transforms end) and lose (no
result, not even on cancel).
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import dataclass
from typing import Any

import rclpy
from geometry_msgs.msg import PoseStamped
from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from nav2_msgs.action import NavigateToPose
from rcl_interfaces.msg import SetParametersResult
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.clock import Clock, ClockType
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.task import Future
from rclpy.utilities import remove_ros_args
from tf2_msgs.msg import TFMessage

from memory_nodes.parameters import parameter
from memory_test_support.drive import FloorPose, Limits, distance_m, remaining_s, step
from memory_test_support.poses import Pose, planar_pose
from memory_test_support.ros_messages import (
    LATCHED,
    TF,
    duration_message,
    floor_pose_message,
    floor_pose_of,
    pose_of_transform,
    transform_message,
)
from memory_test_support.stand_in_parameters import ParameterError, declare, help_of

BEHAVIORS = ("succeed", "short", "reject", "inactive", "abort", "hang", "blind", "lose")
SHORT_M = 1.0
TICK_S = 0.02  # wall time
FEEDBACK_S = 0.1  # wall time
SEEING_S = 10.0  # simulated time for which a blind base still knows where it is
UNKNOWN_ERROR = 9000  # NavigateToPose's error_code UNKNOWN
LINKS = (("map", "odom"), ("odom", "base_link"))


@dataclass(frozen=True)
class BaseOptions:
    """The node's parameters; only `behavior` may be changed while it runs."""

    behavior: str = parameter("succeed", "how goals end", choices=BEHAVIORS)
    start_x: float = parameter(math.nan, "start on the map; nan: where /tf has base_link", unit="m")
    start_y: float = parameter(math.nan, "start on the map, nan as above", unit="m")
    start_yaw_rad: float = parameter(math.nan, "start on the map, nan as above", unit="rad")
    max_speed_mps: float = parameter(0.8, "forward speed", unit="m/s", low=0.0)
    max_turn_radps: float = parameter(1.5, "turning speed", unit="rad/s", low=0.0)
    time_scale: float = parameter(1.0, "simulated time in wall time", unit="s/s", low=0.0)


@dataclass
class _Drive:
    """The goal being driven to; `done` gets the way it ended."""

    handle: Any
    goal: FloorPose
    behavior: str
    done: Future[str]
    driven_s: float = 0.0
    feedback_s: float = -math.inf


class SimulatedBase(Node):
    """One goal at a time; a newer one preempts, as Nav2 does it."""

    def __init__(self, **node_options: Any) -> None:
        self._server: Any = None  # first of all: a node that failed here is destroyed too
        super().__init__("simulated_base", **node_options)
        options = declare(self, BaseOptions, changeable=("behavior",))
        self.add_on_set_parameters_callback(_check_parameters)
        self._limits = Limits(options.max_speed_mps, options.max_turn_radps)
        self._time_scale = options.time_scale
        self._links: dict[tuple[str, str], Pose] = {}
        self._pose = _start(options)
        self._drive: _Drive | None = None
        self._ends: dict[bytes, Future[str]] = {}  # by goal id: how each drive ended
        self._tf_out: Any = None  # made with the first goal: who has one, owns the transforms
        self._wall_s = time.monotonic()
        self._tf_in = self.create_subscription(TFMessage, "/tf", self._on_tf, TF)
        self._pose_out = self.create_publisher(PoseStamped, "simulated_base/pose", LATCHED)
        self._server = ActionServer(
            self,
            NavigateToPose,
            "navigate_to_pose",
            execute_callback=self._execute,
            goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
        )
        self.create_service(GetState, "bt_navigator/get_state", self._on_get_state)
        steady = Clock(clock_type=ClockType.STEADY_TIME)  # drives on when simulated time stands
        self._timer = self.create_timer(TICK_S, self._tick, clock=steady)
        self._publish_pose()

    @property
    def is_driving(self) -> bool:
        return self._drive is not None

    @property
    def has_driven(self) -> bool:
        """Whether it ever accepted a goal."""
        return self._tf_out is not None

    @property
    def goal_y_m(self) -> float | None:
        """Of the goal that it drives to."""
        return None if self._drive is None else self._drive.goal.y_m

    def destroy_node(self) -> None:
        """Also ends the action server, which a node does not own."""
        if self._server is not None:
            self._server.destroy()
        super().destroy_node()

    def _on_tf(self, message: Any) -> None:
        """Where the robot is, until this node drives it."""
        if self._tf_out is not None:
            return
        for transform in message.transforms:
            link = (transform.header.frame_id, transform.child_frame_id)
            if link in LINKS:
                self._links[link] = pose_of_transform(transform.transform)
        if all(link in self._links for link in LINKS):
            base = self._links[LINKS[0]] @ self._links[LINKS[1]]
            learned = FloorPose(base.position_m[0], base.position_m[1], base.yaw_rad)
            if learned != self._pose:
                self._pose = learned
                self._publish_pose()

    def _on_get_state(self, _: Any, response: Any) -> Any:
        """Of the lifecycle, as Nav2's navigator says it."""
        is_active = self.get_parameter("behavior").value != "inactive"
        states = (State.PRIMARY_STATE_INACTIVE, State.PRIMARY_STATE_ACTIVE)
        response.current_state.id = states[is_active]
        return response

    def _on_goal(self, request: Any) -> GoalResponse:
        """Refuses what cannot be driven to."""
        reason = self._refusal(request.pose)
        if reason is None:
            return GoalResponse.ACCEPT
        self.get_logger().warning(f"goal rejected: {reason}")
        return GoalResponse.REJECT

    def _refusal(self, goal: Any) -> str | None:
        behavior = self.get_parameter("behavior").value
        if behavior in ("reject", "inactive"):
            return f"its behavior is {behavior}"
        if self._pose is None:
            return "no start pose: neither on /tf nor in start_x, start_y, start_yaw_rad"
        if goal.header.frame_id != "map":
            return f"its frame is {goal.header.frame_id!r}, not 'map'"
        return None if floor_pose_of(goal.pose) else "its pose is not finite or has no orientation"

    def _on_accepted(self, handle: Any) -> None:
        if self._drive is not None:
            self._finish("preempted")
        if self._tf_out is None:
            self._tf_out = self.create_publisher(TFMessage, "/tf", TF)
        goal = floor_pose_of(handle.request.pose.pose)
        assert goal is not None  # checked in _on_goal
        behavior = self.get_parameter("behavior").value
        self._drive = _Drive(handle, goal, behavior, Future())
        self._ends[bytes(handle.goal_id.uuid)] = self._drive.done
        handle.execute()

    def _on_cancel(self, handle: Any) -> CancelResponse:
        return CancelResponse.ACCEPT

    async def _execute(self, handle: Any) -> Any:
        """Waits for the drive to end, then reports how."""
        outcome = await self._ends[bytes(handle.goal_id.uuid)]
        del self._ends[bytes(handle.goal_id.uuid)]
        result = NavigateToPose.Result()
        if outcome == "succeeded":
            handle.succeed()
        elif outcome == "canceled":
            handle.canceled()
        else:
            handle.abort()
        if outcome == "aborted" and hasattr(result, "error_code"):  # older Nav2 has neither
            result.error_code = UNKNOWN_ERROR
            if hasattr(result, "error_msg"):
                result.error_msg = "the simulated base was told to abort"
        return result

    def _finish(self, outcome: str) -> None:
        """Ends the current drive; one that is to be lost never hears of it."""
        assert self._drive is not None
        if self._drive.behavior != "lose":
            self._drive.done.set_result(outcome)
        self._drive = None

    def _tick(self) -> None:
        wall_s = time.monotonic()
        passed_s, self._wall_s = wall_s - self._wall_s, wall_s
        if self._drive is not None:
            self._run(self._drive, passed_s * self._time_scale)
        if self._tf_out is not None and not self._is_blind():
            self._publish_transforms()

    def _is_blind(self) -> bool:
        drive = self._drive
        return drive is not None and drive.behavior == "blind" and drive.driven_s > SEEING_S

    def _run(self, drive: _Drive, dt_s: float) -> None:
        """One step of the drive, by its behaviour."""
        assert self._pose is not None
        if drive.handle.is_cancel_requested and drive.behavior != "lose":
            self._finish("canceled")
            return
        drive.driven_s += dt_s
        if drive.behavior in ("succeed", "short", "abort"):
            self._pose = step(self._pose, drive.goal, dt_s, self._limits)
            self._publish_pose()
        if self._wall_s - drive.feedback_s >= FEEDBACK_S:
            drive.feedback_s = self._wall_s
            drive.handle.publish_feedback(self._feedback(drive))
        if drive.behavior == "abort":
            self._finish("aborted")
        elif (drive.behavior == "succeed" and self._pose == drive.goal) or (
            drive.behavior == "short" and distance_m(self._pose, drive.goal) < SHORT_M
        ):
            self._finish("succeeded")

    def _feedback(self, drive: _Drive) -> Any:
        assert self._pose is not None
        feedback = NavigateToPose.Feedback()
        feedback.current_pose = floor_pose_message(self._pose, self._now_ns())
        feedback.navigation_time = duration_message(drive.driven_s)
        feedback.estimated_time_remaining = duration_message(
            remaining_s(self._pose, drive.goal, self._limits)
        )
        feedback.number_of_recoveries = 0
        feedback.distance_remaining = distance_m(self._pose, drive.goal)
        return feedback

    def _publish_pose(self) -> None:
        if self._pose is not None:
            self._pose_out.publish(floor_pose_message(self._pose, self._now_ns()))

    def _now_ns(self) -> int:
        return int(self.get_clock().now().nanoseconds)

    def _publish_transforms(self) -> None:
        """The chain to base_link, over the map -> odom that was there before."""
        assert self._pose is not None
        map_from_odom = self._links.get(LINKS[0], Pose())
        map_from_base = planar_pose(self._pose.x_m, self._pose.y_m, self._pose.yaw_rad)
        odom_from_base = map_from_odom.inverse() @ map_from_base
        now_ns = self._now_ns()
        self._tf_out.publish(
            TFMessage(
                transforms=[
                    transform_message(*LINKS[0], now_ns, map_from_odom),
                    transform_message(*LINKS[1], now_ns, odom_from_base),
                ]
            )
        )


def _start(options: BaseOptions) -> FloorPose | None:
    start = FloorPose(options.start_x, options.start_y, options.start_yaw_rad)
    return start if all(map(math.isfinite, vars(start).values())) else None


def _check_parameters(parameters: list[Any]) -> Any:
    for given in parameters:
        if given.name == "behavior" and given.value not in BEHAVIORS:
            reason = f"behavior is one of {', '.join(BEHAVIORS)}"
            return SetParametersResult(successful=False, reason=reason)
    return SetParametersResult(successful=True)


def main(arguments: list[str] | None = None) -> int:
    """Serves until it is told to end."""
    arguments = sys.argv if arguments is None else arguments
    parser = argparse.ArgumentParser(
        prog="simulated_base",
        description=__doc__,
        epilog=help_of(BaseOptions),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.parse_args(remove_ros_args(arguments)[1:])
    rclpy.init(args=arguments)
    try:
        node = SimulatedBase()
    except ParameterError as error:
        rclpy.try_shutdown()
        print(f"simulated_base: {error}", file=sys.stderr)
        return 1
    try:
        rclpy.spin(node)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()
    return 0
