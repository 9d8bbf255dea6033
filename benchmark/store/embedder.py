"""A model of meaning that costs nothing: what a memory does with vectors is the question here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from memory_nodes.vectors import Matrix

DIMENSION = 384
MODEL_ID = f"hashed-{DIMENSION}"
_MAX_WORDS = 4_000
_MAX_KEPT = 10_000
_WORD = re.compile(r"\w+")


class HashedWords:
    """A text is the sum of its words, and each word a direction drawn by its hash."""

    def __init__(self) -> None:
        self._kept: dict[str, Matrix] = {}

    @property
    def dim(self) -> int:
        """The peer asks by this name."""
        return DIMENSION

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of the texts, shape (len(texts), DIMENSION)."""
        vectors = np.zeros((len(texts), DIMENSION), np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            for word in _WORD.findall(text.lower())[:_MAX_WORDS] or [""]:
                vector += self._direction(word)
            vector /= np.linalg.norm(vector)
        return vectors

    def _direction(self, word: str) -> Matrix:
        known = self._kept.get(word)
        if known is None:
            digest = hashlib.blake2b(word.encode("utf-8", "replace"), digest_size=8).digest()
            chance = np.random.default_rng(int.from_bytes(digest, "little"))
            known = chance.standard_normal(DIMENSION).astype(np.float32)
            if len(self._kept) < _MAX_KEPT:
                self._kept[word] = known
        return known
