"""Which rows have which words: a search costs what the rows have in common, not how many are."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from memory_nodes.geometry import Array


class WordIndex:
    """An inverted index. A row is added once; what is gone still scores, and its owner skips it."""

    def __init__(self) -> None:
        self._rows: dict[str, array[int]] = defaultdict(lambda: array("q"))
        self._counts: Counter[str] = Counter()
        self._size = 0

    def add(self, row: int, words: Iterable[str]) -> None:
        """Puts a row under its words."""
        for word in words:
            self._rows[word].append(row)
            self._counts[word] += 1
        self._size += 1

    def remove(self, words: Iterable[str]) -> None:
        """A row with these words is gone: they are rarer now."""
        self._counts.subtract(words)
        self._size -= 1

    def rarity(self, word: str) -> float:
        """Inverse document frequency: 0.7 for a word of every row, more for rarer ones."""
        return math.log(1.0 + max(1, self._size) / max(1, self._counts[word]))

    def scores(self, weights: Mapping[str, float], size: int) -> Array:
        """The rarity-weighted share of the words that each row has, 0 to 1, shape (size,).

        Args:
            weights: of the words that are looked for.
            size: one more than the highest row.
        """
        found = np.zeros(size)
        total = 0.0
        for word, weight in weights.items():
            worth = weight * self.rarity(word)
            total += worth
            if word in self._rows:
                found[np.frombuffer(self._rows[word], np.int64)] += worth
        return found / total if total else found
