"""Lines of objects: what they are, how they were seen, and what became of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any, TypeAlias

from memory_nodes.records import ChangeKind, ObjectStatus
from memory_nodes.store import rows

Line: TypeAlias = dict[str, Any]


def objects(connection: sqlite3.Connection) -> Iterator[Line]:
    """With their states, the newest last, their views, and what became of them."""
    for row in connection.execute(
        "SELECT o.*, m.map_id, m.map_frame FROM object o LEFT JOIN map m USING (map_key)"
        " ORDER BY object_key"
    ):
        key = (row["object_key"],)
        states = connection.execute(
            "SELECT * FROM object_state WHERE object_key = ? ORDER BY chunk_id", key
        )
        views = connection.execute(
            "SELECT * FROM view WHERE object_key = ? ORDER BY keyframe_id", key
        )
        yield {
            "object_id": row["object_id"],
            "status": ObjectStatus(row["status"]).name.lower(),
            **{name: row[name] for name in ("first_seen_ns", "last_seen_ns", "view_count")},
            **{name: row[name] for name in ("map_id", "map_frame")},
            "position": _position(row),
            "states": [_state(state) for state in states],
            "views": [_view(view) for view in views],
            **_past(connection, row),
        }


def events(connection: sqlite3.Connection) -> Iterator[Line]:
    """What became of objects; the detail is as the memory keeps it.

    What people did is not among it: it could only be undone among the rows of this memory.
    """
    for row in connection.execute(
        "SELECT e.*, o.object_id FROM object_event e JOIN object o USING (object_key)"
        " WHERE kind IN (SELECT value FROM json_each(?)) ORDER BY event_key",
        (json.dumps([kind.value for kind in ChangeKind]),),
    ):
        yield {
            "event_id": f"event_{row['event_key']}",
            **{name: row[name] for name in ("object_id", "kind", "stamp_ns")},
            "detail": json.loads(row["detail"]),
            "is_undone": bool(row["is_undone"]),
        }


def _past(connection: sqlite3.Connection, row: sqlite3.Row) -> Line:
    """What a person said of an object, where it was, and where it was looked for in vain.

    ``told_apart``: of a pair the one that is made later names the other.
    """
    key = (row["object_key"],)
    places = connection.execute(
        "SELECT * FROM object_place JOIN map USING (map_key) WHERE object_key = ?"
        " ORDER BY place_key",
        key,
    )
    looks = connection.execute(
        "SELECT keyframe_id FROM clear_look WHERE object_key = ? ORDER BY keyframe_id", key
    )
    aliases = connection.execute(
        "SELECT object_id FROM object_alias WHERE object_key = ? ORDER BY object_id", key
    )
    others = connection.execute(
        "SELECT object_id FROM object_distinct JOIN object ON object_key = low_key"
        " WHERE high_key = ? ORDER BY low_key",
        key,
    )
    return {
        **{name: row[name] for name in ("name", "placed_since", "pinned_chunk_id")},
        "is_pinned": bool(row["is_pinned"]),
        "places": [
            {
                **{name: place[name] for name in ("map_id", "map_frame", "start_ns", "end_ns")},
                "position": _position(place),
            }
            for place in places
        ],
        "clear_looks": [look[0] for look in looks],
        "aliases": [alias[0] for alias in aliases],
        "told_apart": [other[0] for other in others],
    }


def _position(row: sqlite3.Row) -> Line | None:
    return rows.position_fields(rows.position_from(row))


def _state(row: sqlite3.Row) -> Line:
    return {
        **{name: row[name] for name in ("chunk_id", "type", "description")},
        "attributes": json.loads(row["attributes"]),
        "affordances": json.loads(row["affordances"]),
    }


def _view(row: sqlite3.Row) -> Line:
    view = rows.view_from(row)
    box = view.box
    return {
        "keyframe_id": view.keyframe_id,
        "box_px": [box.x0_px, box.y0_px, box.x1_px, box.y1_px],
        "confidence": view.confidence,
        "point_map_m": list(view.point_map_m) if view.point_map_m is not None else None,
    }
