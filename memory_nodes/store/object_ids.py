"""Objects by their ids, of which each is given once."""

from __future__ import annotations

import sqlite3

from memory_nodes.store.object_numbers import highest_numbers, id_stem, was_given


def key_of(connection: sqlite3.Connection, object_id: str) -> int | None:
    """The key of the object with an id, also of one that was merged into it; None: unknown."""
    row = connection.execute(
        "SELECT object_key FROM object WHERE object_id = ?1"
        " UNION ALL SELECT object_key FROM object_alias WHERE object_id = ?1",
        (object_id,),
    ).fetchone()
    return None if row is None else int(row[0])


def is_lost(connection: sqlite3.Connection, object_id: str, *, is_new: bool) -> bool:
    """Whether an id does not mean any more what it meant when a chunk was resolved.

    ``is_new``: it was free then, and may have been given to another object; a known one may have
    been forgotten.
    """
    return was_given(connection, object_id) and (is_new or key_of(connection, object_id) is None)


def fresh_id(connection: sqlite3.Connection, type_name: str) -> str:
    """An id that no object of this memory has or had."""
    stem = id_stem(type_name)
    return f"{stem}{highest_numbers(connection, [stem])[stem] + 1}"
