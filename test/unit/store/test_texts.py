"""A text stands once, under a key that is never another's, as long as anything says it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_nodes.records import ItemKind
from memory_nodes.store import texts
from memory_nodes.store.database import sequence
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.ranking.word_query import search_words
from memory_nodes.store.writer import Writer
from memory_nodes.vectors import packed
from memory_test_support.records import descriptor, gist, graph, keyframe, observation, view
from memory_test_support.vectors import clustered


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    yield opened
    opened.close()


def _stored(writer: Writer) -> dict[int, str]:
    with writer.database.reading() as connection:
        return dict(connection.execute("SELECT text_key, text FROM text").fetchall())


def _found_by(writer: Writer, words: str) -> list[int]:
    with writer.database.reading() as connection:
        return [key for key, _ in search_words(connection, words, 10)]


def _forget(connection: sqlite3.Connection, table: str) -> None:
    """Nothing of this table says a text any more."""
    if table == "gist":
        connection.execute("DELETE FROM gist")
    else:
        connection.execute(f"UPDATE {table} SET text_key = NULL")


def _said_by_all(writer: Writer) -> None:
    writer.add(observation("mug: red"))
    writer.add(observation("mug: red"))
    writer.add_gist(gist("mug: red"))
    seen = descriptor("mug_1", view(1), color="red")
    writer.commit_chunk(graph(1, [keyframe(1)], [seen]))


def test_text_that_all_kinds_share_is_stored_once(writer: Writer) -> None:
    _said_by_all(writer)
    assert _stored(writer) == {1: "mug: red"}
    assert _found_by(writer, "red mug") == [1]


def test_texts_that_differ_in_a_space_are_two(writer: Writer) -> None:
    writer.add(observation("mug"))
    writer.add(observation("mug "))
    assert _stored(writer) == {1: "mug", 2: "mug "}


@pytest.mark.parametrize("last", ["observation", "object", "gist"])
def test_text_is_released_when_the_last_that_says_it_is_gone(writer: Writer, last: str) -> None:
    _said_by_all(writer)
    with writer.database.transaction() as connection:
        for table in {"observation", "object", "gist"} - {last}:
            _forget(connection, table)
        assert texts.release(connection, [1]) == 0
    assert _found_by(writer, "mug") == [1]
    with writer.database.transaction() as connection:
        _forget(connection, last)
        assert texts.release(connection, [1, 1]) == 1
        assert texts.release(connection, [1]) == 0
    assert _stored(writer) == {}
    assert _found_by(writer, "mug") == []


def test_released_text_leaves_with_vector_queue_and_a_tombstone_of_its_commit(
    writer: Writer,
) -> None:
    writer.use_embedding_model(EmbeddingModel("a", 16))
    writer.add(observation("with"), clustered(1)[0].astype(float))
    writer.add(observation("without"))
    with writer.database.transaction() as connection:
        _forget(connection, "observation")
        assert texts.release(connection, [1, 2, 99]) == 2
        now = sequence(connection)
    with writer.database.reading() as connection:
        for table in ("embedding", "embedding_queue", "text"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0
        buried = connection.execute("SELECT sequence, kind, key FROM tombstone").fetchall()
    assert [tuple(row) for row in buried] == [
        (now, ItemKind.TEXT, 1),
        (now, ItemKind.TEXT, 2),
    ]


def test_key_of_a_released_text_is_never_given_again(writer: Writer) -> None:
    writer.add(observation("first"))
    with writer.database.transaction() as connection:
        _forget(connection, "observation")
        texts.release(connection, [1])
    writer.add(observation("second"))
    writer.add(observation("first"))
    assert _stored(writer) == {2: "second", 3: "first"}


def test_texts_with_one_digest_are_kept_apart(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "text_hash", lambda _: 7)
    with writer.database.transaction() as connection:
        assert texts.intern(connection, ["cup", "plate", "cup"]) == {"cup": 1, "plate": 2}
        assert texts.intern(connection, ["spoon", "plate"]) == {"spoon": 3, "plate": 2}
    assert _found_by(writer, "plate") == [2]


def test_object_that_is_named_anew_lets_go_of_its_old_text(writer: Writer) -> None:
    writer.commit_chunk(graph(1, [keyframe(1)], [descriptor("mug_1", view(1), color="red")]))
    writer.commit_chunk(graph(2, [keyframe(2)], [descriptor("mug_1", view(2), color="blue")]))
    assert _stored(writer) == {2: "mug: blue"}
    assert _found_by(writer, "red") == []


def test_vector_of_a_text_that_is_known_already_is_stored(writer: Writer) -> None:
    writer.use_embedding_model(EmbeddingModel("a", 16))
    writer.add(observation("twice"))
    assert writer.texts_without_vector(10) == {1: "twice"}
    vector = clustered(1)[0].astype(float)
    writer.add(observation("twice"), vector)
    assert writer.texts_without_vector(10) == {}
    with writer.database.reading() as connection:
        (stored,) = connection.execute("SELECT vector FROM embedding").fetchone()
    assert stored == packed(vector)
