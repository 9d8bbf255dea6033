"""A stand-in for Nav2 that never moves: it ends goals as a test tells it to, and counts."""

from __future__ import annotations

from typing import Any, cast

from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future


class Navigator(Node):
    """One behaviour a goal, the last one for all further: succeed, reject, abort, hang, or late
    (hangs, and accepts only when `accept_late` is called).

    As in Nav2, a newer goal ends an older one ABORTED, with an empty result.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("navigator", **{**options, "namespace": "/"})
        self.declare_parameter("memory_dir", "")
        self._behaviors: list[str] = list(
            self.declare_parameter("behaviors", ["succeed"]).value or []
        )
        self._refusals = int(self.declare_parameter("refused_cancels", 0).value or 0)
        self._endings: dict[bytes, Future[str]] = {}
        self.goals: list[Any] = []
        """The poses of all goals, refused ones included."""
        self.accepted = self.active = 0
        self._accepting: Future[None] = Future()
        self._server = ActionServer(
            self,
            NavigateToPose,
            "navigate_to_pose",
            self._execute,
            goal_callback=cast(Any, self._on_goal),  # rclpy awaits it
            cancel_callback=self._on_cancel,
            callback_group=ReentrantCallbackGroup(),
        )

    def destroy_node(self) -> None:
        self._server.destroy()
        super().destroy_node()

    def accept_late(self) -> None:
        self._accepting.set_result(None)

    def publish_status(self) -> None:
        """Tells of all goals, as Nav2 does whenever one of them changes."""
        self._server._handle.publish_status()

    async def _on_goal(self, goal: NavigateToPose.Goal) -> GoalResponse:
        self.goals.append(goal.pose)
        behavior = self._behavior(len(self.goals))
        if behavior == "reject":
            return GoalResponse.REJECT
        if behavior == "late":
            await self._accepting
        self.accepted += 1
        self.active += 1
        return GoalResponse.ACCEPT

    def _on_cancel(self, handle: Any) -> CancelResponse:
        if self._refusals > 0:
            self._refusals -= 1
            return CancelResponse.REJECT
        self._end(bytes(handle.goal_id.uuid), "cancel")
        return CancelResponse.ACCEPT

    def _end(self, key: bytes, why: str) -> None:
        ending = self._endings.get(key)
        if ending is not None and not ending.done():
            ending.set_result(why)

    async def _execute(self, handle: Any) -> NavigateToPose.Result:
        for key in list(self._endings):
            self._end(key, "preempt")
        behavior = self._behavior(len(self.goals))
        if behavior in ("hang", "late"):
            behavior = await self._ending_of(handle)
        if behavior == "cancel":
            handle.canceled()
        elif behavior == "succeed":
            handle.succeed()
        else:
            handle.abort()
        self.active -= 1
        return NavigateToPose.Result()

    async def _ending_of(self, handle: Any) -> str:
        if handle.is_cancel_requested:
            return "cancel"
        key = bytes(handle.goal_id.uuid)
        self._endings[key] = Future(executor=self.executor)
        why = await self._endings[key]
        del self._endings[key]
        return why or "preempt"

    def _behavior(self, number: int) -> str:
        return str(self._behaviors[min(number, len(self._behaviors)) - 1])
