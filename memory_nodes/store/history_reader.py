"""Reads the history tree."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from memory_nodes.records import HistoryNode, HistoryUnit
from memory_nodes.store import history_nodes, rows
from memory_nodes.store.database import among
from memory_nodes.store.history_nodes import ToldUpTo
from memory_nodes.store.read_only import ReadOnly


class HistoryReader(ReadOnly):
    """Reads how the past is told."""

    def told_up_to(self) -> ToldUpTo:
        """How far the history has been told."""
        with self._snapshot() as connection:
            return history_nodes.told_up_to(connection)

    def history(self, node_ids: Sequence[str]) -> list[HistoryNode]:
        """Nodes with the ids of their children, in the same order. Raises InputError if unknown."""
        with self._snapshot() as connection:
            keys = [history_nodes.key_from_id(connection, node_id) for node_id in node_ids]
            where, values = among("node_key", keys)
            found = self._rows(f"SELECT * FROM history_node {where}", values)
            nodes = {row["node_key"]: self._node(row) for row in found}
        return [nodes[key] for key in keys]

    def children(self, node_id: str) -> list[HistoryNode]:
        """The nodes right below one, by time. Raises InputError for an unknown id."""
        with self._snapshot() as connection:
            key = history_nodes.key_from_id(connection, node_id)
            found = self._rows(
                "SELECT * FROM history_node WHERE parent_key = ? ORDER BY start_ns, node_key",
                (key,),
            )
            return [self._node(row) for row in found]

    def parentless(self, units: Sequence[HistoryUnit]) -> list[HistoryNode]:
        """The nodes of some units that are below none yet, by time."""
        where, values = among("unit", [unit.value for unit in units])
        with self._snapshot():
            found = self._rows(
                f"SELECT * FROM history_node {where} AND parent_key IS NULL"
                " ORDER BY start_ns, node_key",
                values,
            )
            return [self._node(row) for row in found]

    def open_nodes(self, unit: HistoryUnit) -> list[HistoryNode]:
        """The nodes of a unit into which more may come, the lowest first, then by time."""
        with self._snapshot():
            found = self._rows(
                "SELECT * FROM history_node WHERE unit = ? AND is_open"
                " ORDER BY level, start_ns, node_key",
                (unit.value,),
            )
            return [self._node(row) for row in found]

    def last_events(self, limit: int) -> list[HistoryNode]:
        """The events that were told last, newest first."""
        with self._snapshot():
            found = self._rows(
                "SELECT * FROM history_node WHERE level = 2 ORDER BY node_key DESC LIMIT ?",
                (limit,),
            )
            return [self._node(row) for row in found]

    def history_between(
        self, since_ns: int, until_ns: int, units: Sequence[HistoryUnit]
    ) -> list[HistoryNode]:
        """The nodes of some units that overlap a time, both ends included; by time."""
        where, values = among("unit", [unit.value for unit in units])
        with self._snapshot():
            found = self._rows(
                f"SELECT * FROM history_node {where} AND start_ns <= ? AND end_ns >= ?"
                " ORDER BY start_ns, node_key",
                (*values, until_ns, since_ns),
            )
            return [self._node(row) for row in found]

    def history_texts(
        self, since_ns: int, until_ns: int, unit: HistoryUnit, parts: Sequence[str]
    ) -> list[tuple[str, str, str]]:
        """Ids, ids of parents and texts of a unit's nodes that lie within a time, by time.

        Those that have any of some parts of words in them, in lower case.
        """
        patterns = [f"%{part}%" for part in parts]
        has_part = " OR ".join(["text LIKE ?"] * len(parts)) or "FALSE"
        found = self._rows(
            "SELECT node_key, parent_key, text FROM history_node"
            f" WHERE unit = ? AND start_ns BETWEEN ? AND ? AND ({has_part})"
            " ORDER BY start_ns, node_key",
            (unit.value, since_ns, until_ns, *patterns),
        )
        return [
            (
                rows.history_id(row["node_key"]),
                "" if row["parent_key"] is None else rows.history_id(row["parent_key"]),
                row["text"],
            )
            for row in found
        ]

    def history_beside(
        self, start_ns: int, end_ns: int, unit: HistoryUnit
    ) -> tuple[HistoryNode | None, HistoryNode | None]:
        """The last node of a unit that is over when a time begins, and the first after it."""
        with self._snapshot():
            before = self._rows(
                "SELECT * FROM history_node WHERE unit = ? AND end_ns <= ? AND start_ns < ?"
                " ORDER BY end_ns DESC, node_key DESC LIMIT 1",
                (unit.value, start_ns, start_ns),
            )
            after = self._rows(
                "SELECT * FROM history_node WHERE unit = ? AND start_ns >= ? AND start_ns > ?"
                " ORDER BY start_ns, node_key LIMIT 1",
                (unit.value, end_ns, start_ns),
            )
            return (
                self._node(before[0]) if before else None,
                self._node(after[0]) if after else None,
            )

    def _node(self, row: sqlite3.Row) -> HistoryNode:
        below = self._rows(
            "SELECT node_key FROM history_node WHERE parent_key = ? ORDER BY start_ns, node_key",
            (row["node_key"],),
        )
        return history_nodes.node_from(row, [child["node_key"] for child in below])
