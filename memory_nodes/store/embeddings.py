"""Vectors of texts: one active model, what it has embedded, and what waits for it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memory_nodes.errors import EmbeddingModelChanged, InputError
from memory_nodes.records import ItemKind
from memory_nodes.store.bulk import insert_all
from memory_nodes.store.checks import check_unicode
from memory_nodes.vectors import Vector, packed

SQUARE_TOLERANCE = 0.02
MAX_DIMENSION = 65_536
MAX_ATTEMPTS = 3
"""A text for which a model gave no usable vector so often is left to the words."""


@dataclass(frozen=True)
class EmbeddingModel:
    """Names a model and the length of its vectors; vectors of two models are never compared."""

    model_id: str
    dimension: int

    def __post_init__(self) -> None:
        check_unicode("model_id", self.model_id)
        if not self.model_id or not 1 <= self.dimension <= MAX_DIMENSION:
            raise InputError(
                f"{self.model_id!r} with {self.dimension} numbers is no embedding model: give a "
                f"name, and 1 to {MAX_DIMENSION} numbers"
            )


def active_model(connection: sqlite3.Connection) -> EmbeddingModel | None:
    row = connection.execute(
        "SELECT model_id, dimension FROM embedding_model WHERE is_active"
    ).fetchone()
    return None if row is None else EmbeddingModel(row["model_id"], row["dimension"])


def activate(connection: sqlite3.Connection, model: EmbeddingModel, *, reembed: bool) -> None:
    """Makes a model the active one; with another one before it, every text waits for the new one.

    Raises EmbeddingModelChanged when another one is active and ``reembed`` is not wanted.
    """
    before = active_model(connection)
    if before == model:
        return
    if before is not None and not reembed:
        raise EmbeddingModelChanged(
            f"the vectors of the memory are of {before.model_id} ({before.dimension} numbers), "
            f"not of {model.model_id} ({model.dimension}): use that model, or embed all texts anew"
        )
    connection.execute("UPDATE embedding_model SET is_active = 0")
    connection.execute(
        "INSERT INTO embedding_model (model_id, dimension, is_active) VALUES (?, ?, 1)"
        " ON CONFLICT (model_id) DO UPDATE SET dimension = excluded.dimension, is_active = 1",
        (model.model_id, model.dimension),
    )
    # Told to the readers: one that sees this model before and after may have missed another.
    connection.execute(
        "INSERT OR IGNORE INTO tombstone SELECT sequence, ?, text_key FROM commit_log, embedding",
        (int(ItemKind.TEXT),),
    )
    connection.execute("DELETE FROM embedding")
    connection.execute("DELETE FROM embedding_queue")
    connection.execute("INSERT INTO embedding_queue SELECT text_key, 0 FROM text")


def enqueue(connection: sqlite3.Connection, text_keys: Sequence[int]) -> None:
    """They wait for a vector, if there is a model that makes any."""
    if text_keys and active_model(connection) is not None:
        waiting_keys = [(key, 0) for key in text_keys]
        columns = ("text_key", "attempts")
        insert_all(connection, "INSERT OR IGNORE INTO embedding_queue", columns, waiting_keys)


def waiting(connection: sqlite3.Connection, limit: int) -> dict[int, str]:
    """Texts without a vector, by key; the oldest first, those that failed before at the end."""
    return {
        row["text_key"]: row["text"]
        for row in connection.execute(
            "SELECT text_key, text FROM embedding_queue JOIN text USING (text_key)"
            " WHERE attempts < ? ORDER BY attempts, text_key LIMIT ?",
            (MAX_ATTEMPTS, limit),
        )
    }


def store(connection: sqlite3.Connection, vectors: Mapping[int, bytes]) -> None:
    """Writes vectors of the active model; texts that were deleted meanwhile are passed over."""
    if not vectors:
        return
    among = json.dumps(list(vectors))
    model_key, kept = connection.execute(
        "SELECT model_key, (SELECT json_group_array(text_key) FROM text"
        " WHERE text_key IN (SELECT value FROM json_each(?)))"
        " FROM embedding_model WHERE is_active",
        (among,),
    ).fetchone()
    insert_all(
        connection,
        "INSERT OR IGNORE INTO embedding",
        ("text_key", "model_key", "vector"),
        [(key, model_key, vectors[key]) for key in json.loads(kept)],
    )
    connection.execute(
        "DELETE FROM embedding_queue WHERE text_key IN (SELECT value FROM json_each(?))", (among,)
    )


def count_failure(connection: sqlite3.Connection, text_keys: Sequence[int]) -> None:
    """The model gave no usable vector for these: they wait behind the others."""
    connection.executemany(
        "UPDATE embedding_queue SET attempts = attempts + 1 WHERE text_key = ?",
        [(key,) for key in text_keys],
    )


def packed_vector(vector: Vector, model: EmbeddingModel | None) -> bytes:
    """A vector as it is stored. Raises InputError where it is no unit one of the active model."""
    if model is None:
        raise InputError("a vector came, but no embedding model is active: name it first")
    if vector.shape != (model.dimension,):
        raise InputError(
            f"the vector has shape {vector.shape}, {model.model_id} makes ({model.dimension},)"
        )
    square = float(np.dot(vector, vector))
    if not abs(square - 1.0) < SQUARE_TOLERANCE:
        raise InputError(f"the vector's length is {square**0.5:.3g}: give a finite one of length 1")
    return packed(vector)
