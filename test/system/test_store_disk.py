"""A disk that is full and a database that is held: said by name, and over when they are."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memory_nodes.errors import StoreError
from memory_nodes.store import database
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer, WriterConfig
from memory_test_support import numbered
from memory_test_support.child import run_python

BEFORE = 100
"""Observations in the memory when the disk is filled."""

# No file may grow past a limit: a write beyond it fails as on a full disk.
_ON_A_FULL_DISK = """
import resource
import sys
from pathlib import Path

from memory_nodes.errors import StoreError
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support import numbered

_, HARD = resource.getrlimit(resource.RLIMIT_FSIZE)


def limit(size_bytes):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, HARD))


def add(writer, number):
    return writer.add(numbered.observation(number), numbered.vector(number))


def fill(writer, stored):
    number = max(stored)
    while True:
        number += 1
        try:
            stored[number] = add(writer, number)
        except StoreError as error:
            print(error)
            return


def assert_all_found(search, stored):
    assert search.count(numbered.OBSERVATIONS) == len(stored)
    for number, observation_id in stored.items():
        numbered.assert_found(search, number, observation_id)


memory_dir = Path(sys.argv[1])
before = int(sys.argv[2])
"""
_ADDING = (
    _ON_A_FULL_DISK
    + """
writer, open_before = Writer(memory_dir), Search(memory_dir)
stored = {number: f"observation_{number + 1}" for number in range(before)}
limit(200_000)
fill(writer, stored)
assert len(stored) > before, "nothing could be added before the disk was full"
refused = range(90_000, 90_020)
waiting = [writer.submit(numbered.observation(number)) for number in refused]
writer.flush()
assert all(isinstance(future.exception(), StoreError) for future in waiting)
opened_meanwhile = Search(memory_dir)
for search in (open_before, opened_meanwhile):
    assert search.settle(60.0)
    assert_all_found(search, stored)
limit(HARD)
for number in range(95_000, 95_100):
    stored[number] = add(writer, number)
for search in (open_before, opened_meanwhile):
    assert_all_found(search, stored)
    search.close()
writer.close()
"""
)
_CLOSING = (
    _ON_A_FULL_DISK
    + """
writer = Writer(memory_dir)
stored = {before - 1: ""}
limit(200_000)
fill(writer, stored)
writer.close()
limit(4_000)
try:
    Writer(memory_dir)
except StoreError as error:
    print(error)
limit(HARD)
Writer(memory_dir).close()
search = Search(memory_dir)
del stored[before - 1]
assert search.count(numbered.OBSERVATIONS) == before + len(stored)
for number, observation_id in stored.items():
    numbered.assert_found(search, number, observation_id)
search.close()
"""
)


@pytest.fixture
def memory_dir(tmp_path: Path) -> Path:
    """A memory whose database is larger than the limit: it cannot be written back to either."""
    writer = Writer(tmp_path)
    writer.use_embedding_model(numbered.MODEL)
    for number in range(BEFORE):
        writer.submit(numbered.observation(number), numbered.vector(number))
    writer.close()
    assert (tmp_path / DATABASE_NAME).stat().st_size > 200_000
    return tmp_path


def test_full_disk_is_named_loses_nothing_and_is_forgotten_when_there_is_room(
    memory_dir: Path,
) -> None:
    ended = run_python(_ADDING, memory_dir, str(BEFORE))
    assert ended.returncode == 0, ended.stderr
    said = ended.stdout.splitlines()
    assert len(said) == 1
    assert "nothing was changed" in said[0]
    assert "disk is not full" in said[0]
    numbered.assert_whole(memory_dir)


def test_memory_closed_on_a_full_disk_has_all_that_was_acknowledged(memory_dir: Path) -> None:
    ended = run_python(_CLOSING, memory_dir, str(BEFORE))
    assert ended.returncode == 0, ended.stderr
    adding, opening = ended.stdout.splitlines()
    assert "disk is not full" in adding
    assert "disk is not full" in opening or "its disk not full" in opening
    numbered.assert_whole(memory_dir)


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sqlite3.Connection]:
    """Another connection to a memory, whose writer gives up after a tenth of a second."""
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.1)
    Writer(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / DATABASE_NAME, isolation_level=None)) as other:
        yield other


def test_database_that_another_program_holds_is_named_and_written_once_it_is_free(
    tmp_path: Path, held: sqlite3.Connection
) -> None:
    # The writer would commit these by itself only after a minute.
    writer = Writer(tmp_path, WriterConfig(batch_size=1000, batch_delay_s=60.0))
    first = writer.add(numbered.observation(0))
    held.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match=r"locked.*nothing was changed.*no other program.*0.1 s"):
        writer.add(numbered.observation(1))
    waiting = [writer.submit(numbered.observation(number)) for number in range(2, 5)]
    writer.flush()
    assert all(isinstance(future.exception(), StoreError) for future in waiting)
    with pytest.raises(StoreError, match="locked"):
        writer.start_episode("patrol", "", 0)
    search = Search(tmp_path)
    assert [hit.item_id for hit in search.words(numbered.word(0), 5).hits] == [first]
    held.execute("ROLLBACK")
    ids = [writer.add(numbered.observation(number)) for number in range(2, 5)]
    assert search.count(numbered.OBSERVATIONS) == 1 + len(ids)
    search.close()
    writer.close()


def test_memory_that_could_not_be_opened_while_held_opens_once_it_is_free(
    tmp_path: Path, held: sqlite3.Connection
) -> None:
    held.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked") as caught:
        Writer(tmp_path)
    held.execute("ROLLBACK")
    Writer(tmp_path).close()
    assert caught.type is StoreError  # and it is kept till here: it must not keep the lock
