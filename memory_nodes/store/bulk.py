"""Many rows in few statements.

sqlite3 lets go of Python's interpreter lock for each step of a statement, and must get it back
after it: beside a busy thread that takes longer than the row. A statement that inserts many rows
is one step.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import lru_cache

BLOCKS = (512, 64, 8, 1)
"""Rows of one statement: few sizes, since each is compiled and kept."""
MAX_VARIABLES = 32_766
"""What SQLite allows in one statement since 3.32; older than any that we meet."""


def insert_all(
    connection: sqlite3.Connection,
    into: str,
    columns: Sequence[str],
    values: Sequence[Sequence[object]],
) -> None:
    """Inserts rows; ``into`` is the statement up to the columns, ``INSERT INTO text`` say."""
    start = 0
    for size in BLOCKS:
        block = min(size, max(1, MAX_VARIABLES // len(columns)))
        while len(values) - start >= block:
            flat = [value for row in values[start : start + block] for value in row]
            connection.execute(_statement(into, tuple(columns), block), flat)
            start += block


@lru_cache(maxsize=64)
def _statement(into: str, columns: tuple[str, ...], rows: int) -> str:
    one = f"({', '.join('?' * len(columns))})"
    return f"{into} ({', '.join(columns)}) VALUES {', '.join([one] * rows)}"
