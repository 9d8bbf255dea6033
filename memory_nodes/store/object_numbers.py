"""Ids of objects, <type>_<number>: a number that was given once is never given again."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable

from memory_nodes.store.database import among
from memory_nodes.store.schema import text_hash

MAX_DIGITS = 15
"""A longer number is none of ours."""


def id_stem(type_name: str) -> str:
    """What stands before the number in the id of an object of a type: ``coffee_machine_``."""
    return (re.sub(r"\W+", "_", type_name.lower()).strip("_") or "object") + "_"


def highest_numbers(connection: sqlite3.Connection, stems: Iterable[str]) -> dict[str, int]:
    """For each stem the highest number that any id of it ever had, or 0.

    Also that of an object that was forgotten, or merged into another one.
    """
    hashes = {text_hash(stem): stem for stem in stems}
    where, values = among("stem_hash", hashes)
    found = connection.execute(f"SELECT stem_hash, highest FROM object_number {where}", values)
    numbers = dict.fromkeys(hashes.values(), 0)
    return numbers | {hashes[row[0]]: row[1] for row in found}


def was_given(connection: sqlite3.Connection, object_id: str) -> bool:
    """Whether any id of its kind ever had its number or a higher one."""
    stem, number = _split(object_id)
    return number is not None and number <= highest_numbers(connection, [stem])[stem]


def note(connection: sqlite3.Connection, object_id: str) -> None:
    """Its number is given from now on, whether there is an object of that id or not."""
    stem, number = _split(object_id)
    if number is not None:
        connection.execute(
            "INSERT INTO object_number VALUES (?, ?)"
            " ON CONFLICT DO UPDATE SET highest = max(highest, excluded.highest)",
            (text_hash(stem), number),
        )


def _split(object_id: str) -> tuple[str, int | None]:
    """What stands before the number, and the number; None where it has none of ours."""
    stem = object_id.rstrip("0123456789")
    digits = object_id[len(stem) :]
    return stem, int(digits) if 1 <= len(digits) <= MAX_DIGITS else None
