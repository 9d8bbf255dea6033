"""The goals that actions work on, from their status topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from action_msgs.msg import GoalStatusArray
from rclpy.qos import qos_profile_action_status_default

from memory_nodes.episodic.goals import GoalChange, GoalWatch
from memory_nodes.geometry import Pose
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.places import Places


class GoalListener:
    """Tells when goals begin, and when and where they end. To be made while its node starts.

    Args:
        begins: takes the name of the action, the id of the goal and a stamp.
        ends: takes the id, the outcome, the stamp and the pose at it, None where it is not known.
    """

    def __init__(
        self,
        node: MemoryNode,
        places: Places,
        actions: Iterable[str],
        begins: Callable[[str, str, int], None],
        ends: Callable[[str, str, int, Pose | None], None],
    ) -> None:
        self._node = node
        self._begins = begins
        self._ends = ends
        self._enter: Callable[[GoalChange, int], None] = places.placing_all(self._on_placed)
        for action in actions:
            node.listen(
                GoalStatusArray,
                f"{action}/_action/status",
                partial(self._on_status, action.rpartition("/")[2], GoalWatch()),
                qos_profile_action_status_default,
            )

    def _on_status(self, action: str, watch: GoalWatch, message: GoalStatusArray) -> None:
        stamp_ns = self._node.now_ns()  # the message itself has none
        for change in watch.changes(message.status_list):
            if change.outcome:
                self._enter(change, stamp_ns)
            else:
                self._begins(action, change.goal_id, stamp_ns)

    def _on_placed(self, change: GoalChange, stamp_ns: int, where: Pose | None) -> None:
        if where is None:
            self._node.counters["dropped_goal_outcome_without_pose"] += 1
        self._ends(change.goal_id, change.outcome, stamp_ns, where)
