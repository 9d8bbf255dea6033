"""Archived observations lose their text, and nothing else; nobody waits for it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory_nodes.errors import InputError
from memory_nodes.records import NS_PER_S, Gist, ItemKind
from memory_nodes.store import archiving, image_retention, tombstones
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.filters import Filter
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.records import gist, observation

EVER_NS = 10**6 * NS_PER_S


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def search(tmp_path: Path) -> Iterator[Search]:
    opened = Search(tmp_path)
    yield opened
    opened.close()


def _rows(memory_dir: Path, query: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_what_is_older_loses_its_text_and_keeps_time_place_and_layer(
    writer: Writer, tmp_path: Path
) -> None:
    writer.add(observation("old", stamp_s=1.0, at_map_m=(1.0, 2.0, 3.0), layer="speech"))
    writer.add(observation("at the limit", stamp_s=2.0))
    assert writer.archive(2 * NS_PER_S) == 1
    kept = _rows(
        tmp_path,
        "SELECT stamp_ns, x, y, z, l.name, t.text FROM observation JOIN layer l USING (layer_key)"
        " LEFT JOIN text t USING (text_key) ORDER BY stamp_ns",
    )
    assert kept == [
        (1 * NS_PER_S, 1.0, 2.0, 3.0, "speech", None),
        (2 * NS_PER_S, 0.0, 0.0, 0.0, "text", "at the limit"),
    ]
    assert _rows(tmp_path, "SELECT tier FROM observation_tier ORDER BY observation_key") == [
        (3,),
        (1,),
    ]


def test_archiving_again_changes_nothing(writer: Writer) -> None:
    writer.add(observation("old"))
    writer.archive(EVER_NS)
    before = writer.counts()
    assert writer.archive(EVER_NS) == 0
    assert writer.counts() == before


def test_active_episode_and_those_within_it_stay_until_it_ends(writer: Writer) -> None:
    outer = writer.start_episode("patrol", "", 0)
    inner = writer.start_episode("kitchen", outer, 0)
    writer.add(observation("in the inner one"))
    writer.end_episode(inner, 1)
    writer.add(observation("in the outer one"))
    assert writer.archive(EVER_NS) == 0
    writer.end_episode(outer, 2)
    assert writer.archive(EVER_NS) == 2


def test_text_that_something_else_says_stays(writer: Writer, tmp_path: Path) -> None:
    old = writer.add(observation("a mug", stamp_s=1.0))
    writer.add(observation("a mug", stamp_s=9.0))
    other = writer.add(observation("a lamp", stamp_s=1.0))
    writer.add_gist(Gist("a lamp", "map", "map", (0.0, 0.0, 0.0), 1.0, 0, 1, (old, other)))
    writer.add(observation("a chair", stamp_s=1.0))
    assert writer.archive(5 * NS_PER_S) == 3
    assert _rows(tmp_path, "SELECT text FROM text ORDER BY text") == [("a lamp",), ("a mug",)]


def test_slices_archive_all_of_a_stamp_and_pass_over_what_is_active(
    writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archiving, "SLICE", 3)
    monkeypatch.setattr(archiving, "WINDOW", 5)
    monkeypatch.setattr(archiving, "PAUSE_S", 0.0)
    for number in range(10):
        writer.submit(observation(f"free {number}", stamp_s=number // 5))
    writer.start_episode("now", "", 0)
    for number in range(7):
        writer.submit(observation(f"active {number}", stamp_s=number // 5))
    assert writer.archive(EVER_NS) == 10
    left = _rows(tmp_path, "SELECT text FROM text ORDER BY text")
    assert left == [(f"active {number}",) for number in range(7)]


def test_open_search_finds_archived_texts_no_more(writer: Writer, search: Search) -> None:
    writer.use_embedding_model(EmbeddingModel("axes", 2))
    old, new = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    writer.add(observation("old kettle", stamp_s=1.0, at_map_m=(1.0, 0.0, 0.0)), old)
    writer.add(observation("new kettle", stamp_s=9.0, at_map_m=(2.0, 0.0, 0.0)), new)
    assert len(search.words("kettle").hits) == 2
    writer.archive(5 * NS_PER_S)
    for found in (
        search.words("kettle"),
        search.semantic(old),
        search.near((0.0, 0.0, 0.0), 5.0),
        search.between(0, EVER_NS),
        search.between(0, EVER_NS, wanted=Filter(kinds=(ItemKind.OBSERVATION,))),
    ):
        assert [hit.text for hit in found.hits] == ["new kettle"]


def test_rows_come_and_are_seen_between_slices(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An add that waits for the lock gets it before the next slice."""
    monkeypatch.setattr(archiving, "SLICE", 1)
    for number in range(100):
        writer.submit(observation(f"old {number}"))
    writer.flush()
    first_slice = threading.Event()
    left: list[int] = []
    plain = archiving._archive

    def watched(connection: sqlite3.Connection, rows: list[sqlite3.Row]) -> None:
        first_slice.set()
        plain(connection, rows)

    def add() -> None:
        first_slice.wait()
        writer.add(observation("new", stamp_s=10.0**6))
        with writer.database.reading() as connection:
            query = "SELECT count(*) FROM observation WHERE text_key IS NOT NULL"
            left.append(connection.execute(query).fetchone()[0])

    monkeypatch.setattr(archiving, "_archive", watched)
    adding = threading.Thread(target=add)
    adding.start()
    assert writer.archive(EVER_NS) == 100
    adding.join()
    assert left[0] > 1  # its own, and what was not archived yet


