"""One model of meaning for all systems: each text is embedded once, before anything is timed."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterable, Sequence

import numpy as np

from memory_nodes.geometry import Array
from memory_nodes.models.ports import TextEmbedder
from memory_nodes.vectors import Matrix

DEADLINE_S = 3600.0


class KnownTexts:
    """A TextEmbedder that gives what it has prepared, so that times are of retrieval alone.

    The phrases of a question as answering makes them are embedded when they are first asked for.
    """

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Matrix] = {}

    @property
    def model_id(self) -> str:
        return self._embedder.model_id

    def prepare(self, texts: Iterable[str]) -> None:
        """Embeds what is new."""
        asyncio.run(self._learn(texts))

    async def _learn(self, texts: Iterable[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            found = await self._embedder.embed(new, DEADLINE_S)
            self._vectors.update(zip(new, found.astype(np.float32), strict=True))

    def matrix(self, texts: Sequence[str]) -> Matrix:
        """Of prepared texts; shape (len(texts), D)."""
        return np.array([self._vectors[text] for text in texts])

    async def embed(self, texts: Sequence[str], deadline_s: float) -> Array:
        await self._learn(texts)
        return self.matrix(texts).astype(np.float64)

    def ms_per_question(self, questions: Sequence[str]) -> float:
        """What the model itself takes for a question, one at a time; the median."""
        times_ms = []
        for question in questions:
            started_ns = time.perf_counter_ns()
            asyncio.run(self._embedder.embed([question], DEADLINE_S))
            times_ms.append((time.perf_counter_ns() - started_ns) / 1e6)
        return round(statistics.median(times_ms), 2)
