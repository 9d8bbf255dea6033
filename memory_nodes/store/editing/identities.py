"""Several objects become one, and one becomes two: whose rows go where."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from memory_nodes.errors import InputError
from memory_nodes.records import ItemKind, ObjectStatus
from memory_nodes.store import objects, rows, texts
from memory_nodes.store.joining import joined, stronger
from memory_nodes.store.object_ids import fresh_id

_VIEW = ", ".join(rows.VIEW_COLUMNS[1:])
_VECTOR = ", ".join(rows.VIEW_EMBEDDING_COLUMNS[1:])
_KEYFRAMES = "keyframe_id IN (SELECT value FROM json_each(?))"


def merge(connection: sqlite3.Connection, into: int, others: Iterable[int]) -> None:
    """All that is known of the others is of ``into``; their ids stay known as its aliases."""
    for other in others:
        _drop_weaker_views(connection, into, other)
        _move_views(connection, other, into, _keyframes(connection, other))
        _merge_states(connection, into, other)
        _move_relations(connection, other, into, None)
        _move_told_apart(connection, other, into)
        for table in ("object_place", "object_event", "object_alias", "entity"):
            connection.execute(
                f"UPDATE {table} SET object_key = ? WHERE object_key = ?", (into, other)
            )
        _merge_object(connection, into, other)
    objects.recount(connection, into)


def split(connection: sqlite3.Connection, source: int, keyframe_ids: Iterable[int]) -> int:
    """The views in these keyframes become a new object, told apart from the old one; its key.

    Raises InputError where one of them does not show the object, or no other one does.
    """
    moving, shown = set(keyframe_ids), _keyframes(connection, source)
    if not moving <= shown:
        raise InputError(
            f"keyframe {min(moving - shown)} does not show it: give some of {_listed(shown)}"
        )
    if moving == shown:
        raise InputError("these are all keyframes that show it: leave it one of them at least")
    states = _states_of(connection, source, moving)
    made = _new_object(connection, states[-1]["type"])
    for state in states:
        connection.execute(
            "INSERT INTO object_state SELECT ?, chunk_id, type, description, attributes,"
            " affordances FROM object_state WHERE object_key = ? AND chunk_id = ?",
            (made, source, state["chunk_id"]),
        )
    _move_views(connection, source, made, moving)
    _move_relations(connection, source, made, moving)
    _drop_states_without_view(connection, source, [state["chunk_id"] for state in states])
    _set_placed_since(connection, source, made)
    tell_apart(connection, source, made)
    for key in (source, made):
        objects.recount(connection, key)
    return made


def tell_apart(connection: sqlite3.Connection, one: int, other: int) -> None:
    """Notes that two objects are never one identity again."""
    connection.execute(
        "INSERT OR IGNORE INTO object_distinct VALUES (?, ?)", (min(one, other), max(one, other))
    )


def _keyframes(connection: sqlite3.Connection, key: int) -> set[int]:
    found = connection.execute("SELECT keyframe_id FROM view WHERE object_key = ?", (key,))
    return {row[0] for row in found}


def _listed(keyframe_ids: Iterable[int]) -> str:
    listed = [str(keyframe_id) for keyframe_id in sorted(keyframe_ids)]
    return ", ".join(listed[:20]) + (", ..." if len(listed) > 20 else "")


def _drop_weaker_views(connection: sqlite3.Connection, into: int, other: int) -> None:
    """One view in each keyframe is left."""
    shared = _keyframes(connection, into) & _keyframes(connection, other)
    for keyframe_id in sorted(shared):
        known, added = (
            rows.view_from(
                connection.execute(
                    "SELECT * FROM view WHERE object_key = ? AND keyframe_id = ?",
                    (key, keyframe_id),
                ).fetchone()
            )
            for key in (into, other)
        )
        weaker = other if stronger(known, added) is known else into
        for table in ("view_embedding", "view"):
            connection.execute(
                f"DELETE FROM {table} WHERE object_key = ? AND keyframe_id = ?",
                (weaker, keyframe_id),
            )


def _move_views(
    connection: sqlite3.Connection, source: int, target: int, keyframe_ids: set[int]
) -> None:
    moving = json.dumps(sorted(keyframe_ids))
    for table, columns in (("view", _VIEW), ("view_embedding", _VECTOR)):
        connection.execute(
            f"INSERT INTO {table} (object_key, {columns}) SELECT ?, {columns} FROM {table}"
            f" WHERE object_key = ? AND {_KEYFRAMES}",
            (target, source, moving),
        )
    for table in ("view_embedding", "view"):
        connection.execute(
            f"DELETE FROM {table} WHERE object_key = ? AND {_KEYFRAMES}", (source, moving)
        )


def _move_relations(
    connection: sqlite3.Connection, source: int, target: int, keyframe_ids: set[int] | None
) -> None:
    """Of these keyframes, or all; none relates an object to itself."""
    term = "1" if keyframe_ids is None else _KEYFRAMES
    values = () if keyframe_ids is None else (json.dumps(sorted(keyframe_ids)),)
    for end, far_end in (("subject_key", "object_key"), ("object_key", "subject_key")):
        chosen = f"{end} = ? AND {term}"
        connection.execute(
            f"UPDATE OR IGNORE relation SET {end} = ? WHERE {chosen} AND {far_end} != ?",
            (target, source, *values, target),
        )
        connection.execute(f"DELETE FROM relation WHERE {chosen}", (source, *values))


def _merge_states(connection: sqlite3.Connection, into: int, other: int) -> None:
    """What a chunk said of both is said of one."""
    shared = connection.execute(
        "SELECT chunk_id FROM object_state WHERE object_key = ?"
        " INTERSECT SELECT chunk_id FROM object_state WHERE object_key = ?",
        (into, other),
    ).fetchall()
    for (chunk_id,) in shared:
        known, added = (
            rows.state_from(
                connection.execute(
                    "SELECT * FROM object_state WHERE object_key = ? AND chunk_id = ?",
                    (key, chunk_id),
                ).fetchone()
            )
            for key in (into, other)
        )
        connection.execute(
            "DELETE FROM object_state WHERE object_key IN (?, ?) AND chunk_id = ?",
            (into, other, chunk_id),
        )
        connection.execute(
            rows.insert("object_state", rows.STATE_COLUMNS),
            rows.state_row(into, chunk_id, joined(known, added)),
        )
    connection.execute("UPDATE object_state SET object_key = ? WHERE object_key = ?", (into, other))


def _move_told_apart(connection: sqlite3.Connection, other: int, into: int) -> None:
    pairs = connection.execute(
        "SELECT low_key, high_key FROM object_distinct WHERE ? IN (low_key, high_key)", (other,)
    ).fetchall()
    connection.execute("DELETE FROM object_distinct WHERE ? IN (low_key, high_key)", (other,))
    for low, high in pairs:
        third = high if low == other else low
        if third != into:
            tell_apart(connection, into, third)


def _merge_object(connection: sqlite3.Connection, into: int, other: int) -> None:
    """Name and place are those of ``into`` where it has them; the other leaves the indices."""
    gone = connection.execute("SELECT * FROM object WHERE object_key = ?", (other,)).fetchone()
    connection.execute(
        "UPDATE object SET name = coalesce(name, ?), placed_since = max(placed_since, ?),"
        " last_seen_ns = max(last_seen_ns, ?) WHERE object_key = ?",
        (gone["name"], gone["placed_since"], gone["last_seen_ns"], into),
    )
    connection.execute("DELETE FROM object WHERE object_key = ?", (other,))
    connection.execute("INSERT INTO object_alias VALUES (?, ?)", (gone["object_id"], into))
    texts.bury(connection, ItemKind.OBJECT, [other])
    if gone["text_key"] is not None:
        texts.release(connection, [gone["text_key"]])


def _states_of(
    connection: sqlite3.Connection, key: int, keyframe_ids: set[int]
) -> list[sqlite3.Row]:
    """What the chunks of these keyframes said of it, or the newest before; oldest first."""
    found = connection.execute(
        "SELECT chunk_id, type FROM object_state WHERE object_key = ? AND chunk_id IN"
        f" (SELECT chunk_id FROM keyframe WHERE {_KEYFRAMES}) ORDER BY chunk_id",
        (key, json.dumps(sorted(keyframe_ids))),
    ).fetchall()
    return found or [objects.current_state(connection, key)]


def _new_object(connection: sqlite3.Connection, type_name: str) -> int:
    return objects.insert(connection, fresh_id(connection, type_name), ObjectStatus.PRESENT, (0, 0))


def _drop_states_without_view(
    connection: sqlite3.Connection, key: int, chunk_ids: list[int]
) -> None:
    """What these chunks said of an object that no keyframe of them shows any more."""
    connection.execute(
        "DELETE FROM object_state WHERE object_key = ?1"
        " AND chunk_id IN (SELECT value FROM json_each(?2)) AND chunk_id NOT IN"
        " (SELECT chunk_id FROM view JOIN keyframe USING (keyframe_id) WHERE object_key = ?1)"
        " AND EXISTS (SELECT 1 FROM object_state s WHERE s.object_key = ?1"
        " AND s.chunk_id NOT IN (SELECT value FROM json_each(?2)))",
        (key, json.dumps(chunk_ids)),
    )


def _set_placed_since(connection: sqlite3.Connection, source: int, made: int) -> None:
    """It moved at that keyframe: that holds for those that were seen after it, and no others."""
    (since,) = connection.execute(
        "SELECT placed_since FROM object WHERE object_key = ?", (source,)
    ).fetchone()
    for key in (source, made):
        is_seen_since = max(_keyframes(connection, key)) >= since
        connection.execute(
            "UPDATE object SET placed_since = CASE WHEN ?1 THEN ?2 ELSE 0 END,"
            " status = CASE WHEN NOT ?1 AND status = ?3 THEN ?4 ELSE status END"
            " WHERE object_key = ?5",
            (is_seen_since, since, int(ObjectStatus.MOVED), int(ObjectStatus.PRESENT), key),
        )
