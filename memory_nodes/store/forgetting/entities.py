"""Forgets entities, and what forgotten observations have told of those that stay."""

from __future__ import annotations

import sqlite3

from memory_nodes.records import ItemKind
from memory_nodes.store import entities, texts
from memory_nodes.store.forgetting.objects import Traces, delete, unlink
from memory_nodes.store.forgetting.selection import Chosen, among

_TOGETHER = """
SELECT a.from_key AS low_key, b.from_key AS high_key, count(*) AS times
FROM link a JOIN link b ON b.kind = a.kind AND b.to_key = a.to_key AND b.from_key > a.from_key
WHERE a.kind = 'OBSERVED_IN' AND {} GROUP BY a.from_key, b.from_key
"""


def forget_entities(connection: sqlite3.Connection, chosen: Chosen, traces: Traces) -> None:
    """Takes out what the chosen observations told; adds to the entities those of no other."""
    where, values = among("to_key", chosen.observations)
    spoken_of = {
        row[0]
        for row in connection.execute(
            f"SELECT DISTINCT from_key FROM link WHERE kind = 'OBSERVED_IN' AND {where}", values
        )
    }
    _part(connection, chosen.observations)
    unlink(connection, "OBSERVED_IN", "to_key", chosen.observations)
    where, values = among("from_key", spoken_of)
    left = {
        row[0]
        for row in connection.execute(
            f"SELECT DISTINCT from_key FROM link WHERE kind = 'OBSERVED_IN' AND {where}", values
        )
    }
    chosen.entities |= spoken_of - left
    for key in sorted(left - chosen.entities):
        entities.retell(connection, key)
    delete_entities(connection, chosen.entities, traces)


def delete_entities(connection: sqlite3.Connection, keys: set[int], traces: Traces) -> None:
    """Deletes them with their edges."""
    where, values = among("from_key", keys)
    for (stamp_ns,) in connection.execute(
        "SELECT stamp_ns FROM link JOIN observation ON observation_key = to_key"
        f" WHERE kind = 'OBSERVED_IN' AND {where}",
        values,
    ):
        traces.spans_ns.add((stamp_ns, stamp_ns))
    where, values = among("entity_key", keys)
    found = connection.execute(f"SELECT text_key FROM entity WHERE {where}", values)
    traces.text_keys.update(text_key for (text_key,) in found)
    for kind, end in (
        *(("OBSERVED_IN", "from_key"), ("COOCCURS_WITH", "from_key")),
        ("COOCCURS_WITH", "to_key"),
    ):
        unlink(connection, kind, end, keys)
    delete(connection, "entity", "entity_key", keys)
    texts.bury(connection, ItemKind.ENTITY, keys)


def _part(connection: sqlite3.Connection, observations: set[int]) -> None:
    """Entities that one of the observations speaks of were seen together once less."""
    where, values = among("a.to_key", observations)
    together = connection.execute(_TOGETHER.format(where), values).fetchall()
    connection.executemany(
        "UPDATE link SET weight = weight - ? WHERE kind = 'COOCCURS_WITH' AND from_key = ?"
        " AND to_key = ?",
        [(row["times"], row["low_key"], row["high_key"]) for row in together],
    )
    connection.executemany(
        "DELETE FROM link WHERE kind = 'COOCCURS_WITH' AND from_key = ? AND to_key = ?"
        " AND weight <= 0.0",
        [(row["low_key"], row["high_key"]) for row in together],
    )
