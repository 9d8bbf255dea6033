"""What is known of an object follows from its views and states: made anew when these change."""

from __future__ import annotations

import json
import sqlite3

from memory_nodes.perception.positions import locate
from memory_nodes.records import Keyframe, ObjectView
from memory_nodes.store import maps, rows, texts
from memory_nodes.store.database import sequence
from memory_nodes.store.schema import object_text


def place(connection: sqlite3.Connection, object_key: int, map_id: str, map_frame: str) -> None:
    """The position is that of all views on one map since it moved; the readers are told of it."""
    position = locate(*sightings(connection, object_key, map_id))
    connection.execute(
        "UPDATE object SET x = ?, y = ?, z = ?, covariance_m2 = ?, map_key = ?, changed = ?"
        " WHERE object_key = ?",
        (
            *rows.position_row(position),
            maps.map_key(connection, map_id, map_frame),
            *(sequence(connection), object_key),
        ),
    )


def name(connection: sqlite3.Connection, object_key: int) -> None:
    """The text by which it is searched is that of its newest state."""
    state = connection.execute(
        "SELECT type, description, attributes FROM object_state WHERE object_key = ?"
        " ORDER BY chunk_id DESC LIMIT 1",
        (object_key,),
    ).fetchone()
    attributes = json.loads(state["attributes"])
    text = object_text(state["type"], state["description"], list(attributes.values()))
    text_key = texts.intern(connection, [text])[text]
    old_key = connection.execute(
        "SELECT text_key FROM object WHERE object_key = ?", (object_key,)
    ).fetchone()[0]
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
    """An object's views on one map since it moved last, ascending, and their keyframes."""
    since = connection.execute(
        "SELECT placed_since FROM object WHERE object_key = ?", (object_key,)
    ).fetchone()[0]
    keyframes = {
        row["keyframe_id"]: rows.keyframe_from(row)
        for row in connection.execute(
            "SELECT * FROM keyframe WHERE map_id = ? AND keyframe_id IN"
            " (SELECT keyframe_id FROM view WHERE object_key = ? AND keyframe_id >= ?)",
            (map_id, object_key, since),
        )
    }
    views = [
        rows.view_from(row)
        for row in connection.execute(
            "SELECT * FROM view WHERE object_key = ? ORDER BY keyframe_id", (object_key,)
        )
        if row["keyframe_id"] in keyframes
    ]
    return views, keyframes
