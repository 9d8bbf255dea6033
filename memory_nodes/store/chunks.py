"""Resolved chunks: keyframes, objects with their views, and relations."""

from __future__ import annotations

import json
import sqlite3

from memory_nodes.errors import InputError
from memory_nodes.records import ChunkGraph, Keyframe, ObjectDescriptor
from memory_nodes.store import changes, maps, objects, rows
from memory_nodes.store.changes import ChangesConfig


def last_chunk_id(connection: sqlite3.Connection) -> int:
    """Every chunk up to this one is stored."""
    return int(connection.execute("SELECT last_chunk_id FROM spool_mark").fetchone()[0])


def store(connection: sqlite3.Connection, graph: ChunkGraph, config: ChangesConfig) -> bool:
    """Stores a checked graph; False when its chunk was stored before, and nothing changes.

    Raises InputError when a chunk before it is missing: chunks arrive in order since each is
    resolved against all those before it.
    """
    chunk_id, last = graph.chunk.chunk_id, last_chunk_id(connection)
    if chunk_id <= last:
        return False
    if chunk_id != last + 1 and last > 0:
        raise InputError(f"chunk {chunk_id} came after {last}: some are missing")
    connection.execute("UPDATE spool_mark SET last_chunk_id = ?", (chunk_id,))
    connection.execute(
        "INSERT INTO chunk VALUES (?, ?, ?, ?)",
        (chunk_id, graph.prompt_version, graph.model, json.dumps(graph.problems)),
    )
    connection.executemany(
        rows.insert("keyframe", rows.KEYFRAME_COLUMNS),
        [rows.keyframe_row(keyframe, chunk_id) for keyframe in graph.chunk.keyframes],
    )
    maps.note_sessions(connection, graph.chunk.keyframes)
    keys = {
        item.object_id: _store_object(connection, item, graph, config) for item in graph.objects
    }
    connection.executemany(
        "INSERT OR IGNORE INTO relation VALUES (?, ?, ?, ?)",
        [
            (keys[relation.subject_id], relation.predicate, keys[relation.object_id], shown)
            for relation in graph.relations
            for shown in relation.keyframe_ids
        ],
    )
    changes.note_clear_looks(connection, graph, config)
    return True


def _store_object(
    connection: sqlite3.Connection,
    descriptor: ObjectDescriptor,
    graph: ChunkGraph,
    config: ChangesConfig,
) -> int:
    """Adds what a chunk saw of an object to what is known of it; gives its key."""
    known = connection.execute(
        "SELECT * FROM object WHERE object_id = ?", (descriptor.object_id,)
    ).fetchone()
    connection.execute(
        "INSERT OR IGNORE INTO object"
        " (object_id, status, first_seen_ns, last_seen_ns, view_count) VALUES (?, ?, ?, ?, 0)",
        (
            *(descriptor.object_id, descriptor.status),
            *(descriptor.first_seen_ns, descriptor.last_seen_ns),
        ),
    )
    row = connection.execute(
        "SELECT object_key FROM object WHERE object_id = ?", (descriptor.object_id,)
    ).fetchone()
    key = int(row["object_key"])
    _store_state(connection, key, descriptor, graph.chunk.chunk_id)
    _store_views(connection, key, descriptor, graph.embedding_model)
    changes.note_sighting(connection, known, key, descriptor, graph, config)
    _update(connection, key, descriptor, graph.chunk.keyframes[0])
    return key


def _store_state(
    connection: sqlite3.Connection, key: int, descriptor: ObjectDescriptor, chunk_id: int
) -> None:
    connection.execute(
        "INSERT INTO object_state VALUES (?, ?, ?, ?, ?, ?)",
        (
            *(key, chunk_id, descriptor.type, descriptor.description),
            json.dumps(dict(descriptor.attributes)),
            json.dumps(descriptor.affordances),
        ),
    )


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
