"""Drives by Nav2's NavigateToPose, with one ending for each thing that can happen."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from action_msgs.msg import GoalStatus
from geometry_msgs.msg import PoseStamped
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from memory_nodes.navigation.driving import DrivingConfig
from memory_nodes.navigation.outcomes import Cause, Ending, Reached
from memory_nodes.ros.conversions import pose_from_msg, time_from_msg
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.nav2 import shapes
from memory_nodes.ros.nav2.activity import Activity
from memory_nodes.ros.nav2.stop import Stop
from memory_nodes.ros.nav2.underway import Underway
from memory_nodes.ros.whereabouts import Whereabouts

POLL_S = 0.1
WATCH_S = 0.5
CANCEL_TRIES = 3
MISSED_WAITS = 2
"""Of the time that a server is waited for: then it is gone."""


class Nav2Client:
    """Sends one goal at a time. The status decides; texts of the result are only passed on.

    To be made while its node starts.
    """

    def __init__(self, node: MemoryNode, config: DrivingConfig) -> None:
        self._node = node
        self._config = config
        self._kind = shapes.navigate_type()
        self._client: ActionClient[Any, Any, Any] | None = None
        self._is_heard = False
        """Whether Nav2 has lately told how the drive goes on."""
        self._last: Future[None] | None = None
        """Done when the newest drive has ended."""
        if self._kind is None:
            node.get_logger().warning(
                "nav2_msgs is not installed, so goals will be refused: install nav2_msgs of your "
                "ROS distribution"
            )
            return
        client: ActionClient[Any, Any, Any] = ActionClient(
            node, self._kind, config.navigate_action, callback_group=node.side_by_side
        )
        self._client = client
        node.on_stop(client.destroy)
        self._activity = Activity(node, config.navigator_node, config.server_timeout_s)
        self._underway = Underway(node, config.navigate_action)

    @property
    def state(self) -> str:
        """For a person: what may be expected of Nav2 now."""
        if self._client is None:
            return "not installed"
        if not self._client.server_is_ready():
            return "not running"
        return "driving" if self._underway.is_any else "ready"

    async def drive(
        self,
        goal: PoseStamped,
        stop: Stop,
        whereabouts: Whereabouts,
        feedback: Callable[[float], None],
    ) -> Ending:
        """Drives to a pose; ends when Nav2 says so, when told to stop, or when it takes too long.

        A drive begins when the one before has ended: of two goals on their way at once, Nav2
        might take the older for the newer.

        Args:
            feedback: takes the distance that remains, metres.
        """
        before, mine = self._last, Future[None](executor=self._node.executor)
        self._last = mine
        try:
            if before is not None and not before.done():
                await self._node.within(self._longest_stop_s, before, stop.asked)
            return await self._drive(goal, stop, whereabouts, feedback)
        finally:
            if before is None or before.done():
                mine.set_result(None)
            else:
                before.add_done_callback(lambda _: mine.set_result(None))

    async def stop_all(self) -> bool | None:
        """Cancels every goal of the action, whoever sent it.

        False where Nav2 does not confirm it, None where there is no Nav2.
        """
        if self._client is None or not self._underway.can_cancel:
            return None
        cancelling = self._underway.cancel_all()
        if not await self._node.within(self._config.server_timeout_s, cancelling):
            self._underway.forget(cancelling)
            return False
        # The answer does not tell of a goal that refused: only the status does, a moment later.
        for _ in range(self._polls):
            await self._node.within(POLL_S)
            if not self._underway.driving:
                return True
        return False

    @property
    def _polls(self) -> int:
        """As many as fit into the time that a server is waited for."""
        return max(1, round(self._config.server_timeout_s / POLL_S))

    @property
    def _longest_stop_s(self) -> float:
        """Until a drive that was told to stop has ended, at the latest."""
        return 2.0 * (1 + CANCEL_TRIES) * self._config.server_timeout_s

    async def _drive(
        self,
        goal: PoseStamped,
        stop: Stop,
        whereabouts: Whereabouts,
        feedback: Callable[[float], None],
    ) -> Ending:
        is_there = self._client is not None and await self._server_is_there(stop)
        if stop.reason is not None:
            return stop.ending()
        if not is_there:
            return Ending.of(Cause.SERVER_ABSENT)
        reached: list[Reached] = []

        def heard(message: Any) -> None:
            stamped = message.feedback.current_pose
            stamp_ns, frame = time_from_msg(stamped.header.stamp), stamped.header.frame_id
            self._is_heard = True
            reached[:] = [Reached(pose_from_msg(stamped.pose), stamp_ns, frame)]
            feedback(float(message.feedback.distance_remaining))

        goal_id = UUID(uuid=list(uuid4().bytes))
        self._underway.begin(goal_id)
        assert self._kind is not None
        try:
            ending = await self._send(self._kind.Goal(pose=goal), heard, stop, whereabouts, goal_id)
        except Exception:
            self._underway.give_up(goal_id)  # whatever went wrong here, the robot must not drive on
            raise
        has_arrived = ending.cause is Cause.ARRIVED
        now = await whereabouts.at_rest() if has_arrived else whereabouts.now()
        if has_arrived and now is not None:
            off_m = now.map_from_base.on_floor().distance_m(pose_from_msg(goal.pose))
            if off_m > self._config.arrived_within_m:
                ending = Ending.of(Cause.STOPPED_SHORT, f"{off_m:.1f}")
        last = now if now is not None else next(iter(reached), None)
        return Ending(ending.cause, ending.message, last)

    async def _send(
        self,
        goal: Any,
        heard: Callable[[Any], None],
        stop: Stop,
        whereabouts: Whereabouts,
        goal_id: UUID,
    ) -> Ending:
        assert self._client is not None
        sending = self._client.send_goal_async(goal, heard, goal_id)
        await self._node.within(self._config.server_timeout_s, sending, stop.asked)
        if not sending.done() and stop.reason is not None:
            self._underway.cancel(goal_id)
            await self._node.within(self._config.server_timeout_s, sending)
        if not sending.done():
            # Should it have accepted, or do so after all, nobody would wait: it must not drive.
            self._underway.give_up(goal_id)
            sending.add_done_callback(_cancel_late)
            return stop.ending() if stop.reason is not None else Ending.of(Cause.UNANSWERED)
        handle = sending.result()
        if handle is None or not handle.accepted:
            self._underway.end(goal_id)
            if stop.reason is not None:
                return stop.ending()
            is_inactive = await self._activity.is_inactive()
            return Ending.of(Cause.INACTIVE if is_inactive else Cause.REJECTED)
        return await self._await_end(handle, stop, whereabouts)

    async def _server_is_there(self, stop: Stop) -> bool:
        assert self._client is not None
        for _ in range(self._polls):
            if stop.reason is not None:
                return False
            if self._client.server_is_ready():
                return True
            await self._node.within(POLL_S, stop.asked)
        return self._client.server_is_ready()

    async def _await_end(
        self, handle: ClientGoalHandle[Any, Any, Any], stop: Stop, whereabouts: Whereabouts
    ) -> Ending:
        result = Future[Any](executor=self._node.executor)

        def ended(answer: Future[Any]) -> None:
            if not result.done():
                result.set_result(answer.result())

        def ask() -> None:
            handle.get_result_async().add_done_callback(ended)

        ask()
        cause = await self._watch(whereabouts, ask, result, stop.asked)
        if result.done():
            ending = await self._of_result(result.result())
            self._underway.end(handle.goal_id)
            return ending
        is_stopped = await self._cancel(handle, result)
        ending = stop.ending() if stop.reason is not None else Ending.of(cause)
        if is_stopped:
            self._underway.end(handle.goal_id)
            return ending
        self._underway.give_up(handle.goal_id)
        doubt = " Navigation has not confirmed that the robot has stopped."
        return Ending(ending.cause, ending.message + doubt)

    async def _watch(
        self, whereabouts: Whereabouts, ask: Callable[[], None], *ends: Future[Any]
    ) -> Cause:
        """Waits as long as a drive may take, and while Nav2 and the robot's pose are there.

        Args:
            ask: for the result, again when Nav2 is silent: it may have been started anew meanwhile,
                and then does not know of the goal.
        """
        assert self._client is not None
        limit_s = self._config.drive_timeout_s
        slice_s = min(WATCH_S, self._config.server_timeout_s, limit_s)
        missed_s = silent_s = 0.0
        for _ in range(math.ceil(limit_s / slice_s)):
            if await self._node.within(slice_s, *ends):
                break
            missed_s = 0.0 if self._client.server_is_ready() else missed_s + slice_s
            if missed_s >= MISSED_WAITS * self._config.server_timeout_s:
                return Cause.GONE
            if whereabouts.is_lost:
                return Cause.TF_LOST
            silent_s = 0.0 if self._is_heard else silent_s + slice_s
            self._is_heard = False
            if silent_s >= self._config.server_timeout_s:
                silent_s = 0.0
                ask()
        return Cause.SILENT

    async def _cancel(self, handle: ClientGoalHandle[Any, Any, Any], result: Future[Any]) -> bool:
        """Asks until Nav2 has let go of the robot; False when it never says so."""
        for _ in range(CANCEL_TRIES):
            await self._node.within(self._config.server_timeout_s, handle.cancel_goal_async())
            if await self._node.within(self._config.server_timeout_s, result):
                return True
        self._node.get_logger().error("navigation did not confirm that it has stopped")
        return False

    async def _of_result(self, answer: Any) -> Ending:
        """A goal that somebody else's has replaced ends ABORTED too, and must not be sent again."""
        if answer.status == GoalStatus.STATUS_SUCCEEDED:
            return Ending.of(Cause.ARRIVED)
        if answer.status == GoalStatus.STATUS_CANCELED:
            return Ending.of(Cause.CANCELED)
        if answer.status == GoalStatus.STATUS_UNKNOWN:
            return Ending.of(Cause.GONE)  # Nav2 was started anew, and knows nothing of the goal
        if not self._underway.is_anothers:
            await self._node.within(POLL_S)  # word of the other goal may come after the result
        if self._underway.is_anothers:
            return Ending.of(Cause.TAKEN_OVER)
        return shapes.ending_of_abort(answer.result)


def _cancel_late(sending: Future[Any]) -> None:
    handle = sending.result()
    if handle is not None and handle.accepted:
        handle.cancel_goal_async()
