"""Resolved chunks: keyframes, objects with their views, and relations."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from memory_nodes.errors import InputError
from memory_nodes.records import ChunkGraph, Keyframe, ObjectDescriptor, Observation
from memory_nodes.store import (
    changes,
    episodes,
    ghosts,
    levelling,
    maps,
    objects,
    observations,
    rows,
)
from memory_nodes.store.changes import ChangesConfig
from memory_nodes.store.editing.joins import join
from memory_nodes.store.joining import joined
from memory_nodes.store.object_ids import fresh_id, is_lost, key_of
from memory_nodes.store.observations import Incoming


def last_chunk_id(connection: sqlite3.Connection) -> int:
    """Every chunk up to this one is stored."""
    return int(connection.execute("SELECT last_chunk_id FROM spool_mark").fetchone()[0])


def store(
    connection: sqlite3.Connection,
    graph: ChunkGraph,
    said: Sequence[Observation],
    config: ChangesConfig,
) -> bool:
    """Stores a checked graph and the checked observations that it was put into.

    False when its chunk was stored before, and nothing changes.

    Raises InputError when a chunk before it is missing: chunks arrive in order since each is
    resolved against all those before it.
    """
    chunk_id, last = graph.chunk.chunk_id, last_chunk_id(connection)
    if chunk_id <= last:
        return False
    if chunk_id != last + 1 and last > 0:
        raise InputError(f"chunk {chunk_id} came after {last}: some are missing")
    connection.execute("UPDATE spool_mark SET last_chunk_id = ?", (chunk_id,))
    levelled = levelling.level(connection, graph, said)
    graph, said = levelled.graph, levelled.said
    connection.execute(
        "INSERT INTO chunk VALUES (?, ?, ?, ?)",
        (chunk_id, graph.prompt_version, graph.model, json.dumps(graph.problems)),
    )
    connection.executemany(
        rows.insert("keyframe", rows.KEYFRAME_COLUMNS),
        [rows.keyframe_row(keyframe, chunk_id) for keyframe in graph.chunk.keyframes],
    )
    maps.note_sessions(connection, graph.chunk.keyframes)
    keys = _store_objects(connection, graph, config)
    connection.executemany(
        "INSERT OR IGNORE INTO relation VALUES (?, ?, ?, ?)",
        [
            (keys[relation.subject_id], relation.predicate, keys[relation.object_id], shown)
            for relation in graph.relations
            if keys[relation.subject_id] != keys[relation.object_id]
            for shown in relation.keyframe_ids
        ],
    )
    join(connection, graph.joins, graph.chunk.keyframes[-1].stamp_ns)
    changes.note_clear_looks(connection, graph, set(keys.values()), config)
    ghosts.expire_old(connection, graph, config.expiring_confidence, config.expiring_after_s)
    _store_said(connection, said)
    levelling.note(connection, levelled)
    return True


def _store_said(connection: sqlite3.Connection, said: Sequence[Observation]) -> None:
    """A chunk comes late: its observations belong where their stamps fall.

    One whose id is taken by another is left out: the chunk must not be lost for it.
    """
    keys = [episodes.key_at(connection, item.stamp_ns) for item in said]
    batch = [Incoming(item, episode_key=key) for item, key in zip(said, keys, strict=True)]
    observations.insert(connection, batch)
    for key in set(keys) - {None}:
        episodes.await_consolidation(connection, key)


def _store_objects(
    connection: sqlite3.Connection, graph: ChunkGraph, config: ChangesConfig
) -> dict[str, int]:
    """Adds what a chunk saw to what is known; the key of each id.

    Since the graph was resolved, two of its objects may have been merged into one, the id of a
    new one may have been given to another, and a known one may have been forgotten.
    """
    lost = _lost_ids(connection, graph)
    keys: dict[str, int] = {}
    known: dict[int, sqlite3.Row] = {}
    seen: dict[int, ObjectDescriptor] = {}
    for item in sorted(graph.objects, key=lambda item: item.object_id in lost):
        is_lost_id = item.object_id in lost  # these come last: a fresh id is none of the others'
        key = None if is_lost_id else key_of(connection, item.object_id)
        if key is not None and key not in seen:
            known[key] = objects.row(connection, key)
        elif key is None:
            span_ns = (item.first_seen_ns, item.last_seen_ns)
            object_id = fresh_id(connection, item.type) if is_lost_id else item.object_id
            key = objects.insert(connection, object_id, item.status, span_ns)
        keys[item.object_id] = key
        seen[key] = joined(seen[key], item) if key in seen else item
    for key, item in seen.items():
        connection.execute(
            rows.insert("object_state", rows.STATE_COLUMNS),
            rows.state_row(key, graph.chunk.chunk_id, item),
        )
        _store_views(connection, key, item, graph.embedding_model)
        changes.note_sighting(connection, known.get(key), key, item, graph, config)
        _update(connection, key, item, graph.chunk.keyframes[0])
    return keys


def _lost_ids(connection: sqlite3.Connection, graph: ChunkGraph) -> set[str]:
    """Those that an object of a chunk cannot have, or has no more."""
    if graph.new_ids is None:
        return set()
    return {
        item.object_id
        for item in graph.objects
        if is_lost(connection, item.object_id, is_new=item.object_id in graph.new_ids)
    }


def _store_views(
    connection: sqlite3.Connection, key: int, descriptor: ObjectDescriptor, embedding_model: str
) -> None:
    connection.executemany(
        rows.insert("view", rows.VIEW_COLUMNS),
        [rows.view_row(key, view) for view in descriptor.views],
    )
    connection.executemany(
        rows.insert("view_embedding", rows.VIEW_EMBEDDING_COLUMNS),
        [
            rows.view_embedding_row(key, view, embedding_model)
            for view in descriptor.views
            if view.embedding
        ],
    )


def _update(
    connection: sqlite3.Connection, key: int, descriptor: ObjectDescriptor, shown_by: Keyframe
) -> None:
    connection.execute(
        "UPDATE object SET last_seen_ns = max(last_seen_ns, ?), view_count = view_count + ?"
        " WHERE object_key = ?",
        (descriptor.last_seen_ns, len(descriptor.views), key),
    )
    objects.place(connection, key, shown_by.map_id, shown_by.map_frame)
    objects.name(connection, key)
