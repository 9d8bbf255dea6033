"""Rankings by meaning, words and age, by hand; and what cannot be asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from memory_nodes.errors import InputError, StoreMissing
from memory_nodes.geometry import Array
from memory_nodes.records import NS_PER_S
from memory_nodes.store.database import INDEX_DIR
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.filters import Filter
from memory_nodes.store.ranking.fusion import FusionConfig
from memory_nodes.store.search import Found, Search, SearchConfig
from memory_nodes.store.writer import Writer, WriterConfig
from memory_test_support.records import gist, observation

MODEL = EmbeddingModel("a", 2)
EAST, NORTH = np.array([1.0, 0.0]), np.array([0.0, 1.0])
NORTH_EAST = (EAST + NORTH) / math.sqrt(2.0)
HERE = (0.0, 0.0, 0.0)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    opened.use_embedding_model(MODEL)
    yield opened
    opened.close()


@pytest.fixture
def search(tmp_path: Path, writer: Writer) -> Iterator[Search]:
    opened = Search(tmp_path)
    yield opened
    opened.close()


def _ids(found: Found) -> list[str]:
    return [hit.item_id for hit in found.hits]


def _texts(found: Found) -> list[str]:
    return [hit.text for hit in found.hits]


def test_fused_score_is_the_sum_of_reciprocal_ranks(writer: Writer, search: Search) -> None:
    """By meaning: cup, mug, lamp. By words: mug alone has both, then lamp."""
    writer.add(observation("cup"), EAST)
    writer.add(observation("red mug"), NORTH_EAST)
    writer.add(observation("a red lamp that stands on the floor"), NORTH)
    assert _texts(search.words("red mug")) == ["red mug", "a red lamp that stands on the floor"]
    found = search.hybrid("red mug", EAST)
    assert _texts(found) == ["red mug", "a red lamp that stands on the floor", "cup"]
    expected = [1 / 62 + 1 / 61, 1 / 63 + 1 / 62, 1 / 61]
    assert [hit.score for hit in found.hits] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("fusion", "expected"),
    [
        (FusionConfig(dense_weight=0.0), ["mug"]),
        (FusionConfig(word_weight=0.0), ["cup", "mug"]),
        (FusionConfig(word_weight=0.5, rrf_k=0), ["cup", "mug"]),
        (FusionConfig(word_weight=0.6, rrf_k=0), ["mug", "cup"]),
    ],
)
def test_weights_say_how_much_each_ranking_counts(
    writer: Writer, tmp_path: Path, fusion: FusionConfig, expected: list[str]
) -> None:
    """With rrf_k 0 cup scores 1, and mug 1/2 by meaning and the word weight by words."""
    writer.add(observation("mug"), NORTH)
    writer.add(observation("cup"), EAST)
    search = Search(tmp_path, SearchConfig(fusion=fusion))
    assert _texts(search.hybrid("mug", EAST)) == expected
    search.close()


def test_without_a_vector_words_alone_are_ranked(writer: Writer, search: Search) -> None:
    writer.add(observation("mug"), NORTH)
    writer.add(observation("cup"), EAST)
    assert _texts(search.hybrid("mug", None)) == ["mug"]


def test_of_one_text_at_most_per_text_items_come_the_newest_of_all_kinds(
    writer: Writer, search: Search
) -> None:
    for stamp_ns in (1, 2, 4):
        writer.add(observation("lamp", stamp_ns=stamp_ns), EAST)
    writer.add_gist(gist("lamp", start_ns=0, end_ns=3))
    writer.add(observation("moon", stamp_ns=0), NORTH)
    newest = ["observation_3", "gist_1", "observation_2", "observation_1"]
    for wanted in (Filter(), Filter(since_ns=0)):
        for per_text in (1, 2, 3):
            found = search.semantic(EAST, 10, wanted, per_text=per_text)
            assert _ids(found) == [*newest[:per_text], "observation_4"]
            assert _ids(search.words("lamp", 10, wanted, per_text=per_text)) == newest[:per_text]
        assert _ids(search.semantic(EAST, 3, wanted)) == newest[:3]


def test_newer_is_preferred_by_as_much_as_a_half_life_costs(writer: Writer, tmp_path: Path) -> None:
    """Distances 0 and 1 - sqrt(1/2) = 0.29; the nearer text is two half-lives old."""
    writer.add(observation("near and old", stamp_ns=0), EAST)
    writer.add(observation("farther and new", stamp_ns=20 * NS_PER_S), NORTH_EAST)
    orders = {}
    for weight in (0.0, 0.14, 0.15):
        fusion = FusionConfig(recency_weight=weight, recency_half_life_s=10.0)
        search = Search(tmp_path, SearchConfig(fusion=fusion))
        for wanted in (Filter(), Filter(since_ns=0)):
            found = search.semantic(EAST, 2, wanted, now_ns=20 * NS_PER_S)
            assert {hit.text: round(hit.score, 3) for hit in found.hits} == {
                "near and old": 1.0,
                "farther and new": 0.707,
            }
            orders[weight] = _texts(found)
        assert _texts(search.semantic(EAST, 2)) == ["near and old", "farther and new"]
        search.close()
    assert orders == {
        0.0: ["near and old", "farther and new"],
        0.14: ["near and old", "farther and new"],
        0.15: ["farther and new", "near and old"],
    }


def test_robot_time_0_is_a_time_to_prefer_by(writer: Writer, tmp_path: Path) -> None:
    fusion = FusionConfig(recency_weight=1.0, recency_half_life_s=1.0)
    search = Search(tmp_path, SearchConfig(fusion=fusion))
    writer.add(observation("of the future", stamp_ns=9 * NS_PER_S), NORTH_EAST)
    writer.add(observation("of now", stamp_ns=0), EAST)
    assert _texts(search.semantic(EAST, 2, now_ns=0)) == ["of now", "of the future"]
    search.close()


def test_nothing_can_be_asked_of_a_memory_that_is_not_there(tmp_path: Path) -> None:
    search = Search(tmp_path / "none")
    with pytest.raises(StoreMissing, match="no memory in"):
        search.words("mug")
    search.close()


def test_empty_memory_answers_with_nothing(search: Search) -> None:
    everything = (search.semantic(EAST), search.words("mug"), search.hybrid("mug", EAST))
    assert [found.hits for found in (*everything, search.near(HERE, 1.0))] == [()] * 4
    assert (search.between(0, 2**62).hits, search.count()) == ((), 0)


def test_less_than_one_item_is_refused(search: Search) -> None:
    questions: list[Callable[[], object]] = [
        lambda: search.semantic(EAST, 0),
        lambda: search.words("mug", 0),
        lambda: search.hybrid("mug", EAST, -1),
        lambda: search.near(HERE, 1.0, 0),
        lambda: search.between(0, 1, 0),
        lambda: search.words("mug", per_text=0),
        lambda: search.semantic(EAST, per_text=0),
        lambda: search.hybrid("mug", EAST, per_text=-1),
    ]
    for ask in questions:
        with pytest.raises(InputError, match="the least is 1"):
            ask()


@pytest.mark.parametrize("vector", [np.zeros(2), np.ones(3), np.full(2, np.nan)])
def test_vector_of_another_model_or_without_direction_is_refused(
    writer: Writer, search: Search, vector: Array
) -> None:
    writer.add(observation("cup"), EAST)
    for wanted in (Filter(), Filter(since_ns=0)):
        with pytest.raises(InputError, match="has no direction here"):
            search.semantic(vector, 1, wanted)


def test_words_that_the_filter_leaves_little_of_are_found_among_many(tmp_path: Path) -> None:
    writer, search = Writer(tmp_path, WriterConfig(batch_size=1000)), Search(tmp_path)
    for number in range(4200):
        writer.submit(observation(f"chair number {number}", stamp_ns=number))
    writer.flush()
    wanted = Filter(until_ns=10)
    assert [hit.start_ns for hit in search.words("chair", 20, wanted).hits] == [*range(10, -1, -1)]
    assert len(search.hybrid("chair", None, 20, wanted).hits) == 11
    search.close()
    writer.close()


def test_most_of_a_memory_may_leave_between_two_answers(tmp_path: Path) -> None:
    writer, search = Writer(tmp_path, WriterConfig(batch_size=1000)), Search(tmp_path)
    for number in range(300):
        writer.submit(observation(f"chair {number}", stamp_ns=number, at_map_m=(number, 0.0, 0.0)))
    writer.flush()
    assert search.near((0.0, 0.0, 0.0), 1e6, 1000).hits[0].start_ns == 0
    assert writer.archive(290) == 290
    left = search.near((0.0, 0.0, 0.0), 1e6, 1000).hits
    assert [hit.start_ns for hit in left] == [*range(290, 300)]
    search.close()
    again = Search(tmp_path)
    assert (again.count(), again.problems) == (10, ())
    again.close()
    writer.close()


def test_infinite_radius_is_the_whole_map(tmp_path: Path) -> None:
    writer, search = Writer(tmp_path), Search(tmp_path)
    for number in range(3):
        writer.add(observation(f"chair {number}", at_map_m=(1000.0 * number, 0.0, 0.0)))
    for wanted in (Filter(), Filter(layers=("text",))):
        found = search.near((2000.0, 0.0, 0.0), math.inf, 2, wanted)
        assert [hit.text for hit in found.hits] == ["chair 2", "chair 1"]
    search.close()
    writer.close()


def test_vector_that_somebody_else_broke_costs_no_other(tmp_path: Path) -> None:
    writer, search = Writer(tmp_path), Search(tmp_path)
    writer.use_embedding_model(EmbeddingModel("a", 3))
    for text, vector in zip(("one", "two", "three"), np.eye(3), strict=True):
        writer.add(observation(text), vector)
    with writer.database.transaction() as connection:
        broken = np.full(3, np.nan, "<f2").tobytes()
        connection.execute("UPDATE embedding SET vector = ? WHERE text_key = 2", (broken,))
    found = [hit.text for hit in search.semantic(np.array([1.0, 0.1, 0.0]), 5).hits]
    assert found == ["one", "three"]
    search.close()
    writer.close()


def test_search_that_saves_no_caches_writes_nothing(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.add(observation())
    writer.close()
    for saves_caches in (False, True):
        search = Search(tmp_path, saves_caches=saves_caches)
        search.refresh()
        search.close()
        assert (tmp_path / INDEX_DIR).exists() is saves_caches
