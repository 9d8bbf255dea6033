"""All that a memory knows of objects, row by row, to compare before and after."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any, TypeAlias

from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.editing.edit_log import KINDS

_TABLES = (
    *("object", "object_state", "view", "view_embedding", "relation", "object_place"),
    *("object_alias", "object_distinct", "link", "row_count"),
)
_BOOKKEEPING = ("changed", "text_key")
"""Tell the readers that a row is new, and where its text is now."""


Rows: TypeAlias = dict[str, list[tuple[Any, ...]]]


def object_rows(memory_dir: Path) -> Rows:
    """Sorted rows by table, the texts that there are, what each object is searched by, and whose
    the events are that no person made.
    """
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    try:
        dump = {table: _rows(connection, table) for table in _TABLES}
        queries = {
            "text": "SELECT text FROM text ORDER BY 1",
            "searched by": "SELECT object_id, text FROM object LEFT JOIN text USING (text_key)"
            " ORDER BY 1",
            "event": "SELECT event_key, object_key, kind FROM object_event"
            f" WHERE kind NOT IN ({', '.join(map(repr, KINDS))}) ORDER BY 1",
        }
        return dump | {name: connection.execute(q).fetchall() for name, q in queries.items()}
    finally:
        connection.close()


def faults(memory_dir: Path) -> list[tuple[Any, ...]]:
    """What contradicts itself: rows without what they refer to, objects without view or state."""
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    try:
        return [
            *connection.execute("PRAGMA foreign_key_check"),
            *connection.execute(
                "SELECT object_id, view_count, n FROM (SELECT object_id, view_count, first_seen_ns,"
                " last_seen_ns, count(*) AS n, min(stamp_ns) AS first, max(stamp_ns) AS last"
                " FROM object LEFT JOIN view USING (object_key) LEFT JOIN keyframe"
                " USING (keyframe_id) GROUP BY object_key)"
                " WHERE view_count != n OR first_seen_ns != first OR last_seen_ns != last"
            ),
            *connection.execute(
                "SELECT object_id, chunk_id FROM object JOIN view USING (object_key) JOIN keyframe"
                " USING (keyframe_id) WHERE NOT EXISTS (SELECT 1 FROM object_state s WHERE"
                " s.object_key = object.object_key AND s.chunk_id = keyframe.chunk_id)"
            ),
            *connection.execute("SELECT * FROM relation WHERE subject_key = object_key"),
            *connection.execute("SELECT object_id FROM object_alias JOIN object USING (object_id)"),
        ]
    finally:
        connection.close()


def _rows(connection: sqlite3.Connection, table: str) -> list[tuple[Any, ...]]:
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    kept = ", ".join(column for column in columns if column not in _BOOKKEEPING)
    return sorted(connection.execute(f"SELECT {kept} FROM {table}"), key=repr)
