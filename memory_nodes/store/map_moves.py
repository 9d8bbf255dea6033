"""Poses follow their map: all that is placed on it moves in one commit, and back again."""

from __future__ import annotations

import sqlite3
import time

import numpy as np

from memory_nodes.geometry import Array
from memory_nodes.mapping.movement import Movement
from memory_nodes.mapping.pose_graph import PoseGraph
from memory_nodes.mapping.rigid_fit import moved
from memory_nodes.store import map_corrections, map_graphs, maps, objects, placed
from memory_nodes.store.covariances import turned
from memory_nodes.store.database import Database, sequence, snapshot
from memory_nodes.store.placed import Placed, Rows

SLICE = 1000
"""Rows that are prepared in one commit: it takes some milliseconds, for which others wait."""
SETTLED_SLICE = 5
"""Objects whose places are solved anew in one commit."""
PAUSE_S = 0.001
"""Between two commits, or this thread would take the lock again before those that wait for it."""
SETTLED_M = 0.02
"""Where the views of an object moved by more apart, its place is solved anew."""


def follow(
    database: Database, map_key: int, heard: PoseGraph, until_ns: int, min_move_m: float
) -> int | None:
    """Moves all of before a stamp as the vertices have moved; the key of the correction.

    None where the map has moved by less than ``min_move_m`` since it was followed last: that is
    noise, and adds up until it is none. All is worked out and written down beforehand, in small
    commits that nobody sees; one commit then moves it. Nothing else may correct meanwhile.
    """
    with database.reading() as connection:
        known = map_graphs.known(connection, map_key)
    movement = Movement.between(known, heard)
    if movement.largest_m < min_move_m:
        if not np.array_equal(known.ids, heard.ids):
            with database.transaction() as connection:
                map_graphs.take(connection, map_key, heard, moves=False)
        return None
    with database.transaction() as connection:
        map_corrections.drop_unapplied(connection)
        key = map_corrections.insert(connection, map_key, (0, until_ns))
        map_corrections.insert_motions(connection, key, movement)
    seen = {kind: _prepare(database, key, kind, map_key, movement, until_ns) for kind in Placed}
    with database.transaction() as connection:
        for kind, last_key in seen.items():  # what came since
            rows = placed.before(connection, kind, map_key, until_ns, last_key)
            map_corrections.insert_anchors(connection, key, kind, _anchored(rows, movement))
        _move(connection, key, movement.vertices, movement.motions)
        map_graphs.take(connection, map_key, movement.level(heard), moves=True)
        map_corrections.set_applied(connection, key, sequence(connection))
    settle(database, key)
    with database.transaction() as connection:
        map_corrections.finish_old(connection, map_key)
    return key


def undo(connection: sqlite3.Connection, key: int) -> None:
    """Moves all back that a correction has moved. ``settle`` is to come after it."""
    movement = map_corrections.movement_of(connection, key)
    back = map_corrections.inverse(movement.motions)
    _move(connection, key, movement.vertices, back)
    map_corrections.set_applied(connection, key, sequence(connection), is_undone=True)


def settle(database: Database, key: int) -> None:
    """Solves the places of objects anew that were seen from places which moved differently.

    Each has moved with one vertex already: what is left is the difference.
    """
    with snapshot(database.memory_dir) as connection:
        map_id, map_frame = connection.execute(
            "SELECT map_id, map_frame FROM map JOIN map_correction USING (map_key)"
            " WHERE correction_key = ?",
            (key,),
        ).fetchone()
        keys = _seen_from_several(connection, key)
    for first in range(0, len(keys), SETTLED_SLICE):
        with database.transaction() as connection:
            for object_key in keys[first : first + SETTLED_SLICE]:
                objects.place(connection, object_key, map_id, map_frame)
        time.sleep(PAUSE_S)


def map_key_of(database: Database, map_id: str, map_frame: str) -> int:
    """The key of a map, which is made known if it was not."""
    with database.reading() as connection:
        found = maps.known_key(connection, map_id, map_frame)
    if found is not None:
        return found
    with database.transaction() as connection:
        return maps.map_key(connection, map_id, map_frame)


def _prepare(
    database: Database, key: int, kind: Placed, map_key: int, movement: Movement, until_ns: int
) -> int:
    """Writes down what rows hang on, and gives the key of the last one."""
    with snapshot(database.memory_dir) as connection:  # all may take long: others write meanwhile
        rows = placed.before(connection, kind, map_key, until_ns)
    anchors = _anchored(rows, movement)
    for first in range(0, len(anchors), SLICE):
        with database.transaction() as connection:
            map_corrections.insert_anchors(connection, key, kind, anchors[first : first + SLICE])
        time.sleep(PAUSE_S)
    return int(rows.keys.max(initial=-1))


def _anchored(rows: Rows, movement: Movement) -> list[tuple[int, int]]:
    """Those that move, each with its vertex."""
    if not len(rows.keys):
        return []
    at = movement.anchors(rows.points_map_m, rows.stamps_ns)
    moves = np.flatnonzero(movement.motions[at].any(axis=1))
    vertices = movement.vertices.ids[at[moves]]
    return list(zip(rows.keys[moves].tolist(), vertices.tolist(), strict=True))


def _move(connection: sqlite3.Connection, key: int, vertices: PoseGraph, motions: Array) -> None:
    connection.create_function("turned", 2, turned, deterministic=True)
    connection.execute(
        "CREATE TEMP TABLE motion (vertex_id INTEGER PRIMARY KEY, motion_x, motion_y, yaw,"
        " cosine, sine, half_cosine, half_sine)"
    )
    yaw_rad = motions[:, 2]
    columns = (motions, np.cos(yaw_rad), np.sin(yaw_rad), np.cos(yaw_rad / 2), np.sin(yaw_rad / 2))
    table = np.column_stack(columns).tolist()
    connection.executemany(
        "INSERT INTO temp.motion VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(vertex, *row) for vertex, row in zip(vertices.ids.tolist(), table, strict=True)],
    )
    for kind in Placed:
        placed.move(connection, kind, key, sequence(connection))
    connection.execute("DROP TABLE temp.motion")


def _seen_from_several(connection: sqlite3.Connection, key: int) -> list[int]:
    """Objects whose views hang on vertices that moved differently, or not at all."""
    movement = map_corrections.movement_of(connection, key)
    found = connection.execute(
        "SELECT o.object_key, o.x, o.y, a.vertex_id FROM object o JOIN view v USING (object_key)"
        " LEFT JOIN map_anchor a ON a.correction_key = ?1 AND a.kind = ?2"
        " AND a.key = v.keyframe_id WHERE o.x IS NOT NULL AND NOT o.is_pinned"
        " AND v.keyframe_id >= o.placed_since"
        " AND o.map_key = (SELECT map_key FROM map_correction WHERE correction_key = ?1)"
        " GROUP BY o.object_key, a.vertex_id ORDER BY o.object_key",
        (key, int(Placed.KEYFRAME)),
    ).fetchall()
    still = np.zeros(3)
    motions = np.array(
        [
            still if row["vertex_id"] is None else movement.motions[movement.row_of(row[3])]
            for row in found
        ]
    ).reshape(-1, 3)
    points_m = np.array([row[1:3] for row in found], np.float64).reshape(-1, 2)
    landed_m = moved(motions, points_m)
    keys = np.array([row[0] for row in found], np.int64)
    firsts = np.searchsorted(keys, keys)
    apart_m = np.linalg.norm(landed_m - landed_m[firsts], axis=1)
    return [int(key) for key in np.unique(keys[apart_m >= SETTLED_M])]
