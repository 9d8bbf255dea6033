"""Known objects that mean the same as those of a chunk, in whatever words."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from memory_nodes.errors import ConfigurationError
from memory_nodes.geometry import Array
from memory_nodes.models.ports import TextEmbedder
from memory_nodes.records import ItemKind, ObjectDescriptor
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.filters import Filter
from memory_nodes.store.reader import Reader
from memory_nodes.store.schema import object_text
from memory_nodes.store.search import Search

Alike: TypeAlias = Mapping[str, Mapping[str, float]]
"""For each local id the cosines, -1 to 1, of known ids, the largest first."""

_OBJECTS = Filter(kinds=(ItemKind.OBJECT,))


class Meaning:
    """Compares the texts of objects by their vectors."""

    def __init__(
        self, search: Search, reader: Reader, embedder: TextEmbedder, call_timeout_s: float
    ) -> None:
        self._search = search
        self._reader = reader
        self._embedder = embedder
        self._call_timeout_s = call_timeout_s

    async def alike(self, objects: Sequence[ObjectDescriptor], k: int) -> Alike:
        """The k known objects nearest in meaning to each one.

        Nothing where the vectors of the memory are of another model, or there are none. Raises
        ModelError when the embedder does not answer, ConfigurationError when there can be none,
        StoreMissing while there is no memory.
        """
        active = self._reader.embedding_model()
        if not objects or active is None or active.model_id != self._embedder.model_id:
            return {}
        texts = [
            object_text(item.type, item.description, list(item.attributes.values()))
            for item in objects
        ]
        vectors = await self._embedder.embed(texts, self._call_timeout_s)
        _require_dimension(vectors, active)
        nearest = await asyncio.to_thread(self._nearest, vectors, k)
        return {item.object_id: found for item, found in zip(objects, nearest, strict=True)}

    def _nearest(self, vectors: Array, k: int) -> list[dict[str, float]]:
        """In a thread: a large memory is opened at the first search."""
        return [
            {hit.item_id: hit.score for hit in self._search.semantic(vector, k, _OBJECTS).hits}
            for vector in vectors
        ]


def _require_dimension(vectors: Array, active: EmbeddingModel) -> None:
    if vectors.shape[1] != active.dimension:
        raise ConfigurationError(
            f"{active.model_id} gave {vectors.shape[1]} numbers a vector, those of the memory have"
            f" {active.dimension}: another model answers to that name, mend embedding_base_url"
        )
