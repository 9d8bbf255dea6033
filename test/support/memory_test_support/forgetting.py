"""Takes items out of a memory by hand, as a commit does that archives or deletes."""

from __future__ import annotations

import sqlite3

from memory_nodes.records import ItemKind
from memory_nodes.store import texts
from memory_nodes.store.database import sequence
from memory_nodes.store.writer import Writer

_TABLES = {
    ItemKind.OBSERVATION: ("observation", "observation_key"),
    ItemKind.OBJECT: ("object", "object_key"),
    ItemKind.GIST: ("gist", "gist_key"),
    ItemKind.ENTITY: ("entity", "entity_key"),
}


def archive(writer: Writer, key: int) -> None:
    """The observation stays, and what it said goes."""
    with writer.database.transaction() as connection:
        text_key = _text_key(connection, ItemKind.OBSERVATION, key)
        connection.execute(
            "UPDATE observation SET text_key = NULL WHERE observation_key = ?", (key,)
        )
        texts.bury(connection, ItemKind.OBSERVATION, [key])
        texts.release(connection, [text_key])


def delete(writer: Writer, kind: ItemKind, key: int) -> None:
    """Nothing of the item stays."""
    table, column = _TABLES[kind]
    with writer.database.transaction() as connection:
        text_key = _text_key(connection, kind, key)
        if kind == ItemKind.OBJECT:
            for part in ("view", "object_state", "clear_look", "object_place", "object_event"):
                connection.execute(f"DELETE FROM {part} WHERE object_key = ?", (key,))
        if kind == ItemKind.ENTITY:
            connection.execute(
                "DELETE FROM link WHERE kind = 'OBSERVED_IN' AND from_key = ?", (key,)
            )
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (key,))
        texts.bury(connection, kind, [key])
        texts.release(connection, [text_key])


def drop_tombstones(writer: Writer) -> None:
    """Of all commits so far: who has not followed them must read all anew."""
    with writer.database.transaction() as connection:
        connection.execute("DELETE FROM tombstone")
        connection.execute("UPDATE tombstone_floor SET sequence = ?", (sequence(connection),))


def _text_key(connection: sqlite3.Connection, kind: ItemKind, key: int) -> int:
    table, column = _TABLES[kind]
    found = connection.execute(f"SELECT text_key FROM {table} WHERE {column} = ?", (key,))
    return int(found.fetchone()[0])
