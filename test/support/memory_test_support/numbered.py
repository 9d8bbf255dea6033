"""Observations that follow from their number, so that another process can tell what to find."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np

from memory_nodes.geometry import Array, Pose, Vector3
from memory_nodes.records import ItemKind, Observation
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.filters import Filter
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer

MODEL = EmbeddingModel("numbered", 16)
OBSERVATIONS = Filter(kinds=(ItemKind.OBSERVATION,))


def observation(number: int) -> Observation:
    """At its own time and place; two neighbours say the same."""
    return Observation(
        stamp_ns=stamp_ns(number),
        map_id="map",
        map_frame="map",
        layer="description",
        text=f"{word(number)} stands in the long hall",
        map_from_base=Pose(place_map_m(number), (0.0, 0.0, 0.0, 1.0)),
    )


def stamp_ns(number: int) -> int:
    return number * 1_000_000


def word(number: int) -> str:
    """A word that only it and its neighbour have."""
    return f"crate{number // 2}"


def place_map_m(number: int) -> Vector3:
    return (0.25 * (number % 100), 0.25 * (number // 100), 0.0)


def vector(number: int, dimension: int = MODEL.dimension, seed: int = 0) -> Array:
    """Of its text; another seed stands for another model."""
    numbers = np.random.default_rng([seed, number // 2]).normal(size=dimension)
    unit: Array = numbers / np.linalg.norm(numbers)
    return unit


def has_vector(number: int) -> bool:
    """Of the others the text waits for its vector."""
    return number // 2 % 4 != 3


def add(writer: Writer, numbers: range) -> dict[int, str]:
    """Adds observations in one commit or a few; their ids by number."""
    futures = {
        number: writer.submit(observation(number), vector(number) if has_vector(number) else None)
        for number in numbers
    }
    writer.flush()
    return {number: future.result() for number, future in futures.items()}


def assert_found(search: Search, number: int, observation_id: str) -> None:
    """By its word, place, time and, where it has one, vector."""
    there = Filter(center_map_m=place_map_m(number), kinds=OBSERVATIONS.kinds)
    found = {
        "word": search.words(word(number), 2),
        "place": search.near(place_map_m(number), 0.0, 1, OBSERVATIONS),
        "time": search.between(stamp_ns(number), stamp_ns(number), 1, OBSERVATIONS),
    }
    if has_vector(number):
        found["vector"] = search.semantic(vector(number), 1, there)
    for way, answer in found.items():
        ids = [hit.item_id for hit in answer.hits]
        assert observation_id in ids, f"number {number} is not found by its {way}, but {ids}"


def assert_whole(memory_dir: Path) -> None:
    """Nothing in the database is half there; it may be open elsewhere, but not in a transaction."""
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    for table, rows in connection.execute("SELECT table_name, rows FROM row_count").fetchall():
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (rows,), table
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    # rank 1: the words are compared with the texts, and not only with each other
    connection.execute("INSERT INTO text_words (text_words, rank) VALUES ('integrity-check', 1)")
    connection.rollback()
    unseen = connection.execute(
        "SELECT count(*) FROM text WHERE text_key NOT IN (SELECT text_key FROM embedding)"
        " AND text_key NOT IN (SELECT text_key FROM embedding_queue)"
        " AND EXISTS (SELECT 1 FROM embedding_model WHERE is_active)"
    )
    assert unseen.fetchone() == (0,), "texts without a vector that do not wait for one"
    connection.close()
