"""Connections to the file of a memory: the one that writes, and those that read."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from memory_nodes.errors import StoreError, StoreMissing
from memory_nodes.process_lock import hold
from memory_nodes.store import schema

DATABASE_NAME = "memory.sqlite"
LOCK_NAME = "memory.lock"
INDEX_LOCK_NAME = "index.lock"
INDEX_DIR = "index"
BUSY_TIMEOUT_S = 5.0
WAL_ATTEMPTS = 20
WAL_PAUSE_S = 0.1


class Database:
    """The one connection that writes, safe in threads.

    Raises:
        StoreLocked: another process writes this memory.
        SchemaTooNew: a newer version wrote it.
        StoreError: it cannot be opened or written, the disk is full for instance.
    """

    def __init__(self, memory_dir: Path) -> None:
        self.memory_dir = memory_dir
        self._mutex = threading.RLock()
        try:
            memory_dir.mkdir(parents=True, exist_ok=True)
            self._lock = hold(memory_dir / LOCK_NAME)
            try:
                self.connection = _writing(memory_dir / DATABASE_NAME)
            except BaseException:
                self._lock.close()
                raise
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                f"cannot open the memory in {memory_dir}: {error}; check that the directory is "
                "writable and its disk not full"
            ) from error

    def close(self) -> None:
        with self._mutex:
            self.connection.close()
            self._lock.close()

    @contextmanager
    def transaction(self, *, is_rehearsal: bool = False) -> Iterator[sqlite3.Connection]:
        """All or nothing, durable when it ends, counted as one commit; may be nested.

        ``is_rehearsal``: nothing of it is kept, unless it is nested in one that is none.
        """
        with self._mutex:
            if self.connection.in_transaction:
                yield self.connection
                return
            try:
                self.connection.execute("BEGIN IMMEDIATE")
                try:
                    self.connection.execute("UPDATE commit_log SET sequence = sequence + 1")
                    yield self.connection
                    self.connection.execute("ROLLBACK" if is_rehearsal else "COMMIT")
                except BaseException:
                    if self.connection.in_transaction:
                        self.connection.execute("ROLLBACK")
                    raise
            except sqlite3.Error as error:
                raise StoreError(
                    f"cannot write the memory in {self.memory_dir}: {error}; nothing was changed"
                    + _cure(error)
                ) from error

    def clear_wal(self) -> bool:
        """Moves all of the write-ahead log into the database; False where a reader prevents it.

        A reader is waited for, but not while others wait to write.
        """
        for attempt in range(WAL_ATTEMPTS):
            if attempt > 0:
                time.sleep(WAL_PAUSE_S)
            with self.reading() as connection:
                connection.execute("PRAGMA busy_timeout = 0")
                try:
                    if not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                        return True
                finally:
                    connection.execute(f"PRAGMA busy_timeout = {round(BUSY_TIMEOUT_S * 1000)}")
        return False

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The same connection between transactions, for what a writer must look up."""
        with self._mutex:
            try:
                yield self.connection
            except sqlite3.Error as error:
                raise StoreError(f"cannot read the memory in {self.memory_dir}: {error}") from error


def sequence(connection: sqlite3.Connection) -> int:
    """The number of commits; within a transaction of the writer it counts that one."""
    return int(connection.execute("SELECT sequence FROM commit_log").fetchone()[0])


def open_for_reading(memory_dir: Path) -> sqlite3.Connection:
    """A read-only connection that may be used from any thread.

    Raises StoreMissing while there is no memory, SchemaTooNew, and StoreError where the memory
    is of an older version, which the next writer brings up to date.
    """
    connection = connect_read_only(memory_dir)
    try:
        _require_current(connection, memory_dir)
    except (StoreError, sqlite3.Error):
        connection.close()
        raise
    return connection


def refuse_newer(memory_dir: Path) -> None:
    """Raises SchemaTooNew, and StoreError where the memory cannot be read; there may be none."""
    try:
        with closing(connect_read_only(memory_dir)) as connection:
            schema.require_known(connection)
    except StoreMissing:
        return
    except sqlite3.Error as error:
        raise StoreError(f"cannot read the memory in {memory_dir}: {error}") from error


def connect_read_only(memory_dir: Path) -> sqlite3.Connection:
    """As open_for_reading, whatever the schema. Raises StoreMissing while there is no memory."""
    path = memory_dir / DATABASE_NAME
    if not path.is_file():
        raise StoreMissing(f"no memory in {memory_dir}: the episodic node makes one when it starts")
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro",
        uri=True,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.row_factory = sqlite3.Row
    return connection


@contextmanager
def snapshot(memory_dir: Path) -> Iterator[sqlite3.Connection]:
    """The memory as it is at this moment, however long the block takes and whoever writes.

    Raises as open_for_reading, and StoreError where it cannot be read.
    """
    try:
        connection = open_for_reading(memory_dir)
        try:
            connection.execute("BEGIN")
            sequence(connection)  # the first read is the moment
            yield connection
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise StoreError(f"cannot read the memory in {memory_dir}: {error}") from error


def among(column: str, values: Iterable[object] | None) -> tuple[str, tuple[object, ...]]:
    """A WHERE clause for a column that must have one of the values; nothing for None."""
    if values is None:
        return "", ()
    return f"WHERE {column} IN (SELECT value FROM json_each(?))", (_json_list(values),)


def _cure(error: sqlite3.Error) -> str:
    if not isinstance(error, sqlite3.OperationalError):
        return ""
    return (
        ". Check that its disk is not full, and that no other program holds the database for more "
        f"than {BUSY_TIMEOUT_S:g} s"
    )


def _json_list(values: Iterable[object]) -> str:
    return json.dumps(list(values))


def _writing(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
    )
    connection.row_factory = sqlite3.Row
    try:
        # secure_delete: what is forgotten is overwritten, not only unlinked.
        for setting in (
            *("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"),
            *("secure_delete=ON", "cache_size=-32000"),
        ):
            connection.execute(f"PRAGMA {setting}")
        schema.migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _require_current(connection: sqlite3.Connection, memory_dir: Path) -> None:
    schema.require_known(connection)
    found = schema.version(connection)
    if found == 0:
        raise StoreMissing(f"the memory in {memory_dir} is just being made")
    if found < len(schema.MIGRATIONS):
        raise StoreMissing(
            f"the memory in {memory_dir} has schema {found}, this version reads "
            f"{len(schema.MIGRATIONS)}: the episodic node brings it up to date when it starts"
        )
