"""What is known of an object follows from its views and states: made anew when these change."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from memory_nodes.records import Keyframe, ObjectStatus, ObjectView
from memory_nodes.store import maps, moves, rows, texts
from memory_nodes.store.database import sequence
from memory_nodes.store.schema import object_text

MAX_SIGHTINGS = 200
"""More than a position is solved from (perception/positions.py): not every view is fit for it."""


def insert(
    connection: sqlite3.Connection, object_id: str, status: ObjectStatus, span_ns: tuple[int, int]
) -> int:
    """A new object without views, seen first and last at these times; its key."""
    return int(
        connection.execute(
            "INSERT INTO object (object_key, object_id, status, first_seen_ns, last_seen_ns,"
            " view_count) SELECT last_key + 1, ?, ?, ?, ?, 0 FROM object_mark",
            (object_id, status, *span_ns),
        ).lastrowid
        or 0
    )


def row(connection: sqlite3.Connection, object_key: int) -> sqlite3.Row:
    """As it is now; there must be one."""
    found: sqlite3.Row = connection.execute(
        "SELECT * FROM object WHERE object_key = ?", (object_key,)
    ).fetchone()
    return found


def set_status(connection: sqlite3.Connection, key: int, status: ObjectStatus) -> None:
    """The readers are told of it."""
    connection.execute(
        "UPDATE object SET status = ?, changed = ? WHERE object_key = ?",
        (status, sequence(connection), key),
    )


def forget_looks(connection: sqlite3.Connection, object_keys: Iterable[int]) -> None:
    """Clear looks at these objects count from now on."""
    connection.executemany(
        "DELETE FROM clear_look WHERE object_key = ?", [(key,) for key in object_keys]
    )


def count_looks(connection: sqlite3.Connection, object_key: int) -> int:
    """Different clear looks without the object, since it was seen last."""
    found = connection.execute(
        "SELECT count(*) FROM clear_look WHERE object_key = ?", (object_key,)
    )
    return int(found.fetchone()[0])


def current_state(connection: sqlite3.Connection, object_key: int) -> sqlite3.Row:
    """What is said of it: the newest state, or the one that was pinned."""
    row: sqlite3.Row = connection.execute(
        "SELECT s.* FROM object_state s JOIN object o USING (object_key) WHERE object_key = ?"
        " ORDER BY chunk_id IS pinned_chunk_id DESC, chunk_id DESC LIMIT 1",
        (object_key,),
    ).fetchone()
    return row


def place(connection: sqlite3.Connection, object_key: int, map_id: str, map_frame: str) -> None:
    """The position is that of the views on one map since it moved; the readers are told of it.

    One that is pinned stays where it is on its map. What shows it elsewhere, and does not prove
    that it moved, counts when later views agree with it.
    """
    map_key = maps.map_key(connection, map_id, map_frame)
    kept = connection.execute(
        "UPDATE object SET changed = ? WHERE object_key = ?"
        " AND is_pinned AND x IS NOT NULL AND map_key = ?",
        (sequence(connection), object_key, map_key),
    )
    if kept.rowcount:
        return
    known = row(connection, object_key)
    before = rows.position_from(known) if known["map_key"] == map_key else None
    position = moves.settled(*sightings(connection, object_key, map_id), before)
    connection.execute(
        "UPDATE object SET x = ?, y = ?, z = ?, covariance_m2 = ?, map_key = ?, changed = ?"
        " WHERE object_key = ?",
        (
            *(*rows.position_row(position), map_key),
            *(sequence(connection), object_key),
        ),
    )


def name(connection: sqlite3.Connection, object_key: int) -> None:
    """The text by which it is searched: its name, if it has one, and its current state."""
    state = current_state(connection, object_key)
    given, old_key = connection.execute(
        "SELECT name, text_key FROM object WHERE object_key = ?", (object_key,)
    ).fetchone()
    attributes = json.loads(state["attributes"])
    text = object_text(state["type"], state["description"], list(attributes.values()))
    if given is not None:
        text = f"{given}, {text}"
    text_key = texts.intern(connection, [text])[text]
    if text_key == old_key:
        return
    connection.execute(
        "UPDATE object SET text_key = ? WHERE object_key = ?", (text_key, object_key)
    )
    if old_key is not None:
        texts.release(connection, [old_key])


def recount(connection: sqlite3.Connection, object_key: int) -> None:
    """Makes all of an object anew that has lost views, but not the last one."""
    connection.execute(
        "UPDATE object SET (view_count, first_seen_ns, last_seen_ns) ="
        " (SELECT count(*), min(stamp_ns), max(stamp_ns) FROM view JOIN keyframe"
        " USING (keyframe_id) WHERE view.object_key = object.object_key) WHERE object_key = ?",
        (object_key,),
    )
    newest = connection.execute(
        "SELECT map_id, map_frame FROM view JOIN keyframe USING (keyframe_id)"
        " WHERE object_key = ? ORDER BY keyframe_id DESC LIMIT 1",
        (object_key,),
    ).fetchone()
    place(connection, object_key, newest["map_id"], newest["map_frame"])
    name(connection, object_key)


def sightings(
    connection: sqlite3.Connection, object_key: int, map_id: str
) -> tuple[list[ObjectView], dict[int, Keyframe]]:
    """An object's newest views on one map since it moved last, ascending, and their keyframes.

    At most ``MAX_SIGHTINGS``, so that what has been seen all the time costs no more than others.
    """
    found = connection.execute(
        "SELECT keyframe_id FROM view JOIN keyframe USING (keyframe_id) WHERE object_key = ?"
        " AND map_id = ? AND keyframe_id >="
        " (SELECT placed_since FROM object o WHERE o.object_key = view.object_key)"
        " ORDER BY keyframe_id DESC LIMIT ?",
        (object_key, map_id, MAX_SIGHTINGS),
    )
    keys = json.dumps([row["keyframe_id"] for row in found])
    keyframes = {
        row["keyframe_id"]: rows.keyframe_from(row)
        for row in connection.execute(
            "SELECT * FROM keyframe WHERE keyframe_id IN (SELECT value FROM json_each(?))", (keys,)
        )
    }
    views = connection.execute(
        "SELECT * FROM view WHERE object_key = ? AND keyframe_id IN"
        " (SELECT value FROM json_each(?)) ORDER BY keyframe_id",
        (object_key, keys),
    )
    return [rows.view_from(row) for row in views], keyframes
