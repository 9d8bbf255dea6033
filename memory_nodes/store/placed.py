"""All that the memory places on a map: what of it moves when the map does."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from memory_nodes.geometry import Array
from memory_nodes.mapping.pose_graph import Ints


class Placed(IntEnum):
    """Rows with a place; the numbers are those in the database."""

    KEYFRAME = 0
    OBSERVATION = 1
    OBJECT = 2
    OBJECT_PLACE = 3
    GIST = 4
    ENTITY = 5


@dataclass(frozen=True)
class Table:
    """Where rows of one kind stand, and when they were where they are."""

    name: str
    key: str
    stamp: str
    on_map: str = "map_key = ?"
    x: str = "x"
    y: str = "y"
    points: tuple[str, ...] = ("",)
    """Prefixes of the columns of points."""
    turns: tuple[str, ...] = ()
    """Prefixes of the columns of quaternions."""
    extra: str = ""


_NEWEST_VIEW_NS = (
    "(SELECT stamp_ns FROM keyframe WHERE keyframe_id ="
    " (SELECT max(keyframe_id) FROM view v WHERE v.object_key = object.object_key))"
)
_MIDDLE = "{0} + ({1} - {0}) / 2"
TABLES: Mapping[Placed, Table] = {
    Placed.KEYFRAME: Table(
        *("keyframe", "keyframe_id", "stamp_ns"),
        on_map="(map_id, map_frame) = (SELECT map_id, map_frame FROM map WHERE map_key = ?)",
        x="base_x",
        y="base_y",
        points=("base_", "camera_"),
        turns=("base_", "camera_"),
    ),
    Placed.OBSERVATION: Table("observation", "observation_key", "stamp_ns", turns=("",)),
    # What a person has pinned is where it was seen at first, however often it was seen since. A
    # look on arrival sees it later than the views that say where it is.
    Placed.OBJECT: Table(
        *("object", "object_key", f"iif(is_pinned, first_seen_ns, {_NEWEST_VIEW_NS})"),
        extra="changed = :sequence, covariance_m2 = turned(covariance_m2, m.yaw)",
    ),
    Placed.OBJECT_PLACE: Table(
        *("object_place", "place_key", "end_ns"),
        extra="covariance_m2 = turned(covariance_m2, m.yaw)",
    ),
    Placed.GIST: Table("gist", "gist_key", _MIDDLE.format("start_ns", "end_ns")),
    Placed.ENTITY: Table(
        *("entity", "entity_key", _MIDDLE.format("first_seen_ns", "last_seen_ns")),
        extra="changed = :sequence",
    ),
}


@dataclass(frozen=True)
class Rows:
    """Keys, places and stamps of rows of one kind; shapes (N,), (N, 2) and (N,)."""

    keys: Ints
    points_map_m: Array
    stamps_ns: Ints


def before(
    connection: sqlite3.Connection, kind: Placed, map_key: int, until_ns: int, after_key: int = -1
) -> Rows:
    """Those on a map with a stamp before one and a key after another."""
    table = TABLES[kind]
    found = connection.execute(
        f"SELECT {table.key}, {table.x}, {table.y}, {table.stamp} FROM {table.name}"
        f" WHERE {table.on_map} AND {table.stamp} < ? AND {table.key} > ?"
        f" AND {table.x} IS NOT NULL",
        (map_key, until_ns, after_key),
    ).fetchall()
    return Rows(
        np.array([row[0] for row in found], np.int64),
        np.array([(row[1], row[2]) for row in found], np.float64).reshape(-1, 2),
        np.array([row[3] for row in found], np.int64),
    )


def move(connection: sqlite3.Connection, kind: Placed, correction_key: int, sequence: int) -> None:
    """Moves the rows of a kind that hang on a correction.

    Each as the temporary table ``motion`` says of its vertex: x, y and yaw, with the cosine and
    sine of the turn, and the z and w of its quaternion.
    """
    table = TABLES[kind]
    changes = [change for prefix in table.points for change in _moved(prefix)]
    changes += [change for prefix in table.turns for change in _turned(prefix)]
    values = {"kind": int(kind), "correction": correction_key, "sequence": sequence}
    _run(connection, table.name, table.key, [*changes, *filter(None, [table.extra])], values)
    if kind is Placed.KEYFRAME:
        measured = " AND point_x IS NOT NULL"
        _run(connection, "view", "keyframe_id", _moved("point_"), values, measured)


def _run(
    connection: sqlite3.Connection,
    table: str,
    key: str,
    changes: list[str],
    values: Mapping[str, int],
    where: str = "",
) -> None:
    connection.execute(
        f"UPDATE {table} SET {', '.join(changes)} FROM map_anchor a"
        " JOIN temp.motion m USING (vertex_id) WHERE a.correction_key = :correction"
        f" AND a.kind = :kind AND a.key = {table}.{key}{where}",
        values,
    )


def _moved(prefix: str) -> list[str]:
    x, y = f"{prefix}x", f"{prefix}y"
    return [
        f"{x} = m.cosine * {x} - m.sine * {y} + m.motion_x",
        f"{y} = m.sine * {x} + m.cosine * {y} + m.motion_y",
    ]


def _turned(prefix: str) -> list[str]:
    """The product of quaternions; that of the turn is (0, 0, z, w)."""
    x, y, z, w = (f"{prefix}q{axis}" for axis in "xyzw")
    return [
        f"{x} = m.half_cosine * {x} - m.half_sine * {y}",
        f"{y} = m.half_cosine * {y} + m.half_sine * {x}",
        f"{z} = m.half_cosine * {z} + m.half_sine * {w}",
        f"{w} = m.half_cosine * {w} - m.half_sine * {z}",
    ]
