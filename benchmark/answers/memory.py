"""The tour in a memory on disk: its true graph, stored chunk by chunk, with its history told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from memory_nodes.dates import Dates
from memory_nodes.episodic.chunk_observations import ChunkObservationsConfig, chunk_observations
from memory_nodes.episodic.consolidator import IDLE_S, Consolidator
from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.teller import HistoryTeller
from memory_nodes.models.ports import TextEmbedder
from memory_nodes.perception.detector import DetectorConfig
from memory_nodes.records import NS_PER_S, Chunk, ChunkGraph, Keyframe, ObjectDescriptor, Relation
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer

LATER_NS = 600 * NS_PER_S
"""The questions are asked this long after the tour; its history is told by then."""


async def remember(
    snapshot: Snapshot, memory_dir: Path, dates: Dates, embedder: TextEmbedder | None
) -> int:
    """Stores a graph as one episode; the time at which it may be asked about, ns."""
    keyframes = sorted(snapshot.keyframes.values(), key=lambda item: item.stamp_ns)
    now_ns = keyframes[-1].stamp_ns + LATER_NS
    writer, past = Writer(memory_dir), Past(memory_dir)
    try:
        writer.start_episode("tour", "", keyframes[0].stamp_ns)
        for graph in _chunks(snapshot, keyframes):
            writer.commit_chunk(graph, chunk_observations(graph, ChunkObservationsConfig()))
        writer.end_episode("", keyframes[-1].stamp_ns)
        consolidator = Consolidator(writer, past, None, embedder, dates=dates)
        while await consolidator.step(now_ns) != IDLE_S:
            """Until all has its gist."""
        teller = HistoryTeller(writer, past, None, HistoryConfig(), dates)
        while await teller.step(now_ns) == 0.0:
            """Until nothing is left to tell."""
    finally:
        past.close()
        writer.close()
    return now_ns


def _chunks(snapshot: Snapshot, keyframes: Sequence[Keyframe]) -> Iterator[ChunkGraph]:
    """The graph cut as the detector would have seen it."""
    size = DetectorConfig().chunk_size
    for start in range(0, len(keyframes), size):
        part = tuple(keyframes[start : start + size])
        keys = {item.keyframe_id for item in part}
        objects = tuple(_shown(snapshot.objects, keys))
        shown = {item.object_id for item in objects}
        relations = tuple(_said(snapshot.relations, keys, shown))
        yield ChunkGraph(Chunk(start // size + 1, part), objects, relations, resolved=True)


def _shown(objects: Sequence[ObjectDescriptor], keys: set[int]) -> Iterator[ObjectDescriptor]:
    for item in objects:
        views = tuple(view for view in item.views if view.keyframe_id in keys)
        if views:
            yield replace(item, views=views, view_count=len(views))


def _said(relations: Sequence[Relation], keys: set[int], shown: set[str]) -> Iterator[Relation]:
    for item in relations:
        keyframe_ids = tuple(key for key in item.keyframe_ids if key in keys)
        if keyframe_ids and {item.subject_id, item.object_id} <= shown:
            yield replace(item, keyframe_ids=keyframe_ids)
