"""Forgets keyframes and objects: what they showed, said and were called."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, field

from memory_nodes.records import ChangeKind, ItemKind, ObjectStatus
from memory_nodes.store import map_graphs, objects, texts
from memory_nodes.store.database import sequence
from memory_nodes.store.editing import edit_log
from memory_nodes.store.forgetting import image_erasure
from memory_nodes.store.forgetting.selection import Chosen, among

_OF_OBJECTS = (
    *(("relation", "subject_key"), ("object_distinct", "low_key"), ("object_distinct", "high_key")),
    *(
        (table, "object_key")
        for table in (
            *("relation", "clear_look", "object_place", "object_event", "object_alias"),
            *("view", "object_state", "object"),
        )
    ),
)
"""Tables and columns that name objects; the rows that others refer to come last."""


@dataclass
class Traces:
    """What the forgotten has left elsewhere, collected step by step."""

    spans_ns: set[tuple[int, int]] = field(default_factory=set)
    """First and last stamp of each."""
    text_keys: set[int] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    """Of chunks, observations and episodes, by which the history names its evidence."""


def delete(connection: sqlite3.Connection, table: str, column: str, keys: set[int]) -> None:
    """Deletes the rows with one of these keys in a column."""
    where, values = among(column, keys)
    connection.execute(f"DELETE FROM {table} WHERE {where}", values)


def unlink(connection: sqlite3.Connection, kind: str, end: str, keys: set[int]) -> None:
    """Deletes the links of a kind that begin (``from_key``) or end (``to_key``) there."""
    where, values = among(end, keys)
    connection.execute(f"DELETE FROM link WHERE kind = ? AND {where}", (kind, *values))


def forget_keyframes_and_objects(
    connection: sqlite3.Connection, chosen: Chosen, traces: Traces
) -> None:
    """Deletes them; adds to the objects those that no keyframe shows any more."""
    where, values = among("keyframe_id", chosen.keyframes)
    found = connection.execute(f"SELECT stamp_ns FROM keyframe WHERE {where}", values)
    traces.spans_ns.update((stamp_ns, stamp_ns) for (stamp_ns,) in found)
    shown = connection.execute(f"SELECT DISTINCT object_key FROM view WHERE {where}", values)
    touched = {row[0] for row in shown}
    chunk_ids = _chunks(connection, chosen)
    traces.ids.update(f"chunk_{chunk_id}" for chunk_id in chunk_ids)
    _forget_views(connection, chosen.keyframes)
    where, values = among("object_key", touched)
    seen = connection.execute(f"SELECT DISTINCT object_key FROM view WHERE {where}", values)
    left = {row[0] for row in seen} - chosen.objects
    chosen.objects |= touched - left
    edit_log.forget(connection, chosen.objects | left)
    _forget_objects(connection, chosen.objects, traces)
    _forget_states(connection, left)
    _forget_past(connection, left)
    _forget_keyframes(connection, chosen.keyframes)
    _forget_chunks(connection, chunk_ids)
    for key in sorted(left):
        objects.recount(connection, key)


def _chunks(connection: sqlite3.Connection, chosen: Chosen) -> set[int]:
    """Those that the chosen keyframes and objects are from."""
    of_keyframes, keyframes = among("keyframe_id", chosen.keyframes)
    of_objects, object_keys = among("object_key", chosen.objects)
    return {
        row[0]
        for row in connection.execute(
            f"SELECT chunk_id FROM keyframe WHERE {of_keyframes}"
            f" UNION SELECT chunk_id FROM object_state WHERE {of_objects}",
            (*keyframes, *object_keys),
        )
    }


def _forget_views(connection: sqlite3.Connection, keyframes: set[int]) -> None:
    where, values = among("keyframe_id", keyframes)
    connection.execute(
        "DELETE FROM view_embedding WHERE (object_key, keyframe_id) IN"
        f" (SELECT object_key, keyframe_id FROM view WHERE {where})",
        values,
    )
    connection.execute(  # the readers count looks, too
        "UPDATE object SET changed = ? WHERE object_key IN"
        f" (SELECT object_key FROM clear_look WHERE {where})",
        (sequence(connection), *values),
    )
    for table in ("relation", "view", "clear_look"):
        delete(connection, table, "keyframe_id", keyframes)


def _forget_objects(connection: sqlite3.Connection, keys: set[int], traces: Traces) -> None:
    where, values = among("object_key", keys)
    shown_by = f"FROM view JOIN keyframe USING (keyframe_id) WHERE {where}"
    found = connection.execute(f"SELECT DISTINCT stamp_ns {shown_by}", values)
    traces.spans_ns.update((stamp_ns, stamp_ns) for (stamp_ns,) in found)
    image_erasure.note(
        connection,
        f"image_path, x0_px, y0_px, x1_px, y1_px {shown_by} AND image_path != ''",
        values,
    )
    found = connection.execute(
        f"SELECT text_key FROM object WHERE text_key IS NOT NULL AND {where}", values
    )
    traces.text_keys.update(text_key for (text_key,) in found)
    connection.execute(
        "DELETE FROM view_embedding WHERE (object_key, keyframe_id) IN"
        f" (SELECT object_key, keyframe_id FROM view WHERE {where})",
        values,
    )
    for table, column in _OF_OBJECTS:
        delete(connection, table, column, keys)
    texts.bury(connection, ItemKind.OBJECT, keys)


def _forget_states(connection: sqlite3.Connection, keys: set[int]) -> None:
    """What chunks said of objects that no keyframe of them shows any more."""
    where, values = among("object_key", keys)
    connection.execute(
        f"DELETE FROM object_state WHERE {where} AND NOT EXISTS (SELECT 1 FROM view v"
        " JOIN keyframe k USING (keyframe_id) WHERE v.object_key = object_state.object_key"
        " AND k.chunk_id = object_state.chunk_id)",
        values,
    )


def _forget_past(connection: sqlite3.Connection, keys: set[int]) -> None:
    """Earlier places and changes of objects that lost views: they were told from all of them.

    What a person did to an object stays. Where no view is left from before it moved, or none
    since, it has not moved.
    """
    where, values = among("object_key", keys)
    connection.execute(f"DELETE FROM object_place WHERE {where}", values)
    connection.execute(
        f"DELETE FROM object_event WHERE {where} AND kind IN (SELECT value FROM json_each(?))",
        (*values, json.dumps([kind.value for kind in ChangeKind])),
    )
    seen = "EXISTS (SELECT 1 FROM view v WHERE v.object_key = object.object_key AND v.keyframe_id"
    connection.execute(
        "UPDATE object SET placed_since = 0, status = CASE status WHEN ? THEN ? ELSE status END"
        f" WHERE {where} AND placed_since > 0"
        f" AND NOT ({seen} < placed_since) AND {seen} >= placed_since))",
        (int(ObjectStatus.MOVED), int(ObjectStatus.PRESENT), *values),
    )


def _forget_keyframes(connection: sqlite3.Connection, keys: set[int]) -> None:
    where, values = among("keyframe_id", keys)
    image_erasure.note(
        connection,
        f"image_path, NULL, NULL, NULL, NULL FROM keyframe WHERE {where} AND image_path != ''",
        values,
    )
    sessions = [
        row[0]
        for row in connection.execute(
            f"SELECT DISTINCT session_id FROM keyframe WHERE {where}", values
        )
    ]
    delete(connection, "keyframe", "keyframe_id", keys)
    for session_id in sessions:
        _shorten_session(connection, session_id)


def _shorten_session(connection: sqlite3.Connection, session_id: str) -> None:
    """A session reaches from its first to its last keyframe."""
    first_ns, last_ns = connection.execute(
        "SELECT min(stamp_ns), max(stamp_ns) FROM keyframe WHERE session_id = ?", (session_id,)
    ).fetchone()
    if first_ns is None:
        connection.execute("DELETE FROM session WHERE session_id = ?", (session_id,))
        map_graphs.forget_unused(connection)
    else:
        connection.execute(
            "UPDATE session SET start_ns = ?, end_ns = ? WHERE session_id = ?",
            (first_ns, last_ns, session_id),
        )


def _forget_chunks(connection: sqlite3.Connection, chunk_ids: set[int]) -> None:
    """Chunks without keyframes go; the problems of others may quote what is forgotten."""
    where, values = among("chunk_id", chunk_ids)
    connection.execute(f"UPDATE chunk SET problems = '[]' WHERE {where}", values)
    connection.execute(
        f"DELETE FROM chunk WHERE {where} AND chunk_id NOT IN (SELECT chunk_id FROM keyframe)",
        values,
    )
