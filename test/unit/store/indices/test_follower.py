"""A search that was opened before knows all that was written since, as one opened now does."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from memory_nodes.errors import InputError, StoreError
from memory_nodes.records import ItemKind
from memory_nodes.store.database import DATABASE_NAME, open_for_reading
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.indices.catalogue import KINDS
from memory_nodes.store.indices.follower import Follower
from memory_nodes.store.indices.vector_config import VectorConfig
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.forgetting import archive, delete, drop_tombstones
from memory_test_support.mixed_memory import Item, MixedMemory
from memory_test_support.records import observation
from memory_test_support.search_agreement import QUERIES, expect_agreement

DEADLINE_S = 30.0


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MixedMemory]:
    writer = Writer(tmp_path)
    made = MixedMemory(writer)
    made.fill(40)
    yield made
    writer.close()


@pytest.fixture
def search(memory: MixedMemory, tmp_path: Path) -> Iterator[Search]:
    """Has read the memory as it was filled."""
    opened = Search(tmp_path)
    opened.refresh()
    yield opened
    opened.close()


def _of(memory: MixedMemory, kind: ItemKind) -> list[Item]:
    return [item for item in memory.items if item.kind == kind]


def _archive(memory: MixedMemory, item: Item) -> None:
    archive(memory.writer, item.key)
    memory.items.remove(item)


def _delete(memory: MixedMemory, item: Item) -> None:
    delete(memory.writer, item.kind, item.key)
    memory.items.remove(item)


def test_what_is_added_later_is_found(memory: MixedMemory, search: Search) -> None:
    memory.observe("quite a new parcel")
    memory.summarise("gist of the new parcel")
    memory.see(color="new color")
    memory.notice("string of the new parcel")
    expect_agreement(memory, search)
    memory.embed()
    expect_agreement(memory, search)


def test_what_is_archived_is_found_no_more(memory: MixedMemory, search: Search) -> None:
    for item in _of(memory, ItemKind.OBSERVATION)[::2]:
        _archive(memory, item)
    expect_agreement(memory, search)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_deleted_is_found_no_more(
    memory: MixedMemory, search: Search, kind: ItemKind
) -> None:
    for item in _of(memory, kind)[1::2]:
        _delete(memory, item)
    expect_agreement(memory, search)


def test_object_is_found_where_it_is_now_and_by_what_it_is_now(
    memory: MixedMemory, search: Search
) -> None:
    before = _of(memory, ItemKind.OBJECT)[0]
    after = memory.see(before.item_id, color="quite another color")
    assert (after.point_map_m, after.text) != (before.point_map_m, before.text)
    memory.embed()
    expect_agreement(memory, search)
    assert search.words("quite").hits[0].item_id == before.item_id


def test_entity_is_found_where_it_is_on_average_until_it_was_seen_last(
    memory: MixedMemory, search: Search
) -> None:
    before = _of(memory, ItemKind.ENTITY)[0]
    after = memory.notice(before.text, before)
    assert after.point_map_m != before.point_map_m
    expect_agreement(memory, search)


def test_object_made_after_the_last_was_deleted_gets_a_new_key_and_is_found(
    memory: MixedMemory, search: Search
) -> None:
    last = _of(memory, ItemKind.OBJECT)[-1]
    _delete(memory, last)
    search.refresh()
    after = memory.see("mug_99", color="color of its own")
    assert after.key == last.key + 1
    memory.embed()
    expect_agreement(memory, search)


def test_text_that_is_said_again_after_it_was_forgotten_is_found_again(
    memory: MixedMemory, search: Search
) -> None:
    item = memory.observe("the parcel said twice")
    memory.embed()
    search.refresh()
    _archive(memory, item)
    search.refresh()
    memory.observe("the parcel said twice")
    memory.embed()
    expect_agreement(memory, search)


def test_what_came_and_went_between_two_answers_leaves_no_trace(
    memory: MixedMemory, search: Search
) -> None:
    item = memory.observe("a short-lived parcel")
    memory.embed()
    _archive(memory, item)
    expect_agreement(memory, search)


def test_reader_that_missed_dropped_tombstones_reads_all_anew(
    memory: MixedMemory, search: Search
) -> None:
    for item in memory.items[::3]:
        _delete(memory, item)
    drop_tombstones(memory.writer)
    expect_agreement(memory, search)


@pytest.mark.parametrize("seed", range(3))
def test_random_changes_and_restarts_never_part_search_and_memory(
    memory: MixedMemory, tmp_path: Path, seed: int
) -> None:
    random, search = np.random.default_rng(seed), Search(tmp_path)
    changes: list[Callable[[], object]] = [
        lambda: memory.observe(f"parcel {random.integers(9)}"),
        lambda: memory.summarise(f"parcel {random.integers(9)}"),
        lambda: memory.see(),
        lambda: memory.see(_of(memory, ItemKind.OBJECT)[0].item_id, "color"),
        lambda: memory.notice(f"parcel {random.integers(9)}"),
        lambda: _archive(memory, _of(memory, ItemKind.OBSERVATION)[-1]),
        lambda: _delete(memory, memory.items[int(random.integers(len(memory.items)))]),
        lambda: drop_tombstones(memory.writer),
    ]
    for _ in range(6):
        for change in random.choice(len(changes), 4).tolist():
            changes[change]()
        memory.embed()
        if random.integers(3) == 0:
            search.close()
            search = Search(tmp_path)
        expect_agreement(memory, search)
    search.close()


def _settled(memory_dir: Path) -> Search:
    search = Search(memory_dir)
    assert search.settle(DEADLINE_S)
    return search


def test_vectors_of_a_new_model_replace_those_of_the_old(
    memory: MixedMemory, tmp_path: Path
) -> None:
    search = _settled(tmp_path)
    model = EmbeddingModel("b", 2)
    memory.writer.use_embedding_model(model, reembed=True)
    assert search.semantic(np.array([1.0, 0.0])).hits == ()
    with pytest.raises(InputError):
        search.semantic(QUERIES[0])
    waiting = memory.writer.texts_without_vector(1000)
    east, north = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    memory.writer.store_vectors({key: east if key % 2 else north for key in waiting})
    found = search.semantic(east, 1000).hits
    assert {hit.text for hit in found[:3]} <= {text for key, text in waiting.items() if key % 2}
    assert len(found) == len(memory.items)
    assert search.settle(DEADLINE_S)
    search.close()
    again = _settled(tmp_path)
    assert again.problems == (), "the graph of the new model was not saved"
    assert again.semantic(east, 1000).hits == found
    again.close()


def test_reopening_does_not_wait_for_a_save_that_waits_for_its_owner(
    memory: MixedMemory, tmp_path: Path
) -> None:
    """Follower.follow is called under the lock that saving takes: no wait for each other."""
    owner, is_saving = threading.Lock(), threading.Event()

    def save() -> None:
        is_saving.set()
        with owner:
            pass

    follower = Follower(tmp_path, VectorConfig(), save)
    connection = open_for_reading(tmp_path)
    with owner:
        follower.follow(connection)
        assert is_saving.wait(DEADLINE_S)
        memory.writer.use_embedding_model(EmbeddingModel("b", 2), reembed=True)
        follower.follow(connection)
    assert follower.vectors is not None
    assert follower.vectors.dimension == 2
    follower.stop()
    connection.close()


def test_damaged_vector_is_told_at_every_search_until_it_is_mended(
    memory: MixedMemory, search: Search, tmp_path: Path
) -> None:
    memory.writer.add(observation("a parcel"))
    memory.embed()
    with sqlite3.connect(tmp_path / DATABASE_NAME) as connection:
        newest = connection.execute(
            "SELECT embedding_key, vector FROM embedding ORDER BY 1 DESC LIMIT 1"
        ).fetchone()
        change = "UPDATE embedding SET vector = ? WHERE embedding_key = ?"
        connection.execute(change, (b"\0", newest[0]))
    for _ in range(2):
        with pytest.raises(StoreError, match="vectors of a are damaged"):
            search.semantic(QUERIES[0])
    with sqlite3.connect(tmp_path / DATABASE_NAME) as connection:
        connection.execute(change, (newest[1], newest[0]))
    assert "a parcel" in {hit.text for hit in search.semantic(QUERIES[0], 500).hits}
