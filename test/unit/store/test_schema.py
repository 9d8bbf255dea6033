"""Migrations are only ever appended to, and each is all or nothing."""

from __future__ import annotations

import sqlite3

import pytest

from memory_nodes.store import schema


def test_new_database_gets_every_migration_once() -> None:
    connection = sqlite3.connect(":memory:")
    schema.migrate(connection)
    schema.migrate(connection)
    assert schema.version(connection) == len(schema.MIGRATIONS)


def test_first_migration_has_the_tables_that_memories_on_disk_have() -> None:
    """Pinned: a memory made by any version must open in every later one."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(schema.MIGRATIONS[0])
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    assert {name for (name,) in tables} == {
        *("commit_log", "keyframe", "chunk", "object", "object_state", "view", "relation"),
        *("observation", "episode"),
    }


def test_migration_that_fails_leaves_the_version_before_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connection = sqlite3.connect(":memory:")
    schema.migrate(connection)
    broken = (*schema.MIGRATIONS, "CREATE TABLE extra (x); INSERT INTO nowhere VALUES (1)")
    monkeypatch.setattr(schema, "MIGRATIONS", broken)
    with pytest.raises(sqlite3.OperationalError):
        schema.migrate(connection)
    connection.rollback()
    assert schema.version(connection) == len(broken) - 1
    assert not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'extra'").fetchall()
