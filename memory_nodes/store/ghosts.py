"""Ghosts: what was seen once, without confidence. It expires when it is looked for, or old."""

from __future__ import annotations

import sqlite3

from memory_nodes.records import NS_PER_S, ChangeKind, ChunkGraph, ItemKind, ObjectStatus
from memory_nodes.store import object_events, objects, rows, texts

_IS_DOUBTFUL = (
    "view_count = 1 AND NOT is_pinned AND EXISTS"
    " (SELECT 1 FROM view v WHERE v.object_key = object.object_key AND v.confidence < ?)"
    " AND NOT EXISTS (SELECT 1 FROM edited_object e WHERE e.object_key = object.object_key)"
)
_OLD = f"SELECT * FROM object WHERE last_seen_ns < ? AND status NOT IN (?, ?) AND {_IS_DOUBTFUL}"


def is_doubtful(connection: sqlite3.Connection, object_key: int, confidence: float) -> bool:
    """Whether an object was seen once, with less confidence, and never edited by a person."""
    found = connection.execute(
        f"SELECT 1 FROM object WHERE object_key = ? AND {_IS_DOUBTFUL}", (object_key, confidence)
    )
    return found.fetchone() is not None


def expire(connection: sqlite3.Connection, known: sqlite3.Row, stamp_ns: int) -> None:
    """Takes an object out of all answers, with an event."""
    key = known["object_key"]
    objects.set_status(connection, key, ObjectStatus.EXPIRED)
    texts.bury(connection, ItemKind.OBJECT, [key])
    place = rows.position_from(known)
    object_events.record(connection, key, ChangeKind.EXPIRED, stamp_ns, place)


def expire_old(
    connection: sqlite3.Connection, graph: ChunkGraph, confidence: float, after_s: float
) -> None:
    """Lets go what is doubtful and was not seen again for so long, when a chunk shows other things.

    Only the time of sessions counts: a robot that is switched off looks at nothing.
    """
    before_ns = _stamp_before(connection, round(after_s * NS_PER_S))
    if before_ns is None or not graph.objects:
        return
    gone = (int(ObjectStatus.MISSING), int(ObjectStatus.EXPIRED))
    for row in connection.execute(_OLD, (before_ns, *gone, confidence)).fetchall():
        expire(connection, row, graph.chunk.keyframes[-1].stamp_ns)


def _stamp_before(connection: sqlite3.Connection, lasting_ns: int) -> int | None:
    """Since when sessions have lasted so long in all; None where they have not yet."""
    left_ns = lasting_ns
    for start_ns, end_ns in connection.execute(
        "SELECT start_ns, end_ns FROM session ORDER BY end_ns DESC"
    ):
        if end_ns - start_ns >= left_ns:
            return int(end_ns - left_ns)
        left_ns -= end_ns - start_ns
    return None
