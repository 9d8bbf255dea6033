"""What a memory takes in must not contradict itself."""

from __future__ import annotations

from dataclasses import replace

from memory_nodes.errors import InputError
from memory_nodes.records import ChunkGraph, ObjectDescriptor
from memory_nodes.vectors import is_sound


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
        if not relation.predicate:
            raise InputError(f"a relation of {relation.subject_id} says nothing: name a predicate")
    for look in graph.clear_looks:
        if look.keyframe_id not in shown or look.object_id in ids:
            raise InputError(f"a clear look for {look.object_id} is not of chunk {chunk_id}")
    for double_id, known_id in graph.joins:
        if double_id in ids or known_id not in ids:
            raise InputError(f"a join of {double_id} is not of chunk {chunk_id}")


def without_unsound_vectors(graph: ChunkGraph) -> ChunkGraph:
    """The graph without vectors that cannot be used, and a problem line: its objects matter more.

    Vectors are used where they have a model, one length, and are of unit length.
    """
    found = [view.embedding for item in graph.objects for view in item.views if view.embedding]
    is_usable = graph.embedding_model != "" and len(set(map(len, found))) == 1
    if not found or (is_usable and all(map(is_sound, found))):
        return graph
    return replace(
        graph,
        objects=tuple(map(_without_vectors, graph.objects)),
        problems=(*graph.problems, f"{len(found)} visual vectors are unusable and not stored"),
        embedding_model="",
    )


def check_unicode(name: str, text: str) -> None:
    """Raises InputError for half a surrogate pair, which no file of UTF-8 can hold."""
    if not isinstance(text, str):
        raise InputError(f"the {name} is {type(text).__name__}, give a str")
    if text.isascii():  # nearly all are, and it costs nothing to ask
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"the {name} is no valid unicode at character {error.start}: decode it as UTF-8 first"
        ) from error


def _without_vectors(item: ObjectDescriptor) -> ObjectDescriptor:
    return replace(item, views=tuple(replace(view, embedding=b"") for view in item.views))
