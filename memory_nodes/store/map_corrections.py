"""The log of corrections: how maps have moved, and what moved along."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from memory_nodes.errors import InputError
from memory_nodes.geometry import Array
from memory_nodes.mapping.movement import Movement
from memory_nodes.mapping.pose_graph import PoseGraph
from memory_nodes.store.bulk import insert_all
from memory_nodes.store.placed import Placed

KEPT = 10
"""Corrections of a map that can be undone; of older ones nobody knows what they moved."""
SHIFTED = (
    "SELECT a.key FROM map_anchor a JOIN map_correction c USING (correction_key)"
    " WHERE c.sequence > ? AND a.kind = ?"
)
"""Keys of the rows of a kind that were corrected after a commit."""
_MOTION_COLUMNS = (
    *("correction_key", "vertex_id", "made_ns", "x", "y"),
    *("motion_x", "motion_y", "motion_yaw"),
)
_APPLIED = "sequence IS NOT NULL AND NOT is_undone"


@dataclass(frozen=True)
class MapCorrection:
    """A movement of a map, which its poses have followed."""

    correction_key: int
    map_id: str
    map_frame: str
    until_ns: int
    """Poses of before this stamp have followed it."""
    keyframes: int
    stale_m: float | None = None
    """How far the map has moved, where nobody knows how: poses are less certain by that."""
    is_undone: bool = False


def corrections(connection: sqlite3.Connection, map_id: str = "") -> list[MapCorrection]:
    """Of one map or all, oldest first."""
    found = connection.execute(
        "SELECT c.*, m.map_id, m.map_frame, (SELECT count(*) FROM map_anchor a WHERE"
        " a.correction_key = c.correction_key AND kind = ?) AS keyframes"
        " FROM map_correction c JOIN map m USING (map_key)"
        " WHERE sequence IS NOT NULL AND ? IN ('', map_id) ORDER BY correction_key",
        (int(Placed.KEYFRAME), map_id),
    )
    return [
        MapCorrection(
            correction_key=row["correction_key"],
            map_id=row["map_id"],
            map_frame=row["map_frame"],
            until_ns=row["until_ns"],
            keyframes=row["keyframes"],
            stale_m=row["stale_m"],
            is_undone=bool(row["is_undone"]),
        )
        for row in found
    ]


def insert(
    connection: sqlite3.Connection,
    map_key: int,
    span_ns: tuple[int, int],
    stale_m: float | None = None,
) -> int:
    """A correction that is not applied yet; its key."""
    return int(
        connection.execute(
            "INSERT INTO map_correction (map_key, from_ns, until_ns, stale_m) VALUES (?, ?, ?, ?)",
            (map_key, *span_ns, stale_m),
        ).lastrowid
        or 0
    )


def insert_motions(connection: sqlite3.Connection, key: int, movement: Movement) -> None:
    vertices = movement.vertices
    columns = zip(
        vertices.ids.tolist(),
        vertices.made_ns.tolist(),
        vertices.points_map_m.tolist(),
        movement.motions.tolist(),
        strict=True,
    )
    values = [(key, vertex, made_ns, *point, *motion) for vertex, made_ns, point, motion in columns]
    insert_all(connection, "INSERT INTO map_motion", _MOTION_COLUMNS, values)


def insert_anchors(
    connection: sqlite3.Connection,
    key: int,
    kind: Placed,
    anchors: Iterable[tuple[int, int | None]],
) -> None:
    """``anchors``: keys of rows, and the vertices that they hang on."""
    values = [(key, int(kind), row, vertex) for row, vertex in anchors]
    names = ("correction_key", "kind", "key", "vertex_id")
    insert_all(connection, "INSERT INTO map_anchor", names, values)


def set_applied(
    connection: sqlite3.Connection, key: int, sequence: int, *, is_undone: bool = False
) -> None:
    connection.execute(
        "UPDATE map_correction SET sequence = ?, is_undone = ?, last_event_key ="
        " (SELECT coalesce(max(event_key), 0) FROM object_event) WHERE correction_key = ?",
        (sequence, is_undone, key),
    )


def movement_of(connection: sqlite3.Connection, key: int) -> Movement:
    """How the map moved at a correction."""
    found = connection.execute(
        "SELECT vertex_id, made_ns, x, y, motion_x, motion_y, motion_yaw FROM map_motion"
        " WHERE correction_key = ? ORDER BY vertex_id",
        (key,),
    ).fetchall()
    ids, made_ns = np.array([row[:2] for row in found], np.int64).reshape(-1, 2).T
    table = np.array([row[2:] for row in found], np.float64).reshape(-1, 5)
    return Movement(PoseGraph(ids, table[:, :2], made_ns), table[:, 2:])


def inverse(motions: Array) -> Array:
    """Motions back again, shape (N, 3)."""
    x_m, y_m, yaw_rad = motions.T
    cosine, sine = np.cos(yaw_rad), np.sin(yaw_rad)
    return np.stack([-cosine * x_m - sine * y_m, sine * x_m - cosine * y_m, -yaw_rad], axis=1)


def later_than(
    connection: sqlite3.Connection, map_key: int, stamp_ns: int
) -> list[tuple[int, float | None]]:
    """Keys of the corrections that what was recorded at a stamp has missed, oldest first.

    With each the distance that makes poses stale; None where the movement is known.
    """
    found = connection.execute(
        f"SELECT correction_key, stale_m FROM map_correction WHERE map_key = ? AND {_APPLIED}"
        " AND from_ns <= ? AND until_ns > ? ORDER BY correction_key",
        (map_key, stamp_ns, stamp_ns),
    )
    return [(row["correction_key"], row["stale_m"]) for row in found]


def after_event(connection: sqlite3.Connection, event_key: int) -> list[tuple[int, int]]:
    """Keys of the corrections that moved what an edit had logged, and of their maps, in order."""
    found = connection.execute(
        f"SELECT correction_key, map_key FROM map_correction WHERE {_APPLIED}"
        " AND stale_m IS NULL AND NOT is_final AND last_event_key >= ? ORDER BY correction_key",
        (event_key,),
    )
    return [(row["correction_key"], row["map_key"]) for row in found]


def undoable(connection: sqlite3.Connection, key: int) -> sqlite3.Row:
    """The row of a correction. Raises InputError where it cannot be undone."""
    row: sqlite3.Row | None = connection.execute(
        "SELECT c.*, m.map_id, m.map_frame FROM map_correction c JOIN map m USING (map_key)"
        f" WHERE correction_key = ? AND {_APPLIED}",
        (key,),
    ).fetchone()
    if row is None:
        raise InputError(f"no map correction {key} that could be undone")
    newest = connection.execute(
        f"SELECT max(correction_key) FROM map_correction WHERE map_key = ? AND {_APPLIED}",
        (row["map_key"],),
    ).fetchone()[0]
    if newest != key:
        raise InputError(f"map correction {newest} came after {key}: undo that one first")
    if row["is_final"]:
        raise InputError(f"map correction {key} is too old: only the last {KEPT} can be undone")
    return row


def drop_unapplied(connection: sqlite3.Connection) -> None:
    """What a crash has left half prepared."""
    connection.execute("DELETE FROM map_correction WHERE sequence IS NULL")


def finish_old(connection: sqlite3.Connection, map_key: int) -> None:
    """Forgets what the oldest ones moved; a reader that is behind them reads all anew."""
    old = connection.execute(
        "SELECT correction_key, sequence FROM map_correction WHERE map_key = ? AND NOT is_final"
        " AND sequence IS NOT NULL ORDER BY correction_key DESC LIMIT -1 OFFSET ?",
        (map_key, KEPT),
    ).fetchall()
    for row in old:
        key = (row["correction_key"],)
        connection.execute(
            "UPDATE tombstone_floor SET sequence = max(sequence, ?)", (row["sequence"],)
        )
        connection.execute("DELETE FROM map_anchor WHERE correction_key = ?", key)
        connection.execute("DELETE FROM map_motion WHERE correction_key = ?", key)
        connection.execute("UPDATE map_correction SET is_final = 1 WHERE correction_key = ?", key)
