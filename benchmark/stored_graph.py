"""A graph that is known, stored chunk by chunk as if a detector had seen it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from memory_nodes.episodic.chunk_observations import ChunkObservationsConfig, chunk_observations
from memory_nodes.perception.detector import DetectorConfig
from memory_nodes.records import Chunk, ChunkGraph, Keyframe, ObjectDescriptor, Relation
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.store.writer import Writer


def store(snapshot: Snapshot, writer: Writer) -> None:
    """Objects, relations and keyframes keep their ids; each chunk is put into words as well."""
    for graph in _chunks(snapshot, in_order(snapshot)):
        writer.commit_chunk(graph, chunk_observations(graph, ChunkObservationsConfig()))


def in_order(snapshot: Snapshot) -> list[Keyframe]:
    """The keyframes by time."""
    return sorted(snapshot.keyframes.values(), key=lambda item: item.stamp_ns)


def _chunks(snapshot: Snapshot, keyframes: Sequence[Keyframe]) -> Iterator[ChunkGraph]:
    """As many keyframes in each as the detector looks at together."""
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
