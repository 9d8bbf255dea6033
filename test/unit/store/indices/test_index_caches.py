"""Caches make a start faster, and no answer different."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_nodes.records import ItemKind
from memory_nodes.store.database import INDEX_DIR
from memory_nodes.store.indices.follower import COLUMNS_NAME, GRAPH_NAME
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.forgetting import delete, drop_tombstones
from memory_test_support.mixed_memory import Item, MixedMemory
from memory_test_support.search_agreement import answers, expect_agreement

DEADLINE_S = 30.0


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MixedMemory]:
    writer = Writer(tmp_path)
    made = MixedMemory(writer)
    made.fill(40)
    yield made
    writer.close()


def _delete(memory: MixedMemory, item: Item) -> None:
    delete(memory.writer, item.kind, item.key)
    memory.items.remove(item)


def _first_object(memory: MixedMemory) -> str:
    return next(item.item_id for item in memory.items if item.kind == ItemKind.OBJECT)


def _settled(memory_dir: Path) -> Search:
    search = Search(memory_dir)
    assert search.settle(DEADLINE_S)
    return search


def _caches(memory_dir: Path) -> list[tuple[int, int]]:
    """What changes when the files are written again."""
    files = (memory_dir / INDEX_DIR / name for name in (COLUMNS_NAME, GRAPH_NAME))
    return [(file.stat().st_ino, file.stat().st_mtime_ns) for file in files]


def test_restart_from_caches_answers_as_one_without(memory: MixedMemory, tmp_path: Path) -> None:
    first = _settled(tmp_path)
    expected = answers(first)
    first.close()
    written = _caches(tmp_path)
    again = _settled(tmp_path)
    assert (answers(again), again.problems) == (expected, ())
    again.close()
    assert _caches(tmp_path) == written, "nothing was new, and yet they were written"
    shutil.rmtree(tmp_path / INDEX_DIR)
    without = _settled(tmp_path)
    assert (answers(without), without.problems) == (expected, ())
    without.close()
    expect_agreement(memory, without)


def test_caches_of_an_older_commit_are_caught_up(memory: MixedMemory, tmp_path: Path) -> None:
    _settled(tmp_path).close()
    for item in memory.items[::4]:
        _delete(memory, item)
    memory.observe("a new parcel")
    memory.see(_first_object(memory), color="new color")
    memory.embed()
    again = Search(tmp_path)
    expect_agreement(memory, again)
    assert again.problems == ()
    again.close()


def test_caches_older_than_the_tombstones_are_not_used(memory: MixedMemory, tmp_path: Path) -> None:
    _settled(tmp_path).close()
    for item in memory.items[::4]:
        _delete(memory, item)
    drop_tombstones(memory.writer)
    again = Search(tmp_path)
    expect_agreement(memory, again)
    assert [COLUMNS_NAME in problem for problem in again.problems] == [True]
    again.close()


def test_caches_of_another_memory_are_not_used_and_told(
    memory: MixedMemory, tmp_path: Path
) -> None:
    other_dir = tmp_path / "other"
    other = MixedMemory(Writer(other_dir), seed=5)
    other.fill(20)
    _settled(other_dir).close()
    other.writer.close()
    shutil.rmtree(tmp_path / INDEX_DIR, ignore_errors=True)
    shutil.copytree(other_dir / INDEX_DIR, tmp_path / INDEX_DIR)
    search = Search(tmp_path)
    expect_agreement(memory, search)
    assert len(search.problems) == 2
    search.close()


def test_caches_that_cannot_be_written_cost_no_answer(memory: MixedMemory, tmp_path: Path) -> None:
    (tmp_path / INDEX_DIR).write_text("in the way")
    search = Search(tmp_path)
    expect_agreement(memory, search)
    search.close()
    assert "the caches were not saved" in search.problems[-1]
