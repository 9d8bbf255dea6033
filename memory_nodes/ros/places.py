"""What happens somewhere waits for the pose of its stamp."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from memory_nodes.errors import TransformError, TransformTooOld
from memory_nodes.geometry import Pose
from memory_nodes.perception.waiting import WaitingRoom
from memory_nodes.ros.active_node import wake
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.pose_source import pose_source

Item = TypeVar("Item")

SETTLE_PERIOD_S = 0.2
MAX_WAITING = 100


@dataclass(frozen=True)
class _Stamped:
    item: Any
    stamp_ns: int


class Places:
    """Where the robot is and was. To be made while its node starts.

    Args:
        timeout_s: wall time that something waits for its pose.
    """

    def __init__(self, node: MemoryNode, timeout_s: float) -> None:
        self._node = node
        self._timeout_s = timeout_s
        self._rooms: list[tuple[WaitingRoom[_Stamped, Any], Callable[[Any], None]]] = []
        self._source = pose_source(node)
        node.on_stop(self._source.close)
        node.on_jump_back(self._jumped_back)
        self._settling = node.on_demand(SETTLE_PERIOD_S, self._settle)

    def at(self, stamp_ns: int) -> Pose:
        """``map_from_base`` at a stamp. Raises TransformError where it is not known."""
        suite = self._node.suite
        return self._source.lookup(suite.map_frame, suite.base_frame, stamp_ns)

    def placing(self, deliver: Callable[[Item, int, Pose], None]) -> Callable[[Item, int], None]:
        """A way in for items with a stamp, which are delivered in order with their pose.

        What gets none in time is dropped and counted.
        """

        def gather(waiting: _Stamped, is_last_call: bool) -> tuple[_Stamped, Pose]:
            return waiting, self.at(waiting.stamp_ns)

        return self._room(gather, lambda found: deliver(found[0].item, found[0].stamp_ns, found[1]))

    def placing_all(
        self, deliver: Callable[[Item, int, Pose | None], None]
    ) -> Callable[[Item, int], None]:
        """As ``placing``, and what gets no pose in time is delivered without one."""

        def gather(waiting: _Stamped, is_last_call: bool) -> tuple[_Stamped, Pose | None]:
            try:
                return waiting, self.at(waiting.stamp_ns)
            except TransformError as error:
                if is_last_call or isinstance(error, TransformTooOld):
                    return waiting, None
                raise

        return self._room(gather, lambda found: deliver(found[0].item, found[0].stamp_ns, found[1]))

    def _room(
        self, gather: Callable[[_Stamped, bool], Any], deliver: Callable[[Any], None]
    ) -> Callable[[Item, int], None]:
        room = WaitingRoom(gather, self._timeout_s, MAX_WAITING, self._node.counters)
        self._rooms.append((room, deliver))

        def enter(item: Item, stamp_ns: int) -> None:
            room.enter(_Stamped(item, stamp_ns), time.monotonic())
            wake(self._settling)

        return enter

    def _settle(self) -> bool:
        for room, deliver in self._rooms:
            for found in room.leave(time.monotonic()):
                deliver(found)
        return any(len(room) > 0 for room, _ in self._rooms)

    def _jumped_back(self) -> None:
        self._source.clear()
        for room, _ in self._rooms:
            room.clear()
