"""A stand-in for Nav2 that never moves: it ends goals as a test tells it to, and counts."""

from __future__ import annotations

from typing import Any

from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future


class Navigator(Node):
    """One behaviour a goal, the last one for all further: succeed, reject, abort or hang."""

    def __init__(self, **options: Any) -> None:
        super().__init__("navigator", **{**options, "namespace": "/"})
        self.declare_parameter("memory_dir", "")
        self._behaviors: list[str] = list(
            self.declare_parameter("behaviors", ["succeed"]).value or []
        )
        self._cancelled: dict[bytes, Future[None]] = {}
        self.goals: list[Any] = []
        """The poses of all goals, refused ones included."""
        self.active = 0
        self._server = ActionServer(
            self,
            NavigateToPose,
            "navigate_to_pose",
            self._execute,
            goal_callback=self._on_goal,
            cancel_callback=self._on_cancel,
            callback_group=ReentrantCallbackGroup(),
        )

    def destroy_node(self) -> None:
        self._server.destroy()
        super().destroy_node()

    def _on_goal(self, goal: NavigateToPose.Goal) -> GoalResponse:
        self.goals.append(goal.pose)
        if self._behavior(len(self.goals)) == "reject":
            return GoalResponse.REJECT
        self.active += 1
        return GoalResponse.ACCEPT

    def _on_cancel(self, handle: Any) -> CancelResponse:
        asked = self._cancelled.get(bytes(handle.goal_id.uuid))
        if asked is not None:
            asked.set_result(None)
        return CancelResponse.ACCEPT

    async def _execute(self, handle: Any) -> NavigateToPose.Result:
        behavior = self._behavior(len(self.goals))
        if behavior == "hang":
            asked: Future[None] = Future(executor=self.executor)
            self._cancelled[bytes(handle.goal_id.uuid)] = asked
            await asked
            handle.canceled()
        elif behavior == "abort":
            handle.abort()
        else:
            handle.succeed()
        self.active -= 1
        return NavigateToPose.Result()

    def _behavior(self, number: int) -> str:
        return str(self._behaviors[min(number, len(self._behaviors)) - 1])
