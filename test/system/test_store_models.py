"""Vectors of two embedding models are never compared, also while one follows the other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from memory_nodes.errors import EmbeddingModelChanged, InputError
from memory_nodes.geometry import Array
from memory_nodes.store.database import INDEX_DIR
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.indices.follower import GRAPH_NAME
from memory_nodes.store.indices.index_builder import IndexBuilder
from memory_nodes.store.indices.vector_index import VectorIndex
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer, WriterConfig
from memory_test_support import numbered

COUNT = 120
OLD = numbered.MODEL
NEW = EmbeddingModel("another", OLD.dimension)
SHORT = EmbeddingModel(OLD.model_id, 8)
NEW_SEED = 1
"""Of numbered.vector: what the new model makes of the same texts."""


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    """Of a memory with vectors of the old model."""
    opened = Writer(tmp_path, WriterConfig(batch_size=1000, batch_delay_s=60.0))
    opened.use_embedding_model(OLD)
    numbered.add(opened, range(COUNT))
    yield opened
    opened.close()


@pytest.fixture
def search(writer: Writer, tmp_path: Path) -> Iterator[Search]:
    """Open, and level with the old model."""
    opened = Search(tmp_path)
    assert opened.settle(60.0)
    yield opened
    opened.close()


def _embed(
    writer: Writer, limit: int, dimension: int = NEW.dimension, seed: int = NEW_SEED
) -> set[str]:
    """Stores vectors, of the new model where no other is named, for texts that wait; the texts."""
    waiting = writer.texts_without_vector(limit)
    vectors = {key: _new_vector(text, dimension, seed) for key, text in waiting.items()}
    assert writer.store_vectors(vectors) == len(waiting)
    return set(waiting.values())


def _new_vector(text: str, dimension: int = NEW.dimension, seed: int = NEW_SEED) -> Array:
    number = 2 * int(text.split()[0].removeprefix("crate"))
    return numbered.vector(number, dimension, seed)


def _cosines(search: Search, query: Array) -> dict[str, float]:
    return {hit.text: hit.score for hit in search.semantic(query, 1000).hits}


def test_another_model_is_refused_by_name_and_the_vectors_stay(
    writer: Writer, search: Search
) -> None:
    with pytest.raises(EmbeddingModelChanged, match=r"numbered \(16 numbers\), not of another"):
        writer.use_embedding_model(NEW)
    with pytest.raises(EmbeddingModelChanged, match=r"16 numbers\), not of numbered \(8\)"):
        writer.use_embedding_model(SHORT)
    writer.use_embedding_model(OLD)
    numbered.assert_found(search, 2, "observation_3")
    assert writer.add(numbered.observation(COUNT), numbered.vector(COUNT))
    numbered.assert_found(search, COUNT, f"observation_{COUNT + 1}")


@pytest.mark.parametrize("is_open_before", [True, False])
def test_search_between_two_models_compares_vectors_of_the_new_one_only(
    writer: Writer, search: Search, tmp_path: Path, is_open_before: bool
) -> None:
    if not is_open_before:
        search.close()
        search = Search(tmp_path)  # with the caches of the old model
    writer.use_embedding_model(NEW, reembed=True)
    query = numbered.vector(2)  # what the old model made of a text
    assert search.semantic(query, 1000).hits == ()
    embedded: set[str] = set()
    for _ in range(4):
        embedded |= _embed(writer, COUNT // 8)
        cosines = _cosines(search, query)
        assert cosines == {
            text: pytest.approx(float(_new_vector(text) @ query), abs=2e-3) for text in embedded
        }
    assert len(embedded) == COUNT // 2  # two observations have one text
    assert writer.texts_without_vector(9) == {}
    found = search.semantic(numbered.vector(2, seed=NEW_SEED), 1).hits[0]
    assert found.text == numbered.observation(2).text
    search.close()


def test_words_and_places_are_found_while_no_vector_is_there(
    writer: Writer, search: Search
) -> None:
    writer.use_embedding_model(NEW, reembed=True)
    hits = search.hybrid(numbered.word(2), numbered.vector(2), 2).hits
    assert {hit.text for hit in hits} == {numbered.observation(2).text}
    assert search.near(numbered.place_map_m(2), 0.0).hits[0].item_id == "observation_3"


def test_vector_that_waits_for_its_commit_while_the_model_changes_is_not_used(
    writer: Writer, search: Search, tmp_path: Path
) -> None:
    number = COUNT
    future = writer.submit(numbered.observation(number), numbered.vector(number))
    assert not future.done()  # it waits for others
    writer.use_embedding_model(NEW, reembed=True)
    writer.flush()
    assert future.result() == f"observation_{COUNT + 1}"
    assert search.semantic(numbered.vector(number), 5).hits == ()
    assert numbered.observation(number).text in writer.texts_without_vector(1000).values()
    numbered.assert_whole(tmp_path)


def test_same_model_with_another_dimension_is_followed(writer: Writer, search: Search) -> None:
    future = writer.submit(numbered.observation(COUNT), numbered.vector(COUNT))
    writer.use_embedding_model(SHORT, reembed=True)
    writer.flush()
    future.result()
    short = numbered.vector(2, SHORT.dimension, NEW_SEED)
    assert search.semantic(short, 5).hits == ()
    with pytest.raises(InputError, match=r"shape \(16,\), numbered makes \(8,\)"):
        writer.add(numbered.observation(COUNT + 1), numbered.vector(COUNT + 1))
    _embed(writer, 1000, SHORT.dimension)
    assert search.semantic(short, 1).hits[0].text == numbered.observation(2).text
    with pytest.raises(InputError, match=r"shape \(16,\)"):
        search.semantic(numbered.vector(2), 1)


def test_going_back_to_the_first_model_starts_anew(writer: Writer, search: Search) -> None:
    for model in (NEW, OLD):
        writer.use_embedding_model(model, reembed=True)
    # whether a reader saw the model between them or not, only what is embedded anew is compared
    key, text = next(iter(writer.texts_without_vector(1).items()))
    writer.store_vectors({key: _new_vector(text)})
    assert _cosines(search, _new_vector(text)).keys() == {text}


def test_memory_opens_with_caches_of_a_model_that_was_left_and_taken_again(
    writer: Writer, search: Search, tmp_path: Path
) -> None:
    search.close()
    assert (tmp_path / INDEX_DIR / GRAPH_NAME).is_file()
    for model in (NEW, OLD):
        writer.use_embedding_model(model, reembed=True)
    again = Search(tmp_path)
    assert again.semantic(numbered.vector(2), 5).hits == ()
    embedded = _embed(writer, 1000)
    assert _cosines(again, numbered.vector(2)).keys() == embedded
    again.close()


def test_model_may_change_while_the_builder_is_about_to_tell_that_it_is_done(
    writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search that follows holds the lock that the builder needs to tell so."""
    is_let_go, is_at_its_end = threading.Event(), threading.Event()
    make, dismiss = IndexBuilder.__init__, IndexBuilder.dismiss

    def made(builder: IndexBuilder, index: VectorIndex, on_built: Callable[[], None]) -> None:
        def told_late() -> None:
            is_at_its_end.set()
            is_let_go.wait(30.0)
            on_built()

        make(builder, index, told_late)

    def letting_go(builder: IndexBuilder) -> None:
        is_let_go.set()
        dismiss(builder)

    monkeypatch.setattr(IndexBuilder, "__init__", made)
    monkeypatch.setattr(IndexBuilder, "dismiss", letting_go)
    search = Search(tmp_path)
    search.refresh()
    assert is_at_its_end.wait(30.0)
    writer.use_embedding_model(NEW, reembed=True)
    assert search.semantic(numbered.vector(2), 5).hits == ()
    embedded = _embed(writer, 1000)
    assert search.settle(30.0)
    assert search.progress == (len(embedded), len(embedded))
    search.close()


def test_readers_in_threads_follow_each_of_many_changes(writer: Writer, search: Search) -> None:
    """All texts have, by both models, another vector: any cosine tells which model it is of."""
    query = np.eye(OLD.dimension)[0]
    stop = threading.Event()
    by_model = [
        {
            numbered.observation(n).text: float(numbered.vector(n, seed=seed) @ query)
            for n in range(COUNT)
        }
        for seed in (0, NEW_SEED)
    ]

    def read() -> None:
        while not stop.is_set():
            cosines = _cosines(search, query)
            fits = [
                all(abs(cosine - expected[text]) < 2e-3 for text, cosine in cosines.items())
                for expected in by_model
            ]
            assert any(fits), "vectors of two models are compared"

    with ThreadPoolExecutor(3) as pool, ExitStack() as stack:
        stack.callback(stop.set)
        reading = [pool.submit(read) for _ in range(3)]
        for change in range(20):
            seed = (change + 1) % 2
            writer.use_embedding_model((OLD, NEW)[seed], reembed=True)
            while _embed(writer, 20, seed=seed):
                pass
        stop.set()
        for future in reading:
            future.result()
