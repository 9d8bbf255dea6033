"""A connection that reads a memory while another process writes it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_nodes.errors import StoreError
from memory_nodes.store.database import open_for_reading


class ReadOnly:
    """What all readers share. May be used from several threads.

    Every method raises StoreMissing while there is no memory in the directory: it is looked for
    again at each call, so that a reader may be started before the writer.
    """

    def __init__(self, memory_dir: Path) -> None:
        self._memory_dir = memory_dir
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.RLock()

    def close(self) -> None:
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _rows(self, query: str, values: tuple[object, ...] = ()) -> list[sqlite3.Row]:
        with self._snapshot() as connection:
            return connection.execute(query, values).fetchall()

    @contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        """Several queries that see the memory at one moment; may be nested."""
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = open_for_reading(self._memory_dir)
                if self._connection.in_transaction:
                    yield self._connection
                    return
                self._connection.execute("BEGIN")
                try:
                    yield self._connection
                finally:
                    self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise StoreError(
                    f"cannot read the memory in {self._memory_dir}: {error}"
                ) from error
