"""The demo as a user of the suite: it waits, asks, and sends a goal, all through ROS."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from rclpy.action import ActionClient
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from robot_memory.action import NavigateToMemory
from robot_memory.msg import StoreUpdate
from robot_memory.srv import QueryMemory
from visualization_msgs.msg import Marker, MarkerArray

from memory_nodes.ros import endpoints
from memory_test_support.drive import FloorPose
from memory_test_support.ros_messages import LATCHED, floor_pose_of

NAMESPACE = "memory"
START_TIMEOUT_S = 60.0
ANSWER_TIMEOUT_S = 60.0
DRIVE_TIMEOUT_S = 120.0


class User:
    """A node that talks to the suite; `watch` is called while it waits, and may raise."""

    def __init__(self, context: Context, watch: Callable[[], None]) -> None:
        self._watch = watch
        self._node = Node("demo", namespace=NAMESPACE, context=context)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self._node)
        self.stored = StoreUpdate()
        self.base_pose: FloorPose | None = None
        self.distance_left_m = 0.0
        self.candidate = 1
        self.scene: list[Marker] = []
        self._is_with_goal = False
        self.trail = Path()
        self._node.create_subscription(
            StoreUpdate, endpoints.STORE_UPDATES, self._on_stored, endpoints.LATCHED
        )
        self._node.create_subscription(
            PoseStamped, "/simulated_base/pose", self._on_base_pose, LATCHED
        )
        self._node.create_subscription(
            MarkerArray, endpoints.MARKERS, self._on_markers, endpoints.LATCHED
        )
        self._node.create_subscription(Path, endpoints.TRAIL, self._on_trail, endpoints.LATCHED)
        self._query: Any = self._node.create_client(QueryMemory, endpoints.QUERY)
        self._goals: ActionClient[Any, Any, Any] = ActionClient(
            self._node, NavigateToMemory, endpoints.NAVIGATE_TO_MEMORY
        )

    def close(self) -> None:
        self._goals.destroy()
        self._node.destroy_node()
        self._executor.shutdown()

    def until(
        self,
        condition: Callable[[], bool],
        what: str,
        timeout_s: float,
        progress: Callable[[], object] = lambda: None,
    ) -> None:
        """Serves callbacks until the condition holds; a change of `progress` gives new time.

        Raises TimeoutError that says what was waited for.
        """
        seen, deadline_s = progress(), time.monotonic() + timeout_s
        while not condition():
            self._watch()
            if (now := progress()) != seen:
                seen, deadline_s = now, time.monotonic() + timeout_s
            if time.monotonic() > deadline_s:
                raise TimeoutError(f"waited {timeout_s:g} s in vain for {what}")
            self._executor.spin_once(timeout_sec=0.05)

    def await_suite(self) -> None:
        """The suite and the base can be talked to."""
        self.until(self._query.service_is_ready, "the query service", START_TIMEOUT_S)
        self.until(self._goals.server_is_ready, "the goal node", START_TIMEOUT_S)
        self.until(
            lambda: self._node.count_publishers("/simulated_base/pose") > 0,
            "the simulated base",
            START_TIMEOUT_S,
        )

    def ask(self, question: str) -> Any:
        """The MemoryAnswer. Raises RuntimeError when the service refuses the question."""
        response = self._done(
            self._query.call_async(QueryMemory.Request(question=question)),
            f"the answer to {question!r}",
            ANSWER_TIMEOUT_S,
        )
        if not response.success:
            raise RuntimeError(f"{question!r} was refused: {response.message}")
        return response.answer

    def drive(self, query: str) -> Any:
        """The result of NavigateToMemory. Raises RuntimeError when the goal is refused."""
        sending = self._goals.send_goal_async(
            NavigateToMemory.Goal(query=query), feedback_callback=self._on_feedback
        )
        handle = self._done(sending, "the goal to be accepted", ANSWER_TIMEOUT_S)
        if not handle.accepted:
            raise RuntimeError(f"the goal node refused {query!r}")
        return self._done(handle.get_result_async(), "arrival", DRIVE_TIMEOUT_S).result

    def _done(self, future: Any, what: str, timeout_s: float) -> Any:
        self.until(future.done, what, timeout_s, lambda: self.distance_left_m)
        return future.result()

    def _on_stored(self, update: StoreUpdate) -> None:
        self.stored = update

    def _on_markers(self, message: MarkerArray) -> None:
        """Each is the whole scene; the one worth a picture also shows where the robot drives."""
        drawn = [marker for marker in message.markers if marker.action == Marker.ADD]
        is_with_goal = any(marker.ns == "goal" for marker in drawn)
        if is_with_goal or not self._is_with_goal:
            self.scene, self._is_with_goal = drawn, is_with_goal

    def _on_trail(self, message: Path) -> None:
        self.trail = message

    def _on_base_pose(self, message: PoseStamped) -> None:
        self.base_pose = floor_pose_of(message.pose)

    def _on_feedback(self, message: Any) -> None:
        self.distance_left_m = message.feedback.distance_remaining_m
        self.candidate = message.feedback.candidate or 1
