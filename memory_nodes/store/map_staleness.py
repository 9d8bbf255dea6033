"""The map has moved, and nobody knows how: earlier poses are kept, and are less certain."""

from __future__ import annotations

import sqlite3

from memory_nodes.store import map_corrections, placed
from memory_nodes.store.covariances import widened
from memory_nodes.store.database import sequence
from memory_nodes.store.placed import Placed

STALE = (Placed.KEYFRAME, Placed.OBJECT)
"""What has a covariance that can be widened."""


def session_start_ns(connection: sqlite3.Connection, map_key: int, span_ns: tuple[int, int]) -> int:
    """When the sessions began that reach into a time; its own start where there are none."""
    start_ns = connection.execute(
        "SELECT min(start_ns) FROM session WHERE map_key = ? AND end_ns >= ? AND start_ns <= ?",
        (map_key, *span_ns),
    ).fetchone()[0]
    return span_ns[0] if start_ns is None else min(span_ns[0], start_ns)


def mark(
    connection: sqlite3.Connection, map_key: int, span_ns: tuple[int, int], stale_m: float
) -> int:
    """Marks what was recorded from one stamp on until another; the key of the correction."""
    from_ns, until_ns = span_ns
    key = map_corrections.insert(connection, map_key, (from_ns, until_ns), stale_m)
    for kind in STALE:
        rows = placed.before(connection, kind, map_key, until_ns)
        keys = rows.keys[rows.stamps_ns >= from_ns].tolist()
        map_corrections.insert_anchors(connection, key, kind, [(row, None) for row in keys])
    _widen(connection, key, stale_m**2)
    map_corrections.set_applied(connection, key, sequence(connection))
    map_corrections.finish_old(connection, map_key)
    return key


def undo(connection: sqlite3.Connection, key: int, stale_m: float) -> None:
    """What ``mark`` has marked is as certain as before."""
    _widen(connection, key, -(stale_m**2))
    map_corrections.set_applied(connection, key, sequence(connection), is_undone=True)


def _widen(connection: sqlite3.Connection, key: int, by_m2: float) -> None:
    connection.create_function("widened", 2, widened, deterministic=True)
    connection.execute(
        "UPDATE keyframe SET stale_m2 = max(0.0, stale_m2 + ?) FROM map_anchor a"
        " WHERE a.correction_key = ? AND a.kind = ? AND a.key = keyframe_id",
        (by_m2, key, int(Placed.KEYFRAME)),
    )
    connection.execute(
        "UPDATE object SET covariance_m2 = widened(covariance_m2, ?), changed = ?"
        " FROM map_anchor a WHERE a.correction_key = ? AND a.kind = ? AND a.key = object_key",
        (by_m2, sequence(connection), key, int(Placed.OBJECT)),
    )
