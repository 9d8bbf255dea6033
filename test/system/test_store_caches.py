"""Files beside the database are never trusted: without them, or with bad ones, nothing changes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest

from memory_nodes.store.database import DATABASE_NAME, INDEX_DIR
from memory_nodes.store.hits import Hit
from memory_nodes.store.indices.follower import COLUMNS_NAME, GRAPH_NAME
from memory_nodes.store.indices.vector_config import VectorConfig
from memory_nodes.store.ranking.planner import PlannerConfig
from memory_nodes.store.search import Search, SearchConfig
from memory_nodes.store.writer import Writer
from memory_test_support import numbered

COUNT = 400
NAMES = (GRAPH_NAME, COLUMNS_NAME)
FLIPS = 25
CONFIG = SearchConfig(
    vectors=VectorConfig(exact_below=0), planner=PlannerConfig(exact_texts=0, graph_texts=COUNT)
)
"""The graph is used wherever it can be."""
Answers: TypeAlias = list[tuple[Hit, ...]]
Damage: TypeAlias = Callable[[Path], object]


@contextmanager
def _writing(memory_dir: Path) -> Iterator[Writer]:
    writer = Writer(memory_dir)
    writer.use_embedding_model(numbered.MODEL)
    yield writer
    writer.close()


def _answers(search: Search) -> Answers:
    """Of each kind of search, without and with filters; exact ones compare all vectors."""
    found = []
    for number in range(0, COUNT, 40):
        place, stamp_ns = numbered.place_map_m(number), numbered.stamp_ns(number)
        vector = numbered.vector(number)
        found += [
            search.semantic(vector, 3),
            search.semantic(vector, 3, numbered.OBSERVATIONS),
            search.words(numbered.word(number), 4),
            search.hybrid(numbered.word(number), vector, 4),
            search.near(place, 1.0, 20),
            search.between(stamp_ns, stamp_ns + 10_000_000, 20),
            search.between(stamp_ns, stamp_ns + 10_000_000, 20, numbered.OBSERVATIONS),
        ]
    return [answer.hits for answer in found]


def _opened(memory_dir: Path) -> tuple[Answers, tuple[str, ...]]:
    """Answers and problems of a search that ends and leaves its caches."""
    search = Search(memory_dir, CONFIG)
    assert search.settle(60.0)
    answers = _answers(search)
    search.close()
    return answers, search.problems


@pytest.fixture
def memory_dir(tmp_path: Path) -> Path:
    """A memory with both caches."""
    with _writing(tmp_path / "memory") as writer:
        numbered.add(writer, range(COUNT))
    _opened(tmp_path / "memory")
    return tmp_path / "memory"


@pytest.fixture
def expected(memory_dir: Path, tmp_path: Path) -> Answers:
    """What the same memory answers without any cache."""
    bare = shutil.copytree(memory_dir, tmp_path / "bare")
    shutil.rmtree(bare / INDEX_DIR)
    answers, problems = _opened(bare)
    assert problems == ()
    assert all(answers), "a question without an answer tells nothing"
    return answers


def _assert_mended(memory_dir: Path, expected: Answers) -> None:
    """Both caches are there, and are used."""
    for name in NAMES:
        assert (memory_dir / INDEX_DIR / name).is_file()
    assert _opened(memory_dir) == (expected, ())


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _zero(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _make_unreadable(path: Path) -> None:
    """Also for a superuser, whom no permission stops."""
    path.unlink()
    path.symlink_to(path.name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("damage", [_truncate, _zero, _empty, _make_unreadable])
def test_damaged_cache_is_named_changes_no_answer_and_is_written_anew(
    memory_dir: Path, expected: Answers, damage: Damage, name: str
) -> None:
    damage(memory_dir / INDEX_DIR / name)
    answers, problems = _opened(memory_dir)
    assert answers == expected
    assert [name in problem for problem in problems] == [True]
    _assert_mended(memory_dir, expected)


@pytest.mark.parametrize("name", NAMES)
def test_each_flipped_bit_is_noticed(memory_dir: Path, expected: Answers, name: str) -> None:
    path = memory_dir / INDEX_DIR / name
    sound = path.read_bytes()
    random = np.random.default_rng(3)
    for _ in range(FLIPS):
        flipped = bytearray(sound)
        flipped[random.integers(len(sound))] ^= 1 << int(random.integers(8))
        path.write_bytes(flipped)
        search = Search(memory_dir, CONFIG)
        assert _answers(search) == expected
        assert [name in problem for problem in search.problems] == [True]
        search.close()
    path.write_bytes(flipped)
    assert _opened(memory_dir)[0] == expected
    _assert_mended(memory_dir, expected)


@pytest.mark.parametrize("name", NAMES)
def test_cache_of_another_memory_is_refused(
    memory_dir: Path, expected: Answers, tmp_path: Path, name: str
) -> None:
    with _writing(tmp_path / "other") as writer:  # as large, of the same model, said differently
        numbered.add(writer, range(1000, 1000 + COUNT))
    _opened(tmp_path / "other")
    shutil.copy(tmp_path / "other" / INDEX_DIR / name, memory_dir / INDEX_DIR / name)
    answers, problems = _opened(memory_dir)
    assert answers == expected
    assert [name in problem for problem in problems] == [True]
    _assert_mended(memory_dir, expected)


@pytest.fixture
def put_back(memory_dir: Path, expected: Answers, tmp_path: Path) -> Path:
    """The memory beside caches of what it became later."""
    older = shutil.copy(memory_dir / DATABASE_NAME, tmp_path / "older")
    with _writing(memory_dir) as writer:
        numbered.add(writer, range(COUNT, 2 * COUNT))
    assert _opened(memory_dir)[1] == ()
    shutil.copy(older, memory_dir / DATABASE_NAME)
    return memory_dir


def test_caches_newer_than_the_memory_are_refused(put_back: Path, expected: Answers) -> None:
    answers, problems = _opened(put_back)
    assert answers == expected
    assert sorted(name for name in NAMES for text in problems if name in text) == sorted(NAMES)
    _assert_mended(put_back, expected)


def test_columns_of_what_was_forgotten_by_putting_an_older_memory_back_are_refused(
    put_back: Path, tmp_path: Path
) -> None:
    """The memory has gone past the commit of its caches, another way."""
    with _writing(put_back) as writer:
        for number in range(5000, 5000 + COUNT, 4):
            numbered.add(writer, range(number, number + 4))
    bare = shutil.copytree(put_back, tmp_path / "bare2")
    shutil.rmtree(bare / INDEX_DIR)
    for memory_dir, names in ((bare, []), (put_back, ["columns"])):
        search = Search(memory_dir)
        for number in range(5000, 5000 + COUNT, 10):
            found = search.near(numbered.place_map_m(number), 0.0)
            assert [hit.start_ns for hit in found.hits] == [numbered.stamp_ns(number)]
            if numbered.has_vector(number):
                nearest = search.semantic(numbered.vector(number), 1)
                assert nearest.hits[0].text == numbered.observation(number).text
        assert search.near(numbered.place_map_m(COUNT + 1), 0.0).hits == ()
        assert [problem.split()[1] for problem in search.problems] == names
        search.close()
