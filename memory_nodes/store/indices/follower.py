"""Keeps the indices of one process level with what another process writes."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np

from memory_nodes.errors import IndexDamaged, StoreError
from memory_nodes.records import ItemKind
from memory_nodes.store import database, embeddings
from memory_nodes.store.database import INDEX_DIR
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.indices import columns_cache, vector_cache
from memory_nodes.store.indices.catalogue import Catalogue
from memory_nodes.store.indices.index_builder import IndexBuilder
from memory_nodes.store.indices.items import Items
from memory_nodes.store.indices.vector_config import VectorConfig
from memory_nodes.store.indices.vector_index import VectorIndex
from memory_nodes.vectors import Matrix, unpacked

GRAPH_NAME = "graph.bin"
COLUMNS_NAME = "columns.bin"
_VECTORS = (
    "SELECT embedding_key, text_key, vector FROM embedding WHERE embedding_key > ?"
    " AND model_key = (SELECT model_key FROM embedding_model WHERE is_active)"
    " ORDER BY embedding_key"
)


class Follower:
    """The catalogue and the vectors of a memory as of one commit.

    ``follow`` and ``catalogue`` are not safe in threads: their owner uses them under a lock.
    ``on_built`` is called in a thread of its own when every vector seems to be in the graph: it
    takes that lock and asks ``note_built``.
    """

    def __init__(
        self, memory_dir: Path, config: VectorConfig, on_built: Callable[[], None]
    ) -> None:
        self._index_dir = memory_dir / INDEX_DIR
        self._config = config
        self._on_built = on_built
        self.catalogue = Catalogue()
        self.vectors: VectorIndex | None = None
        """None while no embedding model is active."""
        self.problems: tuple[str, ...] = ()
        """The caches that could not be used when the memory was opened."""
        self.sequence = -1
        """The commit that the indices reflect."""
        self._saved = (0, 0)
        """Observations and vectors in the caches."""
        self._memory_id = ""
        self._model: EmbeddingModel | None = None
        self._builder: IndexBuilder | None = None
        self._is_built = threading.Event()
        self._last_embedding = 0

    @property
    def progress(self) -> tuple[int, int]:
        """Vectors in the graph, and all of them."""
        if self.vectors is None:
            return 0, 0
        total = len(self.vectors)
        return max(0, total - self.vectors.tail_size), total

    def follow(self, connection: sqlite3.Connection) -> None:
        """Takes over all commits since the last call, within a read transaction."""
        newest = database.sequence(connection)
        if newest == self.sequence:
            return
        if self.sequence < 0 or self.sequence < _floor(connection):
            self._open(connection)
        else:
            self.catalogue.follow(connection, self.sequence)
            self._follow_vectors(connection)
        self.sequence = newest

    def wait_until_built(self, timeout_s: float) -> bool:
        """Whether every vector came into the graph within that time."""
        return self._builder is None or self._is_built.wait(timeout_s)

    def note_built(self) -> bool:
        """Whether every vector is in the graph; whoever waits for it is told. Under the lock."""
        if self.vectors is None or self.vectors.tail_size > 0:
            return False
        self._is_built.set()
        return True

    def stop(self) -> None:
        """Ends the thread that builds the graph; to wait for it under the lock is a deadlock."""
        if self._builder is not None:
            builder, self._builder = self._builder, None
            builder.stop()

    def note(self, problem: str) -> None:
        """Adds to the problems."""
        self.problems = (*self.problems, problem)

    def is_worth_saving(self, share: float) -> bool:
        """Whether more than that share of the observations or vectors is not in the caches."""
        now = (len(self._observations), self.progress[0])
        return any(abs(a - b) > share * b for a, b in zip(now, self._saved, strict=True))

    def save(self) -> None:
        """Writes the caches for the next start. Raises StoreError where it cannot."""
        built, _ = self.progress
        columns_cache.save(
            self._observations.columns,
            self._index_dir / COLUMNS_NAME,
            self.sequence,
            self._memory_id,
        )
        if self.vectors is not None and self._model is not None:
            path = self._index_dir / GRAPH_NAME
            vector_cache.save(self.vectors, path, self.sequence, self._cache_id(self._model))
        self._saved = (len(self._observations), built)

    def _open(self, connection: sqlite3.Connection) -> None:
        """Reads everything, with the help of the caches where they can be used."""
        self.problems = ()
        self._memory_id = connection.execute("SELECT memory_id FROM identity").fetchone()[0]
        self.catalogue, since = self._restored_catalogue(connection)
        self._saved = (len(self._observations), 0)
        self.catalogue.follow(connection, since)
        self._open_vectors(connection)

    def _restored_catalogue(self, connection: sqlite3.Connection) -> tuple[Catalogue, int]:
        catalogue = Catalogue()
        try:
            rows, since = columns_cache.restored(self._index_dir / COLUMNS_NAME, self._memory_id)
            if since < _floor(connection):
                raise IndexDamaged(f"{COLUMNS_NAME} is of the old commit {since}", "other_commit")
            _require_past(connection, since, COLUMNS_NAME)
            columns_cache.require_same(connection, rows)
        except IndexDamaged as error:
            self._note_damage(error)
            return catalogue, -1
        catalogue.restore(rows)
        return catalogue, since

    def _open_vectors(self, connection: sqlite3.Connection) -> None:
        if self._builder is not None:
            # not stop: it may be about to call on_built, which waits for our owner's lock
            self._builder.dismiss()
            self._builder = None
        self._model, self.vectors = None, None
        self._saved = (self._saved[0], 0)
        model = embeddings.active_model(connection)
        if model is None:
            return
        keys, matrix, last = _vectors_after(connection, 0, model)
        self.vectors = self._indexed(connection, keys, matrix, model)
        self._model, self._last_embedding = model, last
        self._builder = IndexBuilder(self.vectors, self._on_built)
        self._is_built.clear()
        self._builder.start()

    def _indexed(
        self,
        connection: sqlite3.Connection,
        keys: list[int],
        matrix: Matrix,
        model: EmbeddingModel,
    ) -> VectorIndex:
        """With the graph of the cache where it can be used."""
        path, name = self._index_dir / GRAPH_NAME, self._cache_id(model)
        try:
            vectors, since = vector_cache.restored(
                path, self._config, name, model.dimension, keys, matrix
            )
            _require_past(connection, since, GRAPH_NAME)
            self._saved = (self._saved[0], vectors.graph_size)
        except IndexDamaged as error:
            self._note_damage(error)
            vectors = VectorIndex(model.dimension, self._config)
            vectors.add(keys, matrix)
        return vectors

    def _follow_vectors(self, connection: sqlite3.Connection) -> None:
        if embeddings.active_model(connection) != self._model:
            self._open_vectors(connection)
            return
        if self.vectors is None or self._model is None:
            return
        gone = connection.execute(
            "SELECT key FROM tombstone WHERE sequence > ? AND kind = ?",
            (self.sequence, int(ItemKind.TEXT)),
        ).fetchall()
        keys, matrix, last = _vectors_after(connection, self._last_embedding, self._model)
        self.vectors.remove([row[0] for row in gone])  # first: a text may be embedded again
        self.vectors.add(keys, matrix)
        self._last_embedding = last
        if self._builder is not None and (keys or gone):
            self._is_built.clear()
            self._builder.wake()

    @property
    def _observations(self) -> Items:
        return self.catalogue.items[ItemKind.OBSERVATION]

    def _note_damage(self, error: IndexDamaged) -> None:
        """A memory that is new to this machine has no cache: that is no problem."""
        if error.reason != "missing":
            self.note(str(error))

    def _cache_id(self, model: EmbeddingModel) -> str:
        return graph_id(self._memory_id, model)


def graph_id(memory_id: str, model: EmbeddingModel) -> str:
    """What the saved graph of a memory is of: its vectors are those of one model."""
    return f"{memory_id} {model.model_id}"


def _floor(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT sequence FROM tombstone_floor").fetchone()[0])


def _require_past(connection: sqlite3.Connection, since: int, name: str) -> None:
    """Raises IndexDamaged for a cache that knows more than the memory, an older one put back."""
    newest = database.sequence(connection)
    if since > newest:
        raise IndexDamaged(
            f"{name} is of commit {since}, the memory only at {newest}", "other_commit"
        )


def _vectors_after(
    connection: sqlite3.Connection, last: int, model: EmbeddingModel
) -> tuple[list[int], Matrix, int]:
    """Keys and vectors, shape (N, dimension), of texts embedded after the row ``last``.

    With the last row now. Raises StoreError where a vector is no vector of the model.
    """
    found = connection.execute(_VECTORS, (last,)).fetchall()
    try:
        matrix = unpacked([row[2] for row in found], model.dimension)
    except ValueError as error:
        raise StoreError(f"vectors of {model.model_id} are damaged: {error}") from error
    # What is not finite was not written by us: it is left to the words.
    sound = np.flatnonzero(np.isfinite(matrix).all(axis=1))
    keys = [found[row][1] for row in sound.tolist()]
    if len(sound) < len(found):
        matrix = matrix[sound]
    return keys, matrix, found[-1][0] if found else last
