"""Finds what is wrong with a memory, and mends what can be mended."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from memory_nodes.perception.recorder import RecorderConfig
from memory_nodes.store.database import Database, connect_read_only
from memory_nodes.store.doctor.database_checks import (
    check_integrity,
    check_rows,
    check_schema,
    check_space,
)
from memory_nodes.store.doctor.file_checks import (
    check_disk,
    check_images,
    check_indices,
    check_leftovers,
    check_locks,
)
from memory_nodes.store.doctor.finding import Finding
from memory_nodes.store.doctor.repairs import FILE_REPAIRS, ROW_REPAIRS, words_are_sound

DEFAULT_MIN_FREE_MB = RecorderConfig().min_free_mb


def examine(
    memory_dir: Path, *, quick: bool = False, min_free_mb: int = DEFAULT_MIN_FREE_MB
) -> list[Finding]:
    """What is wrong, and what is good to know; changes nothing, also while a writer runs.

    ``quick`` does not compare the database's own indices with its rows. Raises StoreMissing where
    there is no memory.
    """
    with closing(connect_read_only(memory_dir)) as connection:
        findings = [*check_disk(memory_dir, min_free_mb), *check_locks(memory_dir)]
        findings += check_leftovers(memory_dir)
        try:
            findings += _examine_database(memory_dir, connection, quick=quick)
        except sqlite3.Error as error:
            findings.append(
                Finding(
                    "database_unreadable",
                    "error",
                    f"the database cannot be read: {error}; restore a backup",
                )
            )
    return findings


def repair(
    memory_dir: Path, findings: Iterable[Finding], *, vacuum: bool = False
) -> tuple[str, ...]:
    """Mends what ``examine`` found and can be mended; gives the codes of what it did.

    The word index is checked against its texts in any case. What another process may be using is
    left as it is. At the end the WAL file is written back; ``vacuum`` also shrinks the database.

    Raises:
        StoreLocked: another process writes the memory.
        StoreError: it cannot be opened or written.
    """
    codes = {finding.code for finding in findings if finding.is_repairable}
    database = Database(memory_dir)  # brings an old schema up to date
    try:
        done = {"schema_old"} & codes
        with database.reading() as connection:
            if not words_are_sound(connection):
                codes.add("words_wrong")
        for code in [code for code in ROW_REPAIRS if code in codes]:
            with database.transaction() as connection:
                ROW_REPAIRS[code](connection)
            done.add(code)
        for code in [code for code in FILE_REPAIRS if code in codes]:
            if FILE_REPAIRS[code](database):
                done.add(code)
        if vacuum:
            with database.reading() as connection:
                connection.execute("VACUUM")
        if database.clear_wal():
            done |= {"wal_large"} & codes
    finally:
        database.close()
    return tuple(sorted(done))


def _examine_database(
    memory_dir: Path, connection: sqlite3.Connection, *, quick: bool
) -> Iterator[Finding]:
    outdated = list(check_schema(connection))
    yield from outdated
    if not outdated:
        # before the transaction: files are compared with what is there after they were listed
        yield from check_images(memory_dir, connection)
        yield from check_indices(memory_dir, connection)
    connection.execute("BEGIN")
    yield from check_integrity(connection, quick=quick)
    if not outdated:
        yield from check_rows(connection)
    yield from check_space(connection)
