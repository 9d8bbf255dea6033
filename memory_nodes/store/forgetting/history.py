"""Forgets the nodes of the history tree that may tell of what is forgotten."""

from __future__ import annotations

import sqlite3
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Container

from memory_nodes.records import HistoryUnit
from memory_nodes.store.forgetting.objects import delete
from memory_nodes.store.forgetting.selection import among


def forget_history(
    connection: sqlite3.Connection, chosen: Container[int], spans_ns: Collection[tuple[int, int]]
) -> int:
    """Deletes the chosen nodes, those that overlap any of these times, and all above; how many.

    What was below them stays without a parent until the tree is made again, but for the open event:
    it is told again from its first item.
    """
    nodes = connection.execute(
        "SELECT node_key, parent_key, start_ns, end_ns, unit, is_open FROM history_node"
    ).fetchall()
    starts_ns = sorted(start_ns for start_ns, _ in spans_ns)
    ends_ns = sorted(end_ns for _, end_ns in spans_ns)
    parents = {row["node_key"]: row["parent_key"] for row in nodes}
    gone: set[int] = set()
    for row in nodes:
        # spans that begin before its end, less those that are over before its start
        begun = bisect_right(starts_ns, row["end_ns"])
        is_told = begun > bisect_left(ends_ns, row["start_ns"]) or row["node_key"] in chosen
        key = row["node_key"] if is_told else None
        while key is not None and key not in gone:
            gone.add(key)
            key = parents[key]
    gone |= {row["node_key"] for row in nodes if _is_open_event(row) and row["parent_key"] in gone}
    where, values = among("parent_key", gone)
    connection.execute(f"UPDATE history_node SET parent_key = NULL WHERE {where}", values)
    delete(connection, "history_node", "node_key", gone)
    return len(gone)


def _is_open_event(row: sqlite3.Row) -> bool:
    return row["unit"] == HistoryUnit.EVENT.value and bool(row["is_open"])
