"""The log of what became of objects."""

from __future__ import annotations

import json
import sqlite3

from memory_nodes.geometry import PointEstimate
from memory_nodes.records import ChangeKind
from memory_nodes.store import rows


def record(
    connection: sqlite3.Connection,
    key: int,
    kind: ChangeKind,
    stamp_ns: int,
    old: PointEstimate | None = None,
    new: PointEstimate | None = None,
) -> None:
    """Writes an event down."""
    detail = {"old": rows.position_fields(old), "new": rows.position_fields(new)}
    connection.execute(
        "INSERT INTO object_event (object_key, kind, stamp_ns, detail) VALUES (?, ?, ?, ?)",
        (key, kind.value, stamp_ns, json.dumps(detail)),
    )
