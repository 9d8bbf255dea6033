"""Objects as the memory knows them now, from their rows, states and views."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping

from memory_nodes.records import AttributeValue, ObjectDescriptor, ObjectStatus
from memory_nodes.store import attribute_history, objects, rows
from memory_nodes.store.database import among


def of_keys(
    connection: sqlite3.Connection, object_keys: Iterable[int | None] | None
) -> dict[int, ObjectDescriptor]:
    """Those that there are of these, or all, by key, ascending."""
    where, values = among("object_key", object_keys)
    states = _grouped(connection, f"SELECT * FROM object_state {where} ORDER BY chunk_id", values)
    views = _grouped(connection, f"SELECT * FROM view {where} ORDER BY keyframe_id", values)
    aliases = _grouped(connection, f"SELECT * FROM object_alias {where} ORDER BY object_id", values)
    found = connection.execute(f"SELECT * FROM object {where} ORDER BY object_key", values)
    known = {row["object_key"]: row for row in found}
    counting = {key: _counting(row, states[key]) for key, row in known.items()}
    histories = attribute_history.of_objects(connection, counting)
    return {
        key: _object(row, states[key], views[key], aliases[key], histories.get(key, {}))
        for key, row in known.items()
    }


def newest(
    connection: sqlite3.Connection, object_ids: Iterable[str], view_count: int
) -> list[ObjectDescriptor]:
    """Each only with so many newest views, and the words of its newest state; ascending by key."""
    where, values = among("object_id", object_ids)
    found = connection.execute(f"SELECT * FROM object {where} ORDER BY object_key", values)
    return [_newest(connection, row, view_count) for row in found.fetchall()]


def _newest(connection: sqlite3.Connection, row: sqlite3.Row, view_count: int) -> ObjectDescriptor:
    key = (row["object_key"],)
    views = connection.execute(
        "SELECT * FROM view WHERE object_key = ? ORDER BY keyframe_id DESC LIMIT ?",
        (*key, view_count),
    ).fetchall()[::-1]
    aliases = connection.execute(
        "SELECT * FROM object_alias WHERE object_key = ? ORDER BY object_id", key
    ).fetchall()
    states = [objects.current_state(connection, row["object_key"])]
    return _object(row, states, views, aliases, {})


def _grouped(
    connection: sqlite3.Connection, query: str, values: tuple[object, ...]
) -> dict[int, list[sqlite3.Row]]:
    """Rows by object."""
    grouped: dict[int, list[sqlite3.Row]] = defaultdict(list)
    for row in connection.execute(query, values):
        grouped[row["object_key"]].append(row)
    return grouped


def _object(
    row: sqlite3.Row,
    states: list[sqlite3.Row],
    views: list[sqlite3.Row],
    aliases: list[sqlite3.Row],
    history: Mapping[str, tuple[AttributeValue, ...]],
) -> ObjectDescriptor:
    pinned = (state for state in states if state["chunk_id"] == row["pinned_chunk_id"])
    current = next(pinned, states[-1])
    name = row["name"] or ""
    return ObjectDescriptor(
        object_id=row["object_id"],
        type=current["type"],
        description=current["description"],
        attributes=json.loads(current["attributes"]),
        affordances=tuple(json.loads(current["affordances"])),
        views=tuple(map(rows.view_from, views)),
        position=rows.position_from(row),
        first_seen_ns=row["first_seen_ns"],
        last_seen_ns=row["last_seen_ns"],
        view_count=row["view_count"],
        status=ObjectStatus(row["status"]),
        wordings=tuple(dict.fromkeys((*((name,) if name else ()), *_wordings(states)))),
        placed_since=row["placed_since"],
        name=name,
        is_pinned=bool(row["is_pinned"]),
        aliases=tuple(alias["object_id"] for alias in aliases),
        attribute_history=history,
    )


def _counting(row: sqlite3.Row, states: list[sqlite3.Row]) -> list[sqlite3.Row]:
    """The states up to the one that was pinned: what is said later changes nothing."""
    pinned = row["pinned_chunk_id"]
    return [state for state in states if pinned is None or state["chunk_id"] <= pinned]


def _wordings(states: list[sqlite3.Row]) -> tuple[str, ...]:
    """Everything that was ever said of an object, once each, oldest first."""
    said: dict[str, None] = {}
    for state in states:
        texts = (state["type"], state["description"], *json.loads(state["attributes"]).values())
        said.update(dict.fromkeys((*texts, *json.loads(state["affordances"]))))
    return tuple(said)
