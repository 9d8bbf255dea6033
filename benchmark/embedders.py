"""Models of meaning for benchmarks; a text is embedded once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from memory_nodes.geometry import Array
from memory_nodes.models.local_embeddings import MiniLMEmbedder
from memory_nodes.models.ports import TextEmbedder
from memory_test_support.recorded_models import HashedEmbedder

EMBEDDERS: Mapping[str, Callable[[], TextEmbedder]] = {
    "minilm": MiniLMEmbedder,
    "hashed": HashedEmbedder,
}


DEADLINE_S = 3600.0


class Remembered:
    """A TextEmbedder that asks another one for what it does not know yet.

    It takes the time that it takes: a busy machine must not change what is found.
    """

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Array] = {}

    @property
    def model_id(self) -> str:
        return self._embedder.model_id

    async def embed(self, texts: Sequence[str], deadline_s: float) -> Array:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            found = await self._embedder.embed(new, DEADLINE_S)
            self._vectors.update(zip(new, found, strict=True))
        return np.array([self._vectors[text] for text in texts])
