"""Forgets what the history tree may tell of what is forgotten; what is left is to be told again."""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Mapping

from memory_nodes.records import HistoryUnit
from memory_nodes.store import rows
from memory_nodes.store.episodes import named_key
from memory_nodes.store.forgetting.objects import Traces, delete
from memory_nodes.store.history_nodes import TELL_AGAIN, TO_BE_TOLD, is_id

_IS_LEFT = """
SELECT EXISTS (
    SELECT 1 FROM observation WHERE stamp_ns BETWEEN :start_ns AND :end_ns AND text_key NOT NULL
) OR EXISTS (SELECT 1 FROM keyframe WHERE stamp_ns BETWEEN :start_ns AND :end_ns)
"""
_WITH_EVIDENCE = """
SELECT node_key FROM history_node, json_each(evidence)
WHERE json_each.value IN (SELECT value FROM json_each(?))
"""
_ADD = """
INSERT INTO history_node (parent_key, level, start_ns, end_ns, text, evidence, unit, source,
    is_open)
SELECT ?, level, start_ns, end_ns, ?, ?, unit, ?, ? FROM history_node WHERE node_key = ?
"""


def forget_history(connection: sqlite3.Connection, chosen: set[int], traces: Traces) -> int:
    """Forgets the chosen nodes, those that overlap the time of anything forgotten or have it for
    evidence, and all above; how many.

    Days, goals and events of which something is left come back without a text, to be told again.
    They get other ids, so that who is telling them at this moment cannot write the old ones. An
    open event does not come back: it is told again from its first item anyway.
    """
    nodes = {
        row["node_key"]: row
        for row in connection.execute(
            "SELECT node_key, parent_key, unit, level, start_ns, end_ns, is_open FROM history_node"
        )
    }
    gone = _with_all_above(nodes, chosen | _telling(connection, nodes, traces))
    heirs: dict[int, int | None] = {}
    for key in sorted(gone, key=lambda key: -nodes[key]["level"]):
        heirs[key] = _come_back(connection, nodes[key], heirs, traces)
    for key, heir in heirs.items():
        connection.execute(
            "UPDATE history_node SET parent_key = ? WHERE parent_key = ?", (heir, key)
        )
        connection.execute(
            "UPDATE history_node SET evidence = ? WHERE parent_key IS NULL AND unit = ?"
            " AND evidence = ?",
            (json.dumps(_named(heir)), HistoryUnit.EVENT.value, json.dumps(_named(key))),
        )
    delete(connection, "history_node", "node_key", gone)
    return len(gone)


def _telling(
    connection: sqlite3.Connection, nodes: Mapping[int, sqlite3.Row], traces: Traces
) -> set[int]:
    """The nodes that may tell of what is forgotten."""
    starts_ns = sorted(start_ns for start_ns, _ in traces.spans_ns)
    ends_ns = sorted(end_ns for _, end_ns in traces.spans_ns)
    # spans that begin before its end, less those that are over before its start
    overlapping = {
        key
        for key, row in nodes.items()
        if bisect_right(starts_ns, row["end_ns"]) > bisect_left(ends_ns, row["start_ns"])
    }
    found = connection.execute(_WITH_EVIDENCE, (json.dumps(sorted(traces.ids)),))
    return overlapping | {row[0] for row in found}


def _with_all_above(nodes: Mapping[int, sqlite3.Row], told: set[int]) -> set[int]:
    gone: set[int] = set()
    for first in told:
        key: int | None = first
        while key is not None and key not in gone:
            gone.add(key)
            key = nodes[key]["parent_key"]
    return gone


def _come_back(
    connection: sqlite3.Connection,
    row: sqlite3.Row,
    heirs: Mapping[int, int | None],
    traces: Traces,
) -> int | None:
    """The key of what stands for a node; None where nothing does.

    A day without what was above it, a goal with its episode, an event below no goal, with the goal
    as evidence until it is told again. What was below a group comes under its day.
    """
    unit, above = HistoryUnit(row["unit"]), heirs.get(row["parent_key"])
    if unit is HistoryUnit.GROUP:
        return above
    query = "SELECT evidence FROM history_node WHERE node_key = ?"
    evidence = json.loads(connection.execute(query, (row["node_key"],)).fetchone()[0])[:1]
    if unit is HistoryUnit.EVENT:
        if row["is_open"] or not _is_left(connection, row):
            return None
        if row["parent_key"] is not None:
            evidence = _named(above)
        elif evidence and not is_id(evidence[0]):
            evidence = []
        above = None
    elif unit is HistoryUnit.GOAL:
        evidence = [each for each in evidence if named_key(each) is not None]
        if not traces.ids.isdisjoint(evidence):
            return None
    elif unit is HistoryUnit.DAY:
        above = None
    else:
        return None
    again = (TO_BE_TOLD, json.dumps(evidence), TELL_AGAIN, unit is not HistoryUnit.EVENT)
    return connection.execute(_ADD, (above, *again, row["node_key"])).lastrowid


def _is_left(connection: sqlite3.Connection, row: sqlite3.Row) -> bool:
    """Whether anything is left of the time of an event."""
    span = {"start_ns": row["start_ns"], "end_ns": row["end_ns"]}
    return bool(connection.execute(_IS_LEFT, span).fetchone()[0])


def _named(key: int | None) -> list[str]:
    return [] if key is None else [rows.history_id(key)]
