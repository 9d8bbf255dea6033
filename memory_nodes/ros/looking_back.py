"""What episodic_node does with what it has written down: gists, entities, the history tree."""

from __future__ import annotations

from robot_memory.srv import Consolidate

from memory_nodes.episodic.consolidator import Consolidator
from memory_nodes.episodic.history.teller import HistoryTeller
from memory_nodes.ros import endpoints
from memory_nodes.ros.memory_node import MemoryNode


class LookingBack:
    """Runs beside the node, a step at a time. To be made while the node starts."""

    def __init__(self, node: MemoryNode, consolidator: Consolidator, teller: HistoryTeller) -> None:
        self._node = node
        self._consolidator = consolidator
        self._teller = teller
        node.repeat(self._consolidate)
        node.repeat(self._tell)
        node.serve(Consolidate, endpoints.CONSOLIDATE, self._consolidate_now)

    async def _consolidate(self) -> float:
        wait_s = await self._consolidator.step(self._node.now_ns())
        self._report("consolidation", self._consolidator.problem)
        return wait_s

    async def _tell(self) -> float:
        wait_s = await self._teller.step(self._node.now_ns())
        self._report("history", self._teller.problem)
        return wait_s

    async def _consolidate_now(
        self, request: Consolidate.Request, response: Consolidate.Response
    ) -> None:
        now_ns = self._node.now_ns()
        work = self._node.background.start(
            self._consolidator.consolidate_now(request.episode_id, now_ns)
        )
        response.gists = await self._node.result_of(work)

    def _report(self, name: str, problem: str | None) -> None:
        self._node.in_executor(lambda: self._node.trouble(problem, name))
