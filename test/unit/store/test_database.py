"""A transaction is all or nothing and counts once; who reads finds a whole memory or none."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_nodes.errors import SchemaTooNew, StoreError, StoreLocked, StoreMissing
from memory_nodes.store import schema
from memory_nodes.store.database import DATABASE_NAME, Database, open_for_reading, sequence


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path)
    yield opened
    opened.close()


def _layers(memory_dir: Path) -> list[str]:
    connection = open_for_reading(memory_dir)
    names = [row["name"] for row in connection.execute("SELECT name FROM layer ORDER BY name")]
    connection.close()
    return names


def _add(database: Database, name: str) -> None:
    with database.transaction() as connection:
        connection.execute("INSERT INTO layer (name) VALUES (?)", (name,))


def test_transaction_within_another_is_part_of_it_and_counts_once(
    database: Database, tmp_path: Path
) -> None:
    before = sequence(database.connection)
    with database.transaction() as connection:
        _add(database, "a")
        _add(database, "b")
        assert (_layers(tmp_path), sequence(connection)) == ([], before + 1)
    assert (_layers(tmp_path), sequence(database.connection)) == (["a", "b"], before + 1)


def test_whatever_ends_a_transaction_early_leaves_nothing_of_it(
    database: Database, tmp_path: Path
) -> None:
    before = sequence(database.connection)
    with pytest.raises(KeyboardInterrupt), database.transaction():
        _add(database, "a")
        raise KeyboardInterrupt
    _add(database, "b")
    assert (_layers(tmp_path), sequence(database.connection)) == (["b"], before + 1)


def test_error_of_the_database_is_a_store_error_and_leaves_nothing(
    database: Database, tmp_path: Path
) -> None:
    with pytest.raises(StoreError, match="nothing was changed"), database.transaction():
        _add(database, "a")
        _add(database, "a")
    assert _layers(tmp_path) == []


def test_second_writer_is_locked_out_and_the_first_goes_on(
    database: Database, tmp_path: Path
) -> None:
    with pytest.raises(StoreLocked):
        Database(tmp_path)
    _add(database, "a")
    assert _layers(tmp_path) == ["a"]


def test_memory_can_be_opened_again_after_it_could_not_be_opened(tmp_path: Path) -> None:
    newer = sqlite3.connect(tmp_path / DATABASE_NAME)
    newer.execute(f"PRAGMA user_version = {len(schema.MIGRATIONS) + 1}")
    with pytest.raises(SchemaTooNew):
        Database(tmp_path)
    newer.execute("PRAGMA user_version = 0")
    newer.close()
    Database(tmp_path).close()


def test_reader_waits_for_a_memory_that_is_not_there_or_of_an_older_version(
    tmp_path: Path,
) -> None:
    with pytest.raises(StoreMissing, match="no memory in"):
        open_for_reading(tmp_path)
    connection = sqlite3.connect(tmp_path / DATABASE_NAME)
    connection.execute("CREATE TABLE unfinished (x)")
    with pytest.raises(StoreMissing, match="is just being made"):
        open_for_reading(tmp_path)
    connection.execute("PRAGMA user_version = 1")
    with pytest.raises(StoreMissing, match="has schema 1"):
        open_for_reading(tmp_path)
    connection.close()


def test_reader_cannot_write(database: Database, tmp_path: Path) -> None:
    connection = open_for_reading(tmp_path)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM layer")
    connection.close()
