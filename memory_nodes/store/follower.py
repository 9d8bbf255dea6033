"""Keeps the indices of one process level with what another process writes."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

from memory_nodes.errors import IndexDamaged, StoreError
from memory_nodes.records import ItemKind
from memory_nodes.store import columns_cache, database, embeddings, vector_cache
from memory_nodes.store.catalogue import Catalogue
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.index_builder import IndexBuilder
from memory_nodes.store.vector_config import VectorConfig
from memory_nodes.store.vector_index import VectorIndex
from memory_nodes.vectors import Matrix, unpacked

INDEX_DIR = "index"
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
    ``on_built`` is called in a thread of its own when every vector is in the graph.
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
        self.restored_items = 0
        """How many came from caches when the memory was opened."""
        self._memory_id = ""
        self._model: EmbeddingModel | None = None
        self._builder: IndexBuilder | None = None
        self._is_built = threading.Event()
        self._last_embedding = 0

    @property
    def progress(self) -> tuple[int, int]:
        """Vectors in the graph, and all of them."""
        return self._builder.progress if self._builder is not None else (0, 0)

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

    def stop(self) -> None:
        """Ends the thread that builds the graph."""
        if self._builder is not None:
            builder, self._builder = self._builder, None
            builder.stop()

    def note(self, problem: str) -> None:
        """Adds to the problems."""
        self.problems = (*self.problems, problem)

    def save_graph(self) -> None:
        """Writes the graph for the next start. Raises StoreError where it cannot."""
        if self.vectors is not None and self._model is not None:
            path = self._index_dir / GRAPH_NAME
            vector_cache.save(self.vectors, path, self.sequence, self._cache_id(self._model))

    def save_columns(self) -> None:
        """Writes the rows of observations for the next start. Raises StoreError."""
        columns = self.catalogue.items[ItemKind.OBSERVATION].columns
        path = self._index_dir / COLUMNS_NAME
        columns_cache.save(columns, path, self.sequence, self._memory_id)

    def _open(self, connection: sqlite3.Connection) -> None:
        """Reads everything, with the help of the caches where they can be used."""
        self.stop()
        self.problems = ()
        self._memory_id = connection.execute("SELECT memory_id FROM identity").fetchone()[0]
        self.catalogue, since = self._restored_catalogue(connection)
        self.restored_items = len(self.catalogue)
        self.catalogue.follow(connection, since)
        self._open_vectors(connection)

    def _restored_catalogue(self, connection: sqlite3.Connection) -> tuple[Catalogue, int]:
        catalogue = Catalogue()
        try:
            rows, since = columns_cache.restored(self._index_dir / COLUMNS_NAME, self._memory_id)
            if not _floor(connection) <= since <= database.sequence(connection):
                raise IndexDamaged(f"{COLUMNS_NAME} is of commit {since}", "other_commit")
        except IndexDamaged as error:
            self._note_damage(error)
            return catalogue, -1
        catalogue.restore(rows)
        return catalogue, since

    def _open_vectors(self, connection: sqlite3.Connection) -> None:
        self._model, self.vectors = embeddings.active_model(connection), None
        self._last_embedding = 0
        if self._model is None:
            return
        keys, packed = self._new_vectors(connection)
        matrix = _unpacked(packed, self._model)
        try:
            self.vectors, _ = vector_cache.restored(
                self._index_dir / GRAPH_NAME,
                self._config,
                self._cache_id(self._model),
                self._model.dimension,
                keys,
                matrix,
            )
        except IndexDamaged as error:
            self._note_damage(error)
            self.vectors = VectorIndex(self._model.dimension, self._config)
            self.vectors.add(keys, matrix)
        self._builder = IndexBuilder(self.vectors, self._note_built)
        self._is_built.clear()
        self._builder.start()

    def _follow_vectors(self, connection: sqlite3.Connection) -> None:
        if embeddings.active_model(connection) != self._model:
            self.stop()
            self._open_vectors(connection)
            return
        if self.vectors is None or self._model is None or self._builder is None:
            return
        gone = connection.execute(
            "SELECT key FROM tombstone WHERE sequence > ? AND kind = ?",
            (self.sequence, int(ItemKind.TEXT)),
        ).fetchall()
        keys, packed = self._new_vectors(connection)
        self.vectors.add(keys, _unpacked(packed, self._model))
        self.vectors.remove([row[0] for row in gone])
        if keys or gone:
            self._is_built.clear()
            self._builder.wake()

    def _new_vectors(self, connection: sqlite3.Connection) -> tuple[list[int], list[bytes]]:
        """Keys of texts and their vectors that came since the last call."""
        found = connection.execute(_VECTORS, (self._last_embedding,)).fetchall()
        if found:
            self._last_embedding = found[-1][0]
        return [row[1] for row in found], [row[2] for row in found]

    def _note_built(self) -> None:
        if self.vectors is not None and self.vectors.tail_size == 0:
            self._is_built.set()
            self._on_built()

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


def _unpacked(packed: list[bytes], model: EmbeddingModel) -> Matrix:
    try:
        return unpacked(packed, model.dimension)
    except ValueError as error:
        raise StoreError(f"vectors of {model.model_id} are damaged: {error}") from error
