"""What Nav2 says of a pose before anything drives there."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient
from rclpy.client import Client

from memory_nodes.geometry import Pose
from memory_nodes.navigation.preflight import (
    NO_ANSWER,
    UNKNOWN_COST,
    NoAnswer,
    PreflightConfig,
)
from memory_nodes.ros.conversions import pose_stamped
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.nav2 import shapes


class Nav2Planner:
    """Costs and paths, where the servers are there. To be made while its node starts."""

    def __init__(self, node: MemoryNode, config: PreflightConfig) -> None:
        self._node = node
        self._timeout_s = config.preflight_timeout_s
        self._costs: Client[Any, Any] | None = None
        self._plans: ActionClient[Any, Any, Any] | None = None
        if not config.preflight:
            return
        self._cost_type, self._plan_type = shapes.cost_type(), shapes.plan_type()
        if self._cost_type is not None:
            costs: Client[Any, Any] = node.create_client(
                self._cost_type, config.cost_service, callback_group=node.side_by_side
            )
            self._costs = costs
            node.on_stop(lambda: node.destroy_client(costs))
        if self._plan_type is not None:
            self._plans = ActionClient(
                node, self._plan_type, config.plan_action, callback_group=node.side_by_side
            )
            node.on_stop(self._plans.destroy)

    @property
    def is_ready(self) -> bool:
        """Whether both servers are there."""
        has_costs = self._costs is not None and self._costs.service_is_ready()
        return has_costs and self._plans is not None and self._plans.server_is_ready()

    async def costs(self, poses: Sequence[Pose]) -> Sequence[float] | NoAnswer:
        if self._costs is None or not self._costs.service_is_ready():
            return NO_ANSWER
        found: list[float] = []
        until_s = time.monotonic() + self._timeout_s
        # One after the other: a server keeps few requests, and drops the others of a burst.
        for request in shapes.cost_requests(self._cost_type, [self._stamped(p) for p in poses]):
            asking = self._costs.call_async(request)
            if not await self._node.within(max(0.0, until_s - time.monotonic()), asking):
                self._costs.remove_pending_request(asking)
                break
            found += shapes.costs_of(asking.result())
        # Of what was not told in time nothing is known; the poses that matter most come first.
        return [*found, *[UNKNOWN_COST] * (len(poses) - len(found))] if found else NO_ANSWER

    async def path(self, goal: Pose) -> Sequence[Pose] | NoAnswer:
        if self._plans is None or not self._plans.server_is_ready():
            return NO_ANSWER
        request = shapes.plan_goal(self._plan_type, self._stamped(goal))
        sending = self._plans.send_goal_async(request)
        if not await self._node.within(self._timeout_s, sending):
            return NO_ANSWER
        handle = sending.result()
        if handle is None or not handle.accepted:
            return NO_ANSWER  # a planner that is not active says nothing of the place
        ending = handle.get_result_async()
        if not await self._node.within(self._timeout_s, ending):
            handle.cancel_goal_async()
            return NO_ANSWER
        answer: Any = ending.result()
        if answer.status == GoalStatus.STATUS_SUCCEEDED:
            return shapes.path_of(answer.result)
        is_aborted = answer.status == GoalStatus.STATUS_ABORTED
        return [] if is_aborted and shapes.is_without_path(answer.result) else NO_ANSWER

    def _stamped(self, pose: Pose) -> Any:
        return pose_stamped(pose, self._node.now_ns(), self._node.suite.map_frame)
