"""The goals that actions work on, from their status topics."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial

from action_msgs.msg import GoalStatusArray
from rclpy.qos import qos_profile_action_status_default

from memory_nodes.episodic.goals import GoalChange, GoalWatch
from memory_nodes.geometry import Pose
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.places import Places

LOOK_PERIOD_S = 1.0
"""Between two looks for who publishes."""


class GoalListener:
    """Tells when goals begin, and when and where they end. To be made while its node starts.

    Args:
        silence_s: of wall time, after which the goals of a server that is gone are lost.
        begins: takes the name of the action, the id of the goal and a stamp.
        ends: takes the id, the outcome, the stamp and the pose at it, None where it is not known.
    """

    def __init__(
        self,
        node: MemoryNode,
        places: Places,
        actions: Iterable[str],
        silence_s: float,
        begins: Callable[[str, str, int], None],
        ends: Callable[[str, str, int, Pose | None], None],
    ) -> None:
        self._node = node
        self._begins = begins
        self._ends = ends
        self._enter: Callable[[GoalChange, int], None] = places.placing_all(self._on_placed)
        for action in actions:
            watch, topic = GoalWatch(silence_s), f"{action}/_action/status"
            node.listen(
                GoalStatusArray,
                topic,
                partial(self._on_status, action.rpartition("/")[2], watch, topic),
                qos_profile_action_status_default,
            )
            node.every(LOOK_PERIOD_S, partial(self._look, watch, topic))

    def _on_status(
        self, action: str, watch: GoalWatch, topic: str, message: GoalStatusArray
    ) -> None:
        stamp_ns = self._node.now_ns()  # the message itself has none
        for change in watch.changes(message.status_list, self._servers(topic)):
            if change.outcome:
                self._enter(change, stamp_ns)
            else:
                self._begins(action, change.goal_id, stamp_ns)

    def _look(self, watch: GoalWatch, topic: str) -> None:
        for change in watch.gone(self._servers(topic), time.monotonic()):
            self._enter(change, self._node.now_ns())

    def _servers(self, topic: str) -> frozenset[bytes]:
        publishers = self._node.get_publishers_info_by_topic(self._node.resolve_topic_name(topic))
        return frozenset(bytes(item.endpoint_gid) for item in publishers)

    def _on_placed(self, change: GoalChange, stamp_ns: int, where: Pose | None) -> None:
        if where is None:
            self._node.counters["dropped_goal_outcome_without_pose"] += 1
        self._ends(change.goal_id, change.outcome, stamp_ns, where)
