"""What an edit has logged is of the map of then; an undo brings it back on the map of now."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace

import numpy as np

from memory_nodes.geometry import Array
from memory_nodes.mapping.movement import Movement
from memory_nodes.mapping.rigid_fit import moved
from memory_nodes.store import map_corrections
from memory_nodes.store.covariances import turned
from memory_nodes.store.editing.row_changes import Changes, Row
from memory_nodes.store.placed import Placed


def moved_since(connection: sqlite3.Connection, changes: Changes, event_key: int) -> Changes:
    """The changes of an edit, where what they bring back has followed its map."""
    for key, map_key in map_corrections.after_event(connection, event_key):
        movement = map_corrections.movement_of(connection, key)
        removed = dict(changes.removed)
        if "view" in removed:
            removed["view"] = _views(connection, key, movement, removed["view"])
        if "object_place" in removed:
            places = removed["object_place"]
            removed["object_place"] = [_placed(row, map_key, "end_ns", movement) for row in places]
        objects = tuple(
            (object_key, before and _placed(before, map_key, "last_seen_ns", movement), after)
            for object_key, before, after in changes.objects
        )
        changes = replace(changes, objects=objects, removed=removed)
    return changes


def _views(
    connection: sqlite3.Connection, key: int, movement: Movement, views: list[Row]
) -> list[Row]:
    """Measured points move with their keyframes."""
    found = connection.execute(
        "SELECT key, vertex_id FROM map_anchor WHERE correction_key = ? AND kind = ?"
        " AND key IN (SELECT value FROM json_each(?))",
        (key, int(Placed.KEYFRAME), json.dumps([row["keyframe_id"] for row in views])),
    )
    vertex_of = dict(map(tuple, found))
    return [
        _moved(row, "point_", movement.motions[movement.row_of(vertex_of[row["keyframe_id"]])])
        if row["point_x"] is not None and row["keyframe_id"] in vertex_of
        else row
        for row in views
    ]


def _placed(row: Row, map_key: int, stamp: str, movement: Movement) -> Row:
    if row["x"] is None or row["map_key"] != map_key or not len(movement.vertices):
        return row
    place_m, stamp_ns = np.array([[row["x"], row["y"]]]), np.array([row[stamp]], np.int64)
    motion = movement.motions[movement.anchors(place_m, stamp_ns)[0]]
    return _moved(row, "", motion) | {
        "covariance_m2": turned(row["covariance_m2"], float(motion[2]))
    }


def _moved(row: Row, prefix: str, motion: Array) -> Row:
    x, y = f"{prefix}x", f"{prefix}y"
    point_m = moved(motion[np.newaxis], np.array([[row[x], row[y]]]))[0]
    return row | {x: float(point_m[0]), y: float(point_m[1])}
