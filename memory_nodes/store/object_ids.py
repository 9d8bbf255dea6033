"""Ids of objects, <type>_<number>: each is given once."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable

GIVEN_IDS = (
    "SELECT object_id FROM object UNION SELECT object_id FROM object_alias"
    " UNION SELECT object_id FROM edited_object"
)
"""Every id that an object has or had, also those that an undo has taken back."""


def stem_of(type_name: str) -> str:
    """What the ids of a type begin with."""
    return re.sub(r"\W+", "_", type_name.lower()).strip("_") or "object"


def highest_numbers(object_ids: Iterable[str]) -> dict[str, int]:
    """The highest number of each stem."""
    highest: dict[str, int] = {}
    for object_id in object_ids:
        stem, _, number = object_id.rpartition("_")
        if number.isascii() and number.isdigit():
            highest[stem] = max(highest.get(stem, 0), int(number))
    return highest


def key_of(connection: sqlite3.Connection, object_id: str) -> int | None:
    """The key of the object with an id, also of one that was merged into it; None: unknown."""
    row = connection.execute(
        "SELECT object_key FROM object WHERE object_id = ?1"
        " UNION ALL SELECT object_key FROM object_alias WHERE object_id = ?1",
        (object_id,),
    ).fetchone()
    return None if row is None else int(row[0])


def fresh_id(connection: sqlite3.Connection, type_name: str) -> str:
    """An id that no object of this memory has or had."""
    stem = stem_of(type_name)
    given = (row[0] for row in connection.execute(GIVEN_IDS))
    return f"{stem}_{highest_numbers(given).get(stem, 0) + 1}"
