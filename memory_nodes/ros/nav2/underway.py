"""Goals that Nav2 works on, as its status tells, and how they are called off."""

from __future__ import annotations

from typing import Any

from action_msgs.msg import GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from rclpy.client import Client
from rclpy.qos import qos_profile_action_status_default
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from memory_nodes.ros.memory_node import MemoryNode

_ACTIVE = (GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING)
_OVER = (GoalStatus.STATUS_SUCCEEDED, GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED)


class Underway:
    """Knows goals by their ids: one can be called off before its acceptance has been heard of.

    To be made while its node starts.
    """

    def __init__(self, node: MemoryNode, action: str) -> None:
        self.driving: frozenset[bytes] = frozenset()
        """What Nav2 says that it is driving to, whoever sent it."""
        self._own: dict[bytes, UUID] = {}
        self._given_up: set[bytes] = set()
        self._is_over = False
        self._canceller: Client[Any, Any] = node.create_client(
            CancelGoal, f"{action}/_action/cancel_goal", callback_group=node.side_by_side
        )
        node.on_stop(lambda: node.destroy_client(self._canceller))
        node.listen(
            GoalStatusArray,
            f"{action}/_action/status",
            self._on_status,
            qos_profile_action_status_default,
        )
        node.on_stop(self._let_go)

    @property
    def is_any(self) -> bool:
        """Whether something drives, as far as is known."""
        return bool(self._own.keys() - self._given_up or self.driving)

    @property
    def is_anothers(self) -> bool:
        """Whether Nav2 drives to a goal that nobody here has sent."""
        return bool(self.driving - self._own.keys())

    @property
    def can_cancel(self) -> bool:
        """Whether there is somebody who takes goals back."""
        return self._canceller.service_is_ready()

    def begin(self, goal_id: UUID) -> None:
        """A goal is about to be sent."""
        self._own[bytes(goal_id.uuid)] = goal_id

    def end(self, goal_id: UUID) -> None:
        """A goal is known to have ended."""
        self._end(bytes(goal_id.uuid))

    def give_up(self, goal_id: UUID) -> None:
        """Calls a goal off that nobody waits for any more, again whenever it turns out to live.

        Its acceptance may have been lost on the way, or Nav2 be out of reach.
        """
        self._given_up.add(bytes(goal_id.uuid))
        self.cancel(goal_id)

    def cancel(self, goal_id: UUID) -> None:
        """Does not wait for what comes of it."""
        if self._is_over:
            return
        request = CancelGoal.Request()
        request.goal_info.goal_id = goal_id
        self._canceller.call_async(request)

    def cancel_all(self) -> Future[Any]:
        """Calls off every goal, whoever sent it."""
        return self._canceller.call_async(CancelGoal.Request())  # id and stamp 0: all

    def forget(self, cancelling: Future[Any]) -> None:
        """An answer to ``cancel_all`` is not waited for any more."""
        self._canceller.remove_pending_request(cancelling)

    def _on_status(self, message: GoalStatusArray) -> None:
        status = {bytes(item.goal_info.goal_id.uuid): item.status for item in message.status_list}
        self.driving = frozenset(key for key, now in status.items() if now in _ACTIVE)
        for key in self._given_up & self.driving:
            self.cancel(self._own[key])
        for key in self._given_up & {key for key, now in status.items() if now in _OVER}:
            self._end(key)

    def _end(self, key: bytes) -> None:
        self._own.pop(key, None)
        self._given_up.discard(key)

    def _let_go(self) -> None:
        """The node stops: so must the robot."""
        for goal_id in self._own.values():
            self.cancel(goal_id)
        self._is_over = True
