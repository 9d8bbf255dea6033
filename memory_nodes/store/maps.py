"""Maps and the sessions on them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from memory_nodes.records import Keyframe


def map_key(connection: sqlite3.Connection, map_id: str, map_frame: str) -> int:
    """The key of a map in one frame, which is made known if it was not."""
    connection.execute(
        "INSERT OR IGNORE INTO map (map_id, map_frame) VALUES (?, ?)", (map_id, map_frame)
    )
    key = known_key(connection, map_id, map_frame)
    assert key is not None
    return key


def known_key(connection: sqlite3.Connection, map_id: str, map_frame: str) -> int | None:
    """The key of a map in one frame; None where it is not known."""
    row = connection.execute(
        "SELECT map_key FROM map WHERE map_id = ? AND map_frame = ?", (map_id, map_frame)
    ).fetchone()
    return None if row is None else int(row[0])


def note_sessions(connection: sqlite3.Connection, keyframes: Sequence[Keyframe]) -> None:
    """Sessions reach from their first to their last keyframe."""
    for keyframe in keyframes:
        connection.execute(
            "INSERT INTO session (session_id, map_key, start_ns, end_ns) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (session_id) DO UPDATE SET"
            " start_ns = min(start_ns, excluded.start_ns), end_ns = max(end_ns, excluded.end_ns)",
            (
                *(keyframe.session_id, map_key(connection, keyframe.map_id, keyframe.map_frame)),
                *(keyframe.stamp_ns, keyframe.stamp_ns),
            ),
        )
