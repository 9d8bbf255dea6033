"""Where the robot is while it drives."""

from __future__ import annotations

from memory_nodes.errors import TransformError
from memory_nodes.geometry import Pose
from memory_nodes.navigation.outcomes import Reached
from memory_nodes.records import NS_PER_S
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.pose_source import pose_source

STEP_NS = NS_PER_S // 10
WAIT_S, WAITS = 0.1, 10
"""For the transforms of a robot that has just stopped."""


class Whereabouts:
    """Listens to the transforms until it is closed.

    Args:
        lost_after_s: an older pose is not where the robot is; 0: the robot is never lost.
    """

    def __init__(self, node: MemoryNode, lost_after_s: float) -> None:
        self._node = node
        self._lost_after_ns = round(lost_after_s * NS_PER_S)
        self._source = pose_source(node)
        self._was_known = False
        self._newest_ns = 0

    def close(self) -> None:
        self._source.close()

    def now(self) -> Reached | None:
        """The newest pose that is not too old; None where there is none."""
        suite, now_ns = self._node.suite, self._node.now_ns()
        if now_ns < self._newest_ns:
            self._source.clear()  # time has jumped back: what was heard is of another time
        self._newest_ns = now_ns
        longest_ns = min(now_ns, max(self._lost_after_ns, STEP_NS))
        for age_ns in range(0, longest_ns + 1, STEP_NS):
            pose = self._at(now_ns - age_ns)
            if pose is not None:
                self._was_known = True
                return Reached(pose, now_ns - age_ns, suite.map_frame)
        return None

    async def at_rest(self) -> Reached | None:
        """The pose at a stamp from now on, for which it waits a moment; else the newest one."""
        since_ns, found = self._node.now_ns(), self.now()
        for _ in range(WAITS):
            if found is None or found.stamp_ns >= since_ns:
                break
            await self._node.within(WAIT_S)
            found = self.now()
        return found

    @property
    def is_lost(self) -> bool:
        """Whether the robot was on the map since this began, and is not any more."""
        if self._lost_after_ns == 0:
            return False
        return self.now() is None and self._was_known

    def _at(self, stamp_ns: int) -> Pose | None:
        suite = self._node.suite
        try:
            return self._source.lookup(suite.map_frame, suite.base_frame, stamp_ns)
        except TransformError:
            return None
