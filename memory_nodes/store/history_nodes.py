"""Nodes of the history tree. What has no parent yet waits to be grouped, also after a crash."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory_nodes.errors import InputError
from memory_nodes.records import HistoryNode, HistoryUnit
from memory_nodes.store import observations, rows
from memory_nodes.store.checks import check_unicode

MAX_TEXT_CHARS = 10_000
TELL_AGAIN = "forgotten"
"""The source of a node that is to be told again, without what is forgotten."""
TO_BE_TOLD = "To be told again."
"""Its text."""
_ID = re.compile(r"history_(\d{1,18})")


@dataclass(frozen=True)
class ToldUpTo:
    """How far the history has been told: all before it is in an event."""

    chunk_id: int
    observation_key: int


def check(node: HistoryNode) -> None:
    """Raises InputError for a node that cannot be written down."""
    if not node.text.strip() or len(node.text) > MAX_TEXT_CHARS:
        raise InputError(f"a node needs a text of at most {MAX_TEXT_CHARS} characters")
    for name in ("text", "source"):
        check_unicode(name, getattr(node, name))
    observations.check_stamp(node.start_ns)
    observations.check_stamp(node.end_ns)
    if node.start_ns > node.end_ns:
        raise InputError(f"a node from {node.start_ns} to {node.end_ns} ns: give start <= end")


def put_all(connection: sqlite3.Connection, nodes: Sequence[HistoryNode]) -> list[str]:
    """As ``put`` for each; ``@2`` as the id of a parent or child means the third of them."""
    given: dict[str, str] = {}
    for number, node in enumerate(nodes):
        parent_id = given.get(node.parent_id, node.parent_id)
        child_ids = tuple(given.get(child_id, child_id) for child_id in node.child_ids)
        named = replace(node, parent_id=parent_id, child_ids=child_ids)
        given[f"@{number}"] = put(connection, named)
    return list(given.values())


def put(connection: sqlite3.Connection, node: HistoryNode) -> str:
    """Stores a checked node, or writes a known one anew, and gives its id.

    It becomes the parent of its ``child_ids``; children that are not named stay. Its own parent is
    ``parent_id``. Raises InputError for an unknown id.
    """
    values = (
        key_from_id(connection, node.parent_id) if node.parent_id else None,
        *(node.level, node.start_ns, node.end_ns, node.text, json.dumps(node.evidence)),
        *(node.unit.value, node.source, node.is_open),
    )
    if node.node_id:
        key = key_from_id(connection, node.node_id)
        connection.execute(
            "UPDATE history_node SET parent_key = ?, level = ?, start_ns = ?, end_ns = ?,"
            " text = ?, evidence = ?, unit = ?, source = ?, is_open = ? WHERE node_key = ?",
            (*values, key),
        )
    else:
        key = (
            connection.execute(
                "INSERT INTO history_node (parent_key, level, start_ns, end_ns, text, evidence,"
                " unit, source, is_open) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            ).lastrowid
            or 0
        )
    for child_id in node.child_ids:
        connection.execute(
            "UPDATE history_node SET parent_key = ? WHERE node_key = ?",
            (key, key_from_id(connection, child_id)),
        )
    return rows.history_id(key)


def remove(connection: sqlite3.Connection, node_ids: Sequence[str]) -> None:
    """Takes nodes out; what was below one comes under its parent. Raises for an unknown id."""
    for node_id in node_ids:
        key = key_from_id(connection, node_id)
        connection.execute(
            "UPDATE history_node SET parent_key ="
            " (SELECT parent_key FROM history_node WHERE node_key = ?) WHERE parent_key = ?",
            (key, key),
        )
        connection.execute("DELETE FROM history_node WHERE node_key = ?", (key,))


def told_up_to(connection: sqlite3.Connection) -> ToldUpTo:
    row = connection.execute("SELECT last_chunk_id, last_observation_key FROM history_mark")
    return ToldUpTo(*row.fetchone())


def note_told(connection: sqlite3.Connection, told: ToldUpTo) -> None:
    connection.execute(
        "UPDATE history_mark SET last_chunk_id = ?, last_observation_key = ?",
        (told.chunk_id, told.observation_key),
    )


def is_id(node_id: str) -> bool:
    """Whether this can be the id of a node."""
    return _ID.fullmatch(node_id) is not None


def key_from_id(connection: sqlite3.Connection, node_id: str) -> int:
    """Raises InputError for an id that no node has."""
    matched = _ID.fullmatch(node_id)
    key = -1 if matched is None else int(matched[1])
    row = connection.execute("SELECT 1 FROM history_node WHERE node_key = ?", (key,)).fetchone()
    if row is None:
        raise InputError(f"no history node {node_id[:80]!r}")
    return key


def node_from(row: sqlite3.Row, child_keys: Sequence[int] = ()) -> HistoryNode:
    parent = row["parent_key"]
    return HistoryNode(
        unit=HistoryUnit(row["unit"]),
        level=row["level"],
        start_ns=row["start_ns"],
        end_ns=row["end_ns"],
        text=row["text"],
        evidence=tuple(json.loads(row["evidence"])),
        source=row["source"],
        is_open=bool(row["is_open"]),
        node_id=rows.history_id(row["node_key"]),
        parent_id=rows.history_id(parent) if parent is not None else "",
        child_ids=tuple(rows.history_id(key) for key in child_keys),
    )
