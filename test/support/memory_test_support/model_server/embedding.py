"""Stand-in text embeddings: hashed words, so equal words are near and nothing else is meant."""

from __future__ import annotations

import hashlib
import math
import re

DIMENSIONS = 384


def embed(text: str) -> list[float]:
    """A unit vector; each word adds 1 or -1 at a place that its hash names."""
    vector = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()) or [""]:
        number = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        vector[(number >> 1) % DIMENSIONS] += 1.0 if number & 1 else -1.0
    norm = math.sqrt(sum(value * value for value in vector))
    if norm == 0.0:  # words that cancel out still need a direction
        return [1.0] + [0.0] * (DIMENSIONS - 1)
    return [value / norm for value in vector]
