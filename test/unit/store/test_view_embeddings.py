"""Vectors of views in the memory: of one model at a time, and never at the cost of a chunk."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memory_nodes.errors import StoreError
from memory_nodes.geometry import Array
from memory_nodes.records import ChunkGraph
from memory_nodes.store import schema
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_nodes.vectors import packed
from memory_test_support.records import descriptor, graph, keyframe, view

SCHEMA_2 = Path(__file__).resolve().parents[2] / "data" / "memory_schema_2.sql"
"""A memory of two chunks with mug_1 and desk_1, as it was before there were vectors."""


def _vector(seed: int, dimension: int = 768) -> Array:
    vector = np.random.default_rng(seed).normal(size=dimension)
    return vector / np.linalg.norm(vector)


def _graph(number: int, model_id: str, vectors: dict[str, bytes]) -> ChunkGraph:
    """A chunk of one keyframe that shows objects with these vectors."""
    objects = [
        descriptor(object_id, replace(view(number), embedding=vector))
        for object_id, vector in vectors.items()
    ]
    return replace(graph(number, [keyframe(number)], objects), embedding_model=model_id)


def test_vectors_come_back_within_a_thousandth_in_a_fixed_order(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.commit_chunk(_graph(1, "a", {"mug_1": packed(_vector(1)), "lamp_1": b""}))
    writer.commit_chunk(_graph(2, "a", {"lamp_1": packed(_vector(2)), "mug_1": packed(_vector(3))}))
    found = Reader(tmp_path).embeddings("a")
    assert found.object_ids == ("mug_1", "mug_1", "lamp_1")
    assert found.keyframe_ids == (1, 2, 2)
    assert found.matrix.shape == (3, 768)
    assert found.matrix.dtype == np.float32
    assert np.abs(found.matrix - [_vector(1), _vector(3), _vector(2)]).max() < 1e-3


def test_vectors_of_another_model_never_come_along(tmp_path: Path) -> None:
    writer, reader = Writer(tmp_path), Reader(tmp_path)
    writer.commit_chunk(_graph(1, "a", {"mug_1": packed(_vector(1))}))
    writer.commit_chunk(_graph(2, "b", {"mug_1": packed(_vector(2, 512))}))
    assert reader.embedding_models() == {"a": 1, "b": 1}
    assert reader.embeddings("a").keyframe_ids == (1,)
    assert reader.embeddings("b").matrix.shape == (1, 512)
    assert reader.embeddings("c").object_ids == ()


def test_chunk_sent_twice_has_its_vectors_once(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    sent = _graph(1, "a", {"mug_1": packed(_vector(1))})
    assert [writer.commit_chunk(sent), writer.commit_chunk(sent)] == [True, False]
    assert Reader(tmp_path).embedding_models() == {"a": 1}


@pytest.mark.parametrize(
    ("model_id", "vectors"),
    [
        ("", [packed(_vector(1)), packed(_vector(2))]),
        ("a", [packed(_vector(1)), packed(_vector(2, 512))]),
        ("a", [packed(_vector(1)), packed(_vector(2))[:-1]]),
        ("a", [packed(_vector(1)), packed(_vector(2) * np.nan)]),
    ],
    ids=["no model", "two lengths", "half a number", "not finite"],
)
def test_unusable_vectors_cost_no_object_and_are_told(
    tmp_path: Path, model_id: str, vectors: list[bytes]
) -> None:
    sent = _graph(1, model_id, dict(zip(("mug_1", "lamp_1"), vectors, strict=True)))
    Writer(tmp_path).commit_chunk(sent)
    reader = Reader(tmp_path)
    assert len(reader.objects()) == 2
    assert reader.embedding_models() == {}
    assert _problems(tmp_path) == ["2 visual vectors are unusable and not stored"]


def test_damaged_vector_is_a_store_error(tmp_path: Path) -> None:
    Writer(tmp_path).commit_chunk(_graph(1, "a", {"mug_1": packed(_vector(1))}))
    with sqlite3.connect(tmp_path / DATABASE_NAME) as connection:
        connection.execute("UPDATE view_embedding SET vector = x'00'")
    with pytest.raises(StoreError, match="damaged"):
        Reader(tmp_path).embeddings("a")


def test_memory_of_schema_2_keeps_what_it_has_and_takes_vectors(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / DATABASE_NAME) as connection:
        connection.executescript(SCHEMA_2.read_text(encoding="utf-8"))
        assert schema.version(connection) == 2
    writer, reader = Writer(tmp_path), Reader(tmp_path)
    assert [item.object_id for item in reader.objects()] == ["mug_1", "desk_1"]
    assert reader.embeddings("a").matrix.shape[0] == 0
    writer.commit_chunk(_graph(3, "a", {"mug_1": packed(_vector(1))}))
    assert reader.embeddings("a").keyframe_ids == (3,)
    assert reader.objects(["mug_1"])[0].view_count == 3


def _problems(memory_dir: Path) -> list[str]:
    with sqlite3.connect(memory_dir / DATABASE_NAME) as connection:
        (text,) = connection.execute("SELECT problems FROM chunk").fetchone()
    problems: list[str] = json.loads(text)
    return problems
