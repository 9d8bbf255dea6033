"""Drives by Nav2's NavigateToPose, with one outcome for each thing that can happen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from action_msgs.msg import GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.client import Client
from rclpy.qos import qos_profile_action_status_default
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from memory_nodes.navigation.candidates import NavigationConfig, Outcome
from memory_nodes.ros.memory_node import MemoryNode

try:
    from nav2_msgs.action import NavigateToPose
except ImportError:  # the memory works without Nav2; only goals do not
    NavigateToPose = None

POLL_S = 0.1
CANCEL_TRIES = 3
MISSED_SLICES = 2


@dataclass(frozen=True)
class Drive:
    """How a drive ended."""

    outcome: Outcome
    message: str
    reached: PoseStamped | None = None
    """The base's pose in Nav2's last feedback."""


class Stop:
    """Tells a drive to end, and why. Only the first reason counts."""

    def __init__(self) -> None:
        self.reason: Outcome | None = None
        self.asked: Future[None] = Future()

    def ask(self, reason: Outcome) -> None:
        if self.reason is None:
            self.reason = reason
            self.asked.set_result(None)


class Nav2Client:
    """Sends one goal at a time. The status decides; texts of the result are only passed on."""

    def __init__(self, node: MemoryNode, config: NavigationConfig) -> None:
        self._node = node
        self._config = config
        self._client: ActionClient[Any, Any, Any] | None = None
        self._live: dict[bytes, UUID] = {}
        """Goals that were sent and are not known to have ended."""
        self._driving: set[bytes] = set()
        """Goals that Nav2 says it is driving to, whoever sent them."""
        if NavigateToPose is None:
            node.get_logger().warning(
                "nav2_msgs is not installed, so goals will be refused: install nav2_msgs of your "
                "ROS distribution"
            )
            return
        client: ActionClient[Any, Any, Any] = ActionClient(
            node, NavigateToPose, config.navigate_action, callback_group=node.side_by_side
        )
        self._client = client
        node.on_stop(client.destroy)
        # By its id a goal can be cancelled before its acceptance has been heard of.
        self._canceller: Client[Any, Any] = node.create_client(
            CancelGoal, f"{config.navigate_action}/_action/cancel_goal"
        )
        node.on_stop(lambda: node.destroy_client(self._canceller))
        node.listen(
            GoalStatusArray,
            f"{config.navigate_action}/_action/status",
            self._on_status,
            qos_profile_action_status_default,
        )
        node.on_stop(self._let_go)

    @property
    def state(self) -> str:
        """For a person: what may be expected of Nav2 now."""
        if self._client is None:
            return "not installed"
        if not self._client.server_is_ready():
            return "not running"
        return "driving" if self._live or self._driving else "ready"

    async def drive(
        self, goal: PoseStamped, stop: Stop, feedback: Callable[[float], None]
    ) -> Drive:
        """Drives to a pose; ends when Nav2 says so, when told to stop, or when it takes too long.

        Args:
            feedback: takes the distance that remains, metres.
        """
        if self._client is None or not await self._server_is_there(stop):
            if stop.reason is not None:
                return Drive(stop.reason, "The drive was called off.")
            return Drive(Outcome.NAV_UNAVAILABLE, "I cannot drive: navigation is not running.")
        reached: list[PoseStamped] = []

        def heard(message: Any) -> None:
            reached[:] = [message.feedback.current_pose]
            feedback(float(message.feedback.distance_remaining))

        goal_id = UUID(uuid=list(uuid4().bytes))
        self._live[bytes(goal_id.uuid)] = goal_id
        try:
            ended = await self._send(NavigateToPose.Goal(pose=goal), heard, stop, goal_id)
        except Exception:
            self._cancel_by_id(goal_id)  # whatever went wrong here, the robot must not drive on
            raise
        return Drive(*ended, reached[0] if reached else None)

    async def _send(
        self, goal: Any, heard: Callable[[Any], None], stop: Stop, goal_id: UUID
    ) -> tuple[Outcome, str]:
        assert self._client is not None
        sending = self._client.send_goal_async(goal, heard, goal_id)
        if not await self._node.within(self._config.server_timeout_s, sending):
            # Should it accept after all, nobody would wait for it: it must not drive.
            sending.add_done_callback(_cancel_late)
            return Outcome.NAV_UNAVAILABLE, "I cannot drive: navigation does not answer."
        handle = sending.result()
        if handle is None or not handle.accepted:
            self._live.pop(bytes(goal_id.uuid), None)
            return Outcome.NAV_REJECTED, "Navigation refused to drive there."
        return await self._await_end(handle, stop)

    def _let_go(self) -> None:
        """The node stops: so must the robot."""
        for goal_id in self._live.values():
            self._cancel_by_id(goal_id)

    def _cancel_by_id(self, goal_id: UUID) -> None:
        request = CancelGoal.Request()
        request.goal_info.goal_id = goal_id
        self._canceller.call_async(request)

    def _on_status(self, message: Any) -> None:
        active = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING)
        self._driving = {
            bytes(item.goal_info.goal_id.uuid)
            for item in message.status_list
            if item.status in active
        }

    async def _server_is_there(self, stop: Stop) -> bool:
        assert self._client is not None
        polls = max(1, round(self._config.server_timeout_s / POLL_S))
        for _ in range(polls):
            if stop.reason is not None:
                return False
            if self._client.server_is_ready():
                return True
            await self._node.within(POLL_S, stop.asked)
        return self._client.server_is_ready()

    async def _await_end(
        self, handle: ClientGoalHandle[Any, Any, Any], stop: Stop
    ) -> tuple[Outcome, str]:
        result = handle.get_result_async()
        key = bytes(handle.goal_id.uuid)
        result.add_done_callback(lambda _: self._live.pop(key, None))
        is_alive = await self._await_while_alive(result, stop.asked)
        if result.done():
            return self._of_result(result.result(), key)
        is_stopped = await self._cancel(handle, result)
        doubt = "" if is_stopped else " Navigation has not confirmed that the robot has stopped."
        if stop.reason is not None:
            return stop.reason, f"The drive was called off.{doubt}"
        if not is_alive:
            return Outcome.NAV_UNAVAILABLE, f"Navigation is gone in the middle of the drive.{doubt}"
        return Outcome.TIMEOUT, f"I gave up: the drive took too long.{doubt}"

    async def _await_while_alive(self, *ends: Future[Any]) -> bool:
        """Waits as long as a drive may take; False as soon as Nav2 has been gone for a while."""
        assert self._client is not None
        slice_s = self._config.server_timeout_s
        slices, missed = max(1, round(self._config.drive_timeout_s / slice_s)), 0
        for _ in range(slices):
            if await self._node.within(min(slice_s, self._config.drive_timeout_s), *ends):
                return True
            missed = 0 if self._client.server_is_ready() else missed + 1
            if missed == MISSED_SLICES:
                return False
        return True

    async def _cancel(self, handle: ClientGoalHandle[Any, Any, Any], result: Future[Any]) -> bool:
        """Asks until Nav2 has let go of the robot; False when it never says so."""
        for _ in range(CANCEL_TRIES):
            await self._node.within(self._config.server_timeout_s, handle.cancel_goal_async())
            if await self._node.within(self._config.server_timeout_s, result):
                return True
        self._node.get_logger().error("navigation did not confirm that it has stopped")
        return False

    def _of_result(self, answer: Any, key: bytes) -> tuple[Outcome, str]:
        """A goal that somebody else's has replaced ends ABORTED too, and must not be sent again."""
        is_replaced = bool(self._driving - {key} - set(self._live))
        if answer.status == GoalStatus.STATUS_ABORTED and is_replaced:
            return Outcome.SUPERSEDED, "Somebody else has sent the robot elsewhere."
        return _of_result(answer)


def _cancel_late(sending: Future[Any]) -> None:
    handle = sending.result()
    if handle is not None and handle.accepted:
        handle.cancel_goal_async()


def _of_result(answer: Any) -> tuple[Outcome, str]:
    """Humble's result is empty; later ones may carry a code and a text."""
    if answer.status == GoalStatus.STATUS_SUCCEEDED:
        return Outcome.ARRIVED, "I have arrived."
    if answer.status == GoalStatus.STATUS_CANCELED:
        return Outcome.CANCELED, "The drive was cancelled."
    code = getattr(answer.result, "error_code", 0)
    text = getattr(answer.result, "error_msg", "")
    details = ": ".join(part for part in (f"error {code}" if code else "", text) if part)
    return Outcome.NAV_ABORTED, f"Navigation gave up{f' ({details})' if details else ''}."
