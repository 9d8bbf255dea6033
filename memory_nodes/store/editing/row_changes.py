"""What an edit changed in the rows of some objects, and how to change it back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from memory_nodes.errors import InputError

Row: TypeAlias = dict[str, Any]
Rows: TypeAlias = dict[str, dict[tuple[Any, ...], Row]]
"""Rows by table and primary key."""


@dataclass(frozen=True)
class _Table:
    primary_key: tuple[str, ...]
    of_objects: str
    """Holds for the rows of some objects; ``keys`` are theirs."""


_OWN = "object_key IN keys"
_TABLES: dict[str, _Table] = {
    "object_state": _Table(("object_key", "chunk_id"), _OWN),
    "view": _Table(("object_key", "keyframe_id"), _OWN),
    "view_embedding": _Table(("model_id", "object_key", "keyframe_id"), _OWN),
    "relation": _Table(
        ("subject_key", "predicate", "object_key", "keyframe_id"),
        "object_key IN keys OR subject_key IN keys",
    ),
    "object_place": _Table(("place_key",), _OWN),
    "object_alias": _Table(("object_id",), _OWN),
    "object_distinct": _Table(("low_key", "high_key"), "low_key IN keys OR high_key IN keys"),
}
"""Whatever has the key of an object, what others refer to before what refers to it. Not entities:
they go on changing, and stay with the object that they came to."""
_PLACE = ("x", "y", "z", "covariance_m2", "point_x", "point_y", "point_z")
_OBJECT = _Table(("object_key",), _OWN)


@dataclass(frozen=True)
class State:
    """The rows of some objects at one moment."""

    objects: dict[int, Row]
    rows: Rows


@dataclass(frozen=True)
class Changes:
    """From one state to a later one; can be written as JSON."""

    objects: tuple[tuple[int, Row | None, Row | None], ...]
    """Key, row before and after; None: it was not, or is not there."""
    removed: dict[str, list[Row]]
    added: dict[str, list[Row]]
    """By table. A row that differs is in both."""

    @property
    def made(self) -> set[int]:
        """Objects that were not there before."""
        return {key for key, before, _ in self.objects if before is None}


def capture(
    connection: sqlite3.Connection, object_keys: Iterable[int], *, only_objects: bool = False
) -> State:
    """The rows of these objects; ``only_objects``: without their views, states and so on."""
    keys = sorted(object_keys)
    objects = {key[0]: row for key, row in _read(connection, "object", _OBJECT, keys).items()}
    tables = {} if only_objects else _TABLES
    return State(
        objects, {name: _read(connection, name, table, keys) for name, table in tables.items()}
    )


def difference(before: State, after: State) -> Changes:
    """What differs."""
    removed, added = {}, {}
    for name in before.rows:
        old, new = before.rows[name], after.rows[name]
        removed[name] = [row for key, row in old.items() if new.get(key) != row]
        added[name] = [row for key, row in new.items() if old.get(key) != row]
    keys = sorted({*before.objects, *after.objects})
    return Changes(
        tuple((key, before.objects.get(key), after.objects.get(key)) for key in keys),
        {name: found for name, found in removed.items() if found},
        {name: found for name, found in added.items() if found},
    )


def remove_rows(connection: sqlite3.Connection, rows: Mapping[str, list[Row]]) -> None:
    """Raises InputError where one is not there as it was."""
    for name in reversed(_TABLES):
        for row in rows.get(name, []):
            known = without_place(row)
            where = " AND ".join(f"{column} IS ?" for column in known)
            found = connection.execute(f"DELETE FROM {name} WHERE {where}", tuple(known.values()))
            if found.rowcount != 1:
                raise InputError(f"a row of {name} that it made is not there any more")


def without_place(row: Row) -> Row:
    """A row by what stays when its map moves."""
    return {column: value for column, value in row.items() if column not in _PLACE}


def insert_rows(connection: sqlite3.Connection, rows: Mapping[str, list[Row]]) -> None:
    """Raises sqlite3.IntegrityError where another one has its place, or what it needs is gone."""
    for name in _TABLES:
        for row in rows.get(name, []):
            insert_row(connection, name, row)


def insert_row(connection: sqlite3.Connection, table: str, row: Row) -> None:
    marks = ", ".join("?" * len(row))
    connection.execute(
        f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values())
    )


def to_json(changes: Changes) -> dict[str, Any]:
    """Bytes as {"hex": digits}."""
    return {
        "objects": [list(item) for item in changes.objects],
        "removed": _mapped(changes.removed, _encoded),
        "added": _mapped(changes.added, _encoded),
    }


def from_json(values: Mapping[str, Any]) -> Changes:
    """What ``to_json`` made."""
    return Changes(
        tuple((key, before, after) for key, before, after in values["objects"]),
        _mapped(values["removed"], _decoded),
        _mapped(values["added"], _decoded),
    )


def _read(
    connection: sqlite3.Connection, name: str, table: _Table, keys: list[int]
) -> dict[tuple[Any, ...], Row]:
    found = connection.execute(
        "WITH keys AS (SELECT value FROM json_each(?))"
        f" SELECT * FROM {name} WHERE {table.of_objects}",
        (json.dumps(keys),),
    )
    rows = (dict(zip(row.keys(), row, strict=True)) for row in found)
    return {tuple(row[column] for column in table.primary_key): row for row in rows}


def _mapped(rows: Mapping[str, list[Row]], change: Any) -> dict[str, list[Row]]:
    return {
        name: [{column: change(value) for column, value in row.items()} for row in of_table]
        for name, of_table in rows.items()
    }


def _encoded(value: Any) -> Any:
    return {"hex": value.hex()} if isinstance(value, bytes) else value


def _decoded(value: Any) -> Any:
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value
