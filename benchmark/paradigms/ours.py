"""Our memory through a schedule: the store as the nodes write it, and the recall tools."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmark.embedders import DEADLINE_S
from benchmark.paradigms.schedule import Asked, Call, Episode, Finding, Schedule, Told, Wait
from memory_nodes.answering.tools.toolbox import Sources, Toolbox
from memory_nodes.dates import Dates
from memory_nodes.episodic.consolidator import IDLE_S, ConsolidationConfig, Consolidator
from memory_nodes.episodic.embedding_worker import EmbeddingWorker
from memory_nodes.errors import RobotMemoryError
from memory_nodes.geometry import Pose
from memory_nodes.models.ports import TextEmbedder
from memory_nodes.records import Observation
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer

_MAP = "map"
_CONFIG = ConsolidationConfig(archive_after_s=3600.0)
"""As the peer has it, by itself."""
_STAMPS = (("at_ns", "at_ns"), ("start_ns", "end_ns"), ("first_seen_ns", "last_seen_ns"))


async def findings(
    schedule: Schedule, embedder: TextEmbedder | None, memory_dir: Path
) -> list[Finding | None]:
    """What is found first at each probe; by words alone without an embedder."""
    life = _Life(memory_dir, embedder)
    try:
        return await life.through(schedule)
    finally:
        life.close()


class _Life:
    """One memory from its beginning to its end."""

    def __init__(self, memory_dir: Path, embedder: TextEmbedder | None) -> None:
        self._writer, self._past = Writer(memory_dir), Past(memory_dir)
        self._sources = Sources.of(
            memory_dir, Dates(), embedder=embedder, embedding_timeout_s=DEADLINE_S
        )
        self._tools = Toolbox(self._sources)
        self._embedder = embedder
        self._consolidator = Consolidator(self._writer, self._past, None, embedder, _CONFIG)

    def close(self) -> None:
        self._sources.close()
        self._past.close()
        self._writer.close()

    async def through(self, schedule: Schedule) -> list[Finding | None]:
        found: list[Finding | None] = []
        for step in schedule.steps:
            if isinstance(step, Episode):
                self._tell(step)
                await self._rest(step.told[-1].stamp_ns)
            elif isinstance(step, Wait):
                await self._rest(step.until_ns)
            else:
                found += await self._ask(step)
        return found

    def _tell(self, episode: Episode) -> None:
        self._writer.start_episode(episode.name, "", episode.told[0].stamp_ns)
        for item in episode.told:
            self._writer.submit(_observation(item))
        self._writer.flush()
        self._writer.end_episode("", episode.told[-1].stamp_ns)

    async def _rest(self, now_ns: int) -> None:
        """Consolidates, archives and embeds what waits."""
        while await self._consolidator.step(now_ns) != IDLE_S:
            pass
        if self._embedder is not None:
            worker = EmbeddingWorker(self._writer, self._embedder, DEADLINE_S, reembed=False)
            while await worker.step() == 0.0:
                pass

    async def _ask(self, asked: Asked) -> list[Finding | None]:
        return [await self._found(probe.call, asked.now_ns) for probe in asked.probes]

    async def _found(self, call: Call, now_ns: int) -> Finding | None:
        reply = await self._tools.call(call.tool, json.dumps(self._arguments(call)), now_ns)
        if not reply.is_ok:
            raise RobotMemoryError(f"{call}: {reply.text}")
        hits = reply.result["hits"]
        return _finding(hits[0]) if hits else None

    def _arguments(self, call: Call) -> dict[str, Any]:
        """Those that are given."""
        iso = self._sources.dates.iso
        arguments: dict[str, Any] = {"max_hits": 1}
        if call.text:
            arguments["thing" if call.tool == "locate" else "query"] = call.text
        if call.layer:
            arguments["layers"] = [call.layer]
        if call.near_m is not None:
            arguments["x_m"], arguments["y_m"] = call.near_m
            arguments["radius_m"] = call.radius_m
        if call.since_ns is not None:
            arguments["since"] = iso(call.since_ns)
        if call.until_ns is not None:
            arguments["until"] = iso(call.until_ns)
        return arguments


def _finding(hit: Mapping[str, Any]) -> Finding:
    place = hit.get("position_map_m")
    spans_ns = [(hit[first], hit[last]) for first, last in _STAMPS if first in hit]
    return Finding(
        text=hit["name"] if "name" in hit else hit["text"],
        layer=hit.get("layer", ""),
        at_m=None if place is None else (place[0], place[1]),
        span_ns=spans_ns[0] if spans_ns else None,
    )


def _observation(told: Told) -> Observation:
    return Observation(
        stamp_ns=told.stamp_ns,
        map_id=_MAP,
        map_frame=_MAP,
        layer=told.layer,
        text=told.text,
        map_from_base=Pose.planar(*told.at_m, 0.0),
    )
