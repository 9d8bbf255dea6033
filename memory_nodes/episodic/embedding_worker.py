"""Gives texts their vectors, beside everything else: what waits for the model waits on disk."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from memory_nodes.errors import (
    ConfigurationError,
    EmbeddingModelChanged,
    ModelRejected,
    ModelUnavailable,
)
from memory_nodes.models.ports import TextEmbedder
from memory_nodes.parameters import parameter
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.writer import Writer

BATCH_SIZE = 32
IDLE_S = 0.5
RETRY_S = 5.0
REFUSED_S = 60.0
_PROBE = "memory"
"""What is embedded first, to learn how long the vectors are."""


@dataclass(frozen=True)
class EmbeddingWorkerConfig:
    """What becomes of vectors that another model has made."""

    reembed: bool = parameter(
        False, "after a change of the model embed all texts anew, instead of refusing it"
    )


class EmbeddingWorker:
    """Embeds one batch of waiting texts a step."""

    def __init__(
        self, writer: Writer, embedder: TextEmbedder, timeout_s: float, *, reembed: bool
    ) -> None:
        self._writer = writer
        self._embedder = embedder
        self._timeout_s = timeout_s
        self._reembed = reembed
        self._model: EmbeddingModel | None = None
        self._batch_size = BATCH_SIZE
        self.problem: str | None = None
        """Why texts wait, for the diagnostics."""

    async def step(self) -> float:
        """Embeds some texts; gives the seconds to wait before the next step."""
        try:
            await self._activate()
            wait_s = await self._embed()
        except ModelUnavailable as error:
            self.problem = f"texts wait for their vectors: {error}"
            return RETRY_S if error.retry_after_s is None else error.retry_after_s
        except EmbeddingModelChanged as error:
            self.problem = f"{error} (parameter reembed)"
            return REFUSED_S
        except ConfigurationError as error:
            self.problem = str(error)
            return REFUSED_S
        self.problem = None
        return wait_s

    async def _activate(self) -> None:
        """Tells the memory that its vectors are of this model."""
        if self._model is None:
            probe = await self._embedder.embed([_PROBE], self._timeout_s)
            model = EmbeddingModel(self._embedder.model_id, probe.shape[1])
            await asyncio.to_thread(self._writer.use_embedding_model, model, reembed=self._reembed)
            self._model = model

    async def _embed(self) -> float:
        texts = await asyncio.to_thread(self._writer.texts_without_vector, self._batch_size)
        if not texts:
            return IDLE_S
        try:
            vectors = await self._embedder.embed(list(texts.values()), self._timeout_s)
        except ModelRejected:
            return await self._pass_over(list(texts))
        found = dict(zip(texts, vectors, strict=True))
        await asyncio.to_thread(self._writer.store_vectors, found, self._model)
        self._batch_size = min(2 * self._batch_size, BATCH_SIZE)
        return 0.0

    async def _pass_over(self, text_keys: list[int]) -> float:
        """A batch was refused: smaller ones find the text that it was refused for."""
        if len(text_keys) == 1:
            await asyncio.to_thread(self._writer.count_embedding_failure, text_keys)
        self._batch_size = max(1, len(text_keys) // 2)
        return 0.0
