"""What the writer of a memory does with vectors of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memory_nodes.errors import EmbeddingModelChanged, InputError
from memory_nodes.store import embeddings
from memory_nodes.store.database import Database
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.vectors import Vector


class VectorWriter:
    """Vectors of texts are of one model at a time; texts without one wait on disk."""

    database: Database
    _model: EmbeddingModel | None
    """The active one, for vectors that come with observations."""

    def use_embedding_model(self, model: EmbeddingModel, *, reembed: bool = False) -> None:
        """Vectors are of this model from now on.

        Raises EmbeddingModelChanged where the memory has vectors of another one; with
        ``reembed`` these are dropped, and every text waits to be embedded anew.
        """
        with self.database.transaction() as connection:
            embeddings.activate(connection, model, reembed=reembed)
        self._model = model

    def texts_without_vector(self, limit: int) -> dict[int, str]:
        """Texts that wait for ``store_vectors``, by key; none where no model is active."""
        with self.database.reading() as connection:
            return embeddings.waiting(connection, limit)

    def store_vectors(
        self, vectors: Mapping[int, Vector], model: EmbeddingModel | None = None
    ) -> int:
        """Stores vectors of texts by key; how many could be used. The others wait again.

        ``model`` made them, by default the active one. Raises EmbeddingModelChanged where that
        one is not active any more.
        """
        sound, unsound = {}, []
        with self.database.transaction() as connection:
            active = embeddings.active_model(connection)
            if model not in (None, active):
                raise EmbeddingModelChanged(
                    f"vectors of {model} came, and {active} is active by now: make them anew"
                )
            for key, vector in vectors.items():
                try:
                    sound[key] = embeddings.packed_vector(vector, active)
                except InputError:
                    unsound.append(key)
            embeddings.store(connection, sound)
            embeddings.count_failure(connection, unsound)
        return len(sound)

    def count_embedding_failure(self, text_keys: Sequence[int]) -> None:
        """The model refuses these texts: they wait behind the others, a few times."""
        with self.database.transaction() as connection:
            embeddings.count_failure(connection, text_keys)
