"""A stand-in for Nav2's costmap and planner: it knows a floor plan, and plans by breadth first.

Its modes: answer, silent (never answers), and for the planner refuse (as one that is not active).
"""

from __future__ import annotations

from typing import Any

from nav2_msgs.action import ComputePathToPose
from nav2_msgs.srv import GetCosts
from nav_msgs.msg import Path
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from memory_nodes.geometry import Pose
from memory_nodes.ros.conversions import pose_from_msg, pose_stamped
from memory_test_support.floor_plan import FloorPlan


class CostmapServer(Node):
    """The robot stands where it is told."""

    def __init__(self, floor: FloorPlan, robot: Pose, mode: str = "answer", **options: Any) -> None:
        super().__init__("costmap_server", **{**options, "namespace": "/"})
        self._floor, self._robot, self._mode = floor, robot, mode
        self._silence: Future[None] = Future()
        self.asked = self.planning = 0
        group = ReentrantCallbackGroup()
        self.create_service(
            GetCosts,
            "global_costmap/get_cost_global_costmap",
            self._on_costs,
            callback_group=group,
        )
        self._planner = ActionServer(
            self,
            ComputePathToPose,
            "compute_path_to_pose",
            self._plan,
            goal_callback=self._on_goal,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
            callback_group=group,
        )

    def destroy_node(self) -> None:
        self._planner.destroy()
        super().destroy_node()

    async def _on_costs(self, request: Any, response: Any) -> Any:
        self.asked += 1
        if self._mode == "silent":
            await self._silence
        places = [(item.pose.position.x, item.pose.position.y) for item in request.poses]
        response.costs = [self._floor.cost(*place) for place in places]
        response.success = all(self._floor.bounds.distance_m(*place) == 0.0 for place in places)
        return response

    def _on_goal(self, _: Any) -> GoalResponse:
        return GoalResponse.REJECT if self._mode == "refuse" else GoalResponse.ACCEPT

    async def _plan(self, handle: Any) -> Any:
        self.planning += 1
        if self._mode == "silent":
            await self._silence
        result = ComputePathToPose.Result()
        path = self._floor.path(self._robot, pose_from_msg(handle.request.goal.pose))
        result.path = Path(poses=[pose_stamped(pose, 0, "map") for pose in path])
        if path:
            handle.succeed()
        else:
            result.error_code = ComputePathToPose.Result.NO_VALID_PATH
            handle.abort()
        self.planning -= 1
        return result
