"""Embeddings through any OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import openai

from memory_nodes.errors import ModelUnavailable
from memory_nodes.geometry import Array
from memory_nodes.models.openai_endpoint import within


class OpenAIEmbedder:
    """A TextEmbedder behind /embeddings."""

    def __init__(self, client: openai.AsyncOpenAI, model: str) -> None:
        self._client = client
        self._model = model

    @property
    def model_id(self) -> str:
        return self._model

    async def embed(self, texts: Sequence[str], deadline_s: float) -> Array:
        if not texts:
            return np.empty((0, 0))
        reply = await within(
            deadline_s,
            self._client.embeddings.create(
                model=self._model, input=list(texts), encoding_format="float", timeout=deadline_s
            ),
        )
        vectors = _vectors(reply)
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise ModelUnavailable(
                f"{self._model} gave vectors of shape {vectors.shape} for {len(texts)} texts"
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Array = vectors / np.where(lengths > 0.0, lengths, 1.0)
        return unit


def _vectors(reply: Any) -> Array:
    """The vectors of a reply in the order of their texts; empty where it holds none."""
    data = getattr(reply, "data", None) or ()
    try:
        ordered = sorted(data, key=lambda item: item.index)
        return np.array([item.embedding for item in ordered], dtype=np.float64)
    except (AttributeError, TypeError, ValueError):  # of different lengths, or no vectors
        return np.empty(0)