def test_what_has_no_gist_yet_waits_and_noise_does_not(writer: Writer, tmp_path: Path) -> None:
    """Outside of episodes all up to "noise" was looked at; the late one arrived after that."""
    told = writer.add(observation("told", stamp_s=2.0))
    noise = writer.add(observation("noise", stamp_s=3.0))
    writer.add_gist(gist("a gist", observation_ids=(told,)))
    writer.finish_free(noise)
    writer.add(observation("late", stamp_s=1.0))
    waiting = writer.start_episode("waiting", "", 0)
    writer.add(observation("in an episode that waits", stamp_s=4.0))
    writer.end_episode(waiting, 5)
    done = writer.start_episode("done", "", 0)
    writer.add(observation("in an episode that is done", stamp_s=4.0))
    writer.end_episode(done, 5)
    writer.finish_episode(done)
    assert writer.archive(EVER_NS, only_consolidated=True) == 3
    left = "SELECT text FROM observation JOIN text USING (text_key) ORDER BY observation_key"
    assert _rows(tmp_path, left) == [("late",), ("in an episode that waits",)]
    writer.finish_episode(waiting)
    writer.finish_free("observation_3")
    assert writer.archive(EVER_NS, only_consolidated=True) == 2


def test_consolidated_episode_waits_for_the_active_one_around_it(writer: Writer) -> None:
    outer = writer.start_episode("patrol", "", 0)
    inner = writer.start_episode("kitchen", outer, 0)
    writer.add(observation("in the inner one"))
    writer.end_episode(inner, 1)
    writer.finish_episode(inner)
    with pytest.raises(InputError, match="episode_1 is active"):
        writer.finish_episode(outer)
    assert writer.archive(EVER_NS, only_consolidated=True) == 0
    writer.end_episode(outer, 2)
    assert writer.archive(EVER_NS, only_consolidated=True) == 1


def test_archive_that_was_killed_between_slices_goes_on_at_the_next_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    monkeypatch.setattr(archiving, "SLICE", 3)
    plain, slices = archiving._archive, []

    def dying(connection: sqlite3.Connection, rows: list[sqlite3.Row]) -> None:
        plain(connection, rows)
        slices.append(len(rows))
        if len(slices) == 2:
            raise Killed

    writer = Writer(tmp_path)
    for number in range(10):
        writer.submit(observation(f"old {number}", stamp_s=number))
    monkeypatch.setattr(archiving, "_archive", dying)
    with pytest.raises(Killed):
        writer.archive(EVER_NS)
    left = "SELECT count(*) FROM observation WHERE text_key IS NOT NULL"
    assert _rows(tmp_path, left) == [(7,)]
    writer.close()
    monkeypatch.setattr(archiving, "_archive", plain)
    again = Writer(tmp_path)
    assert again.archive(EVER_NS) == 7
    again.close()


def test_too_many_tombstones_are_halved_and_a_reader_behind_reads_anew(
    writer: Writer, search: Search, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tombstones, "MAX_TOMBSTONES", 20)
    monkeypatch.setattr(tombstones, "SLICE", 3)
    monkeypatch.setattr(archiving, "SLICE", 2)
    for number in range(20):
        writer.submit(observation(f"old {number}", stamp_s=number))
    writer.add(observation("young", stamp_s=100.0))
    assert search.count() == 21
    assert writer.archive(50 * NS_PER_S) == 20
    # 10 slices bury 2 observations and 2 texts each; those of the first 6 are given up
    ((floor,),) = _rows(tmp_path, "SELECT sequence FROM tombstone_floor")
    sequences = _rows(tmp_path, "SELECT sequence, count(*) FROM tombstone GROUP BY sequence")
    assert [count for _, count in sequences] == [4, 4, 4, 4]
    assert all(found > floor for found, _ in sequences)
    assert [hit.text for hit in search.between(0, EVER_NS).hits] == ["young"]
    assert search.count() == 1


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (archiving._NEXT, "observation USING INDEX observation_stamp (stamp_ns>? AND stamp_ns<?)"),
        (image_retention._NEXT, "k USING INDEX keyframe_stamp (stamp_ns>? AND stamp_ns<?)"),
        (
            "DELETE FROM text WHERE text_key = 1",
            "observation USING COVERING INDEX observation_text (text_key=?)",
        ),
        (
            "DELETE FROM view WHERE object_key = 1",
            "view_embedding USING COVERING INDEX view_embedding_view",
        ),
        ("DELETE FROM object WHERE object_key = 1", "relation USING COVERING INDEX"),
        ("DELETE FROM chunk WHERE chunk_id = 1", "object_state USING COVERING INDEX"),
        ("DELETE FROM episode WHERE episode_key = 1", "gist USING COVERING INDEX gist_episode"),
    ],
)
def test_no_deleted_row_costs_a_scan(writer: Writer, query: str, expected: str) -> None:
    with writer.database.reading() as connection:
        values = (0,) * query.count("?")
        plan = connection.execute(f"EXPLAIN QUERY PLAN {query}", values).fetchall()
    steps = [row["detail"] for row in plan]
    assert any(expected in step for step in steps)
    assert not any(step.startswith(("SCAN observation", "SCAN view", "USE TEMP")) for step in steps)
