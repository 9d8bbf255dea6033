"""What has no vector waits; one bad vector holds up no other; vectors of two models never mix."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memory_nodes.errors import EmbeddingModelChanged, InputError
from memory_nodes.geometry import Array
from memory_nodes.store.embeddings import MAX_ATTEMPTS, EmbeddingModel
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer, WriterConfig
from memory_test_support.records import observation

A = EmbeddingModel("a", 3)
X, Y, Z = np.eye(3)
NOT_A_NUMBER = np.full(3, np.nan)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path, WriterConfig(batch_size=1000, batch_delay_s=60.0))
    yield opened
    opened.close()


@pytest.fixture
def search(tmp_path: Path) -> Iterator[Search]:
    opened = Search(tmp_path)
    yield opened
    opened.close()


def _texts(search: Search, vector: Array) -> list[str]:
    return [hit.text for hit in search.semantic(vector).hits]


def test_nothing_waits_while_no_model_is_active(writer: Writer, search: Search) -> None:
    writer.add(observation("a lamp"))
    assert writer.texts_without_vector(10) == {}
    assert search.semantic(X).hits == ()
    with pytest.raises(InputError, match="no embedding model is active"):
        writer.add(observation("a cup"), X)


def test_what_was_said_before_there_was_a_model_waits_for_it(writer: Writer) -> None:
    writer.add(observation("a lamp"))
    writer.use_embedding_model(A)
    assert writer.texts_without_vector(10) == {1: "a lamp"}


def test_text_without_vector_is_found_by_words_and_with_it_by_meaning(
    writer: Writer, search: Search
) -> None:
    writer.use_embedding_model(A)
    writer.add(observation("a lamp"))
    assert _texts(search, X) == []
    assert [hit.text for hit in search.words("lamp").hits] == ["a lamp"]
    assert [hit.text for hit in search.hybrid("lamp", X).hits] == ["a lamp"]
    assert writer.store_vectors({1: X}) == 1
    assert _texts(search, X) == ["a lamp"]
    assert writer.texts_without_vector(10) == {}


def test_oldest_wait_in_front_up_to_the_limit(writer: Writer) -> None:
    writer.use_embedding_model(A)
    for text in ("one", "two", "three"):
        writer.add(observation(text))
    assert list(writer.texts_without_vector(2).items()) == [(1, "one"), (2, "two")]


@pytest.mark.parametrize(
    "unusable",
    [NOT_A_NUMBER, np.zeros(3), 2.0 * X, np.eye(4)[0], np.eye(3)],
    ids=["nan", "zero", "too long", "other dimension", "matrix"],
)
def test_unusable_vector_counts_an_attempt_and_the_others_go_on(
    writer: Writer, search: Search, unusable: Array
) -> None:
    writer.use_embedding_model(A)
    for text in ("one", "two", "three"):
        writer.add(observation(text))
    assert writer.store_vectors({1: X, 2: unusable, 3: Z}) == 2
    assert set(_texts(search, X)) == {"one", "three"}
    writer.add(observation("four"))
    assert list(writer.texts_without_vector(10).values()) == ["four", "two"]


def test_text_that_failed_too_often_is_left_to_the_words(writer: Writer, search: Search) -> None:
    writer.use_embedding_model(A)
    writer.add(observation("odd thing"))
    for _ in range(MAX_ATTEMPTS):
        assert list(writer.texts_without_vector(10)) == [1]
        assert writer.store_vectors({1: NOT_A_NUMBER}) == 0
    assert writer.texts_without_vector(10) == {}
    assert [hit.text for hit in search.words("odd").hits] == ["odd thing"]


def test_another_model_is_refused_and_changes_nothing(writer: Writer, search: Search) -> None:
    writer.use_embedding_model(A)
    writer.add(observation("a lamp"), X)
    with pytest.raises(EmbeddingModelChanged, match="of a"):
        writer.use_embedding_model(EmbeddingModel("b", 2))
    assert _texts(search, X) == ["a lamp"]


def test_every_text_waits_for_another_model_that_is_wanted(writer: Writer) -> None:
    writer.use_embedding_model(A)
    writer.add(observation("one"), X)
    writer.add(observation("two"))
    writer.use_embedding_model(EmbeddingModel("b", 2), reembed=True)
    assert writer.texts_without_vector(10) == {1: "one", 2: "two"}
    assert writer.store_vectors({1: np.array([1.0, 0.0])}) == 1


def test_same_model_again_keeps_its_vectors(writer: Writer) -> None:
    writer.use_embedding_model(A)
    writer.add(observation("one"), X)
    writer.use_embedding_model(A, reembed=True)
    assert writer.texts_without_vector(10) == {}


def test_vector_that_waited_while_the_model_changed_is_not_taken_for_one_of_the_new(
    writer: Writer, search: Search
) -> None:
    """It has another length, or means something else: the text is embedded anew."""
    writer.use_embedding_model(A)
    submitted = writer.submit(observation("a lamp"), X)
    assert not submitted.done()
    writer.use_embedding_model(EmbeddingModel("b", 2), reembed=True)
    writer.flush()
    assert submitted.result() == "observation_1"
    assert search.semantic(np.array([1.0, 0.0])).hits == ()
    assert writer.texts_without_vector(10) == {1: "a lamp"}


def test_text_that_was_deleted_while_it_was_embedded_is_passed_over(
    writer: Writer, search: Search
) -> None:
    writer.use_embedding_model(A)
    writer.add(observation("a lamp"))
    writer.store_vectors({1: X, 77: Y})
    assert _texts(search, Y) == ["a lamp"]


def test_vectors_of_a_model_that_was_left_meanwhile_are_refused(writer: Writer) -> None:
    writer.use_embedding_model(A)
    writer.add(observation("a lamp"))
    writer.use_embedding_model(EmbeddingModel("b", 3), reembed=True)
    with pytest.raises(EmbeddingModelChanged, match="make them anew"):
        writer.store_vectors({1: X}, A)
    assert writer.texts_without_vector(10) == {1: "a lamp"}
