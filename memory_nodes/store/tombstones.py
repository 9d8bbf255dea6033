"""Tombstones tell readers what has left; they are kept for those that are not far behind."""

from __future__ import annotations

import sqlite3

from memory_nodes.store.database import Database

MAX_TOMBSTONES = 200_000
"""A reader that would have to follow more of them is as fast when it reads everything anew."""
SLICE = 2000
"""So many are dropped in one commit: it takes some milliseconds, for which others wait."""


def trim(database: Database) -> None:
    """Drops the older half where there are too many.

    A reader that is behind those reads the memory anew. What one commit has buried stays or goes
    together.
    """
    with database.reading() as connection:
        count = connection.execute("SELECT count(*) FROM tombstone").fetchone()[0]
    if count <= MAX_TOMBSTONES:
        return
    with database.transaction() as connection:
        # The floor first: a reader must never miss what it could not see.
        connection.execute(
            "UPDATE tombstone_floor SET sequence = (SELECT sequence FROM tombstone"
            " ORDER BY sequence LIMIT 1 OFFSET ?)",
            (count // 2,),
        )
    while True:
        with database.transaction() as connection:
            if _drop(connection) < SLICE:
                return


def _drop(connection: sqlite3.Connection) -> int:
    return connection.execute(
        "DELETE FROM tombstone WHERE (sequence, kind, key) IN (SELECT sequence, kind, key"
        " FROM tombstone WHERE sequence <= (SELECT sequence FROM tombstone_floor)"
        " ORDER BY sequence, kind, key LIMIT ?)",
        (SLICE,),
    ).rowcount
