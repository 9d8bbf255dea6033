"""What a memory takes in must not contradict itself."""

from __future__ import annotations

from memory_nodes.errors import InputError
from memory_nodes.records import ChunkGraph


def check_graph(graph: ChunkGraph) -> None:
    """Raises InputError for a graph that cannot be stored: it came from another process."""
    chunk_id = graph.chunk.chunk_id
    if not graph.resolved:
        raise InputError(f"chunk {chunk_id} is unresolved: its ids mean nothing outside it")
    if not graph.chunk.keyframes:
        raise InputError(f"chunk {chunk_id} has no keyframes")
    shown = {keyframe.keyframe_id for keyframe in graph.chunk.keyframes}
    ids = [descriptor.object_id for descriptor in graph.objects]
    if len(set(ids)) != len(ids):
        raise InputError(f"chunk {chunk_id} gives one id to several objects")
    for descriptor in graph.objects:
        seen_in = [view.keyframe_id for view in descriptor.views]
        if not seen_in or len(set(seen_in)) != len(seen_in) or not shown.issuperset(seen_in):
            raise InputError(f"{descriptor.object_id} needs one view in each keyframe it shows in")
    for relation in graph.relations:
        ends_known = {relation.subject_id, relation.object_id} <= set(ids)
        if not ends_known or not shown.issuperset(relation.keyframe_ids):
            raise InputError(f"a relation of {relation.subject_id} is not of chunk {chunk_id}")
