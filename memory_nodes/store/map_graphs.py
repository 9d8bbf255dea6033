"""Pose graphs of maps, as the poses on them take them to be."""

from __future__ import annotations

import sqlite3

import numpy as np

from memory_nodes.mapping.pose_graph import PoseGraph


def known(connection: sqlite3.Connection, map_key: int) -> PoseGraph:
    """The vertices of a map; none where no graph was heard of."""
    found = connection.execute(
        "SELECT vertex_id, x, y, made_ns FROM map_vertex WHERE map_key = ? ORDER BY vertex_id",
        (map_key,),
    ).fetchall()
    return PoseGraph(
        np.array([row[0] for row in found], np.int64),
        np.array([(row[1], row[2]) for row in found], np.float64).reshape(-1, 2),
        np.array([row[3] for row in found], np.int64),
    )


def all_known(connection: sqlite3.Connection, map_frame: str) -> dict[str, PoseGraph]:
    """The vertices of every map in a frame that has some, by its id."""
    found = connection.execute(
        "SELECT map_id, map_key FROM map WHERE map_frame = ?"
        " AND map_key IN (SELECT map_key FROM map_vertex) ORDER BY map_key",
        (map_frame,),
    ).fetchall()
    return {row["map_id"]: known(connection, row["map_key"]) for row in found}


def take(connection: sqlite3.Connection, map_key: int, heard: PoseGraph, *, moves: bool) -> None:
    """Takes the vertices of a graph for those of a map: new ones come, missing ones are dropped.

    ``moves``: those that are known are where the graph has them; else they stay where they were.
    """
    before = known(connection, map_key)
    gone = np.setdiff1d(before.ids, heard.ids)
    connection.executemany(
        "DELETE FROM map_vertex WHERE map_key = ? AND vertex_id = ?",
        [(map_key, key) for key in gone.tolist()],
    )
    fresh = heard if moves else heard.rows(np.flatnonzero(~np.isin(heard.ids, before.ids)))
    connection.executemany(
        "INSERT INTO map_vertex (map_key, vertex_id, made_ns, x, y) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (map_key, vertex_id) DO UPDATE SET x = excluded.x, y = excluded.y",
        [
            (map_key, key, made_ns, *point)
            for key, made_ns, point in zip(
                fresh.ids.tolist(), fresh.made_ns.tolist(), fresh.points_map_m.tolist(), strict=True
            )
        ],
    )


def forget_unused(connection: sqlite3.Connection) -> None:
    """Of a map without sessions nothing is left, nor of how it has moved."""
    for table in ("map_vertex", "map_correction"):
        connection.execute(
            f"DELETE FROM {table} WHERE map_key NOT IN (SELECT map_key FROM session)"
        )
