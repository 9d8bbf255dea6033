"""What is to be driven to, from words, an object or a keyframe."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rclpy.client import Client
from rclpy.task import Future
from robot_memory.action import NavigateToMemory
from robot_memory.msg import MemoryAnswer
from robot_memory.srv import QueryMemory

from memory_nodes.errors import StoreMissing
from memory_nodes.navigation.candidates import Sight, target_of
from memory_nodes.navigation.outcomes import Cause, Ending
from memory_nodes.records import Keyframe
from memory_nodes.retrieval.ranking import best_views
from memory_nodes.retrieval.snapshot import Snapshot, SnapshotCache
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import keyframe_from_msg
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.nav2.stop import Stop

POLL_S = 0.1
MAX_SIGHTS = 50


@dataclass(frozen=True)
class Recalled:
    """What the memory holds of it, best first, and the query node's answer, if it was asked."""

    sights: tuple[Sight, ...] = ()
    answer: MemoryAnswer | None = None


class Recaller:
    """Asks the memory itself, and for words the query node. To be made while its node starts."""

    def __init__(self, node: MemoryNode, snapshots: SnapshotCache, timeout_s: float) -> None:
        self._node = node
        self._snapshots = snapshots
        self._timeout_s = timeout_s
        self._query: Client[Any, Any] = node.create_client(
            QueryMemory, endpoints.QUERY, callback_group=node.side_by_side
        )
        node.on_stop(lambda: node.destroy_client(self._query))

    async def recall(
        self, goal: NavigateToMemory.Goal, map_id: str, stop: Stop
    ) -> Recalled | Ending:
        """What the goal means; an Ending where that cannot be told."""
        answer = await self._ask(goal.query, map_id, stop) if goal.query else None
        if isinstance(answer, Ending):
            return answer
        snapshot = await self._snapshot()
        if answer is not None:
            return Recalled(tuple(_sights_of_answer(answer, snapshot, map_id)), answer)
        if goal.keyframe_id:
            keyframe = snapshot.keyframes.get(goal.keyframe_id)
            return Recalled((Sight(keyframe),) if keyframe is not None else ())
        known = snapshot.objects_by_id.get(goal.object_id)
        if known is None:
            return Recalled()
        target = target_of(known, snapshot.keyframes, map_id)
        keyframes = [hit.keyframe for hit in best_views(known, snapshot)]
        here_first = sorted(keyframes, key=lambda item: item.map_id != map_id)
        return Recalled(tuple(Sight(item, target) for item in here_first[:MAX_SIGHTS]))

    async def _snapshot(self) -> Snapshot:
        try:
            return await self._node.result_of(self._node.background.run(self._snapshots.current))
        except StoreMissing:
            return Snapshot((), (), {})

    async def _ask(self, question: str, map_id: str, stop: Stop) -> MemoryAnswer | Ending:
        """Asks for this map first; what only another map holds is found too, and then refused."""
        here = await self._answer(question, map_id, stop)
        if isinstance(here, Ending) or (here.found and here.keyframes):
            return here
        return await self._answer(question, "", stop)

    async def _answer(self, question: str, map_id: str, stop: Stop) -> MemoryAnswer | Ending:
        """By the query node, which may just be starting."""
        polls = round(self._timeout_s / POLL_S)
        while not self._query.service_is_ready() and polls > 0 and stop.reason is None:
            await self._node.within(POLL_S, stop.asked)
            polls -= 1
        asking: Future[Any] = self._query.call_async(
            QueryMemory.Request(question=question, map_id=map_id)
        )
        if polls > 0:
            await self._node.within(self._timeout_s, asking, stop.asked)
        if not asking.done():
            self._query.remove_pending_request(asking)
            return stop.ending() if stop.reason is not None else Ending.of(Cause.MEMORY_SILENT)
        response: Any = asking.result()
        if not response.success:
            return Ending.of(Cause.NOT_REMEMBERED, response.message)
        answer: MemoryAnswer = response.answer
        return answer


def _sights_of_answer(answer: MemoryAnswer, snapshot: Snapshot, map_id: str) -> Iterable[Sight]:
    """Each keyframe with the best object for which it was chosen."""
    if not answer.found:
        return
    for hit in answer.keyframes[:MAX_SIGHTS]:
        keyframe: Keyframe = keyframe_from_msg(hit.keyframe)
        known = (snapshot.objects_by_id.get(object_id) for object_id in hit.object_ids)
        shown = next((item for item in known if item is not None), None)
        target = target_of(shown, snapshot.keyframes, map_id) if shown is not None else None
        yield Sight(keyframe, target)
