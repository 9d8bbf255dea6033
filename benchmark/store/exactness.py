"""How many of the best ten a search finds, by comparing with all vectors."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmark.store.embedder import HashedWords
from benchmark.store.system import EVERYWHERE, HITS, System, Where
from benchmark.store.workload import DAY_NS, Question, Sighting
from memory_nodes.vectors import Matrix

FILTER_RADIUS_M = 3.0
_TOLERANCE = 1e-3
"""Vectors may be stored as float16."""


def near(question: Question) -> Where:
    return Where(center_m=(question.x_m, question.y_m), radius_m=FILTER_RADIUS_M)


def day_before(question: Question) -> Where:
    return Where(span_ns=(question.stamp_ns - DAY_NS, question.stamp_ns))


class Exact:
    """The observations themselves, for searching them one by one."""

    def __init__(self, rows: Sequence[Sighting]) -> None:
        self._embedder = HashedWords()
        kinds: dict[str, int] = {}
        # Rows of one text share a vector: a million of them fit into memory.
        self._kind_of = np.array([kinds.setdefault(row.text, len(kinds)) for row in rows])
        self._kinds = kinds
        self._vectors = self._embedder.embed(list(kinds))
        self._places_m = np.array([(row.x_m, row.y_m) for row in rows])
        self._stamps_ns = np.array([row.stamp_ns for row in rows], np.int64)

    @property
    def distinct_texts(self) -> int:
        return len(self._kinds)

    def recall(self, text: str, where: Where, found: Sequence[str]) -> float | None:
        """The share of the best ten that ``found`` has; None where there are not ten.

        A text counts that is at least as near as the tenth, and that some row which ``where``
        lets pass bears; a text that no row bears, of a summary for instance, counts by
        nearness alone.
        """
        kinds = self._kind_of[self._passing(where)]
        if len(kinds) < HITS:
            return None
        query = self._embedder.embed([text])[0]
        similarities = self._vectors @ query
        tenth = np.partition(similarities[kinds], -HITS)[-HITS] - _TOLERANCE
        allowed = set(kinds.tolist())
        good = [
            self._kinds.get(item) in allowed if item in self._kinds else True
            for item in found
            if self._similarity(item, query) >= tenth
        ]
        return min(HITS, sum(good)) / HITS

    def _similarity(self, text: str, query: Matrix) -> float:
        return float(self._embedder.embed([text])[0] @ query)

    def _passing(self, where: Where) -> NDArray[np.bool_]:
        passing = np.ones(len(self._stamps_ns), np.bool_)
        if where.center_m is not None:
            away_m = np.linalg.norm(self._places_m - where.center_m, axis=1)
            passing &= away_m <= where.radius_m
        if where.span_ns is not None:
            since_ns, until_ns = where.span_ns
            passing &= (since_ns <= self._stamps_ns) & (self._stamps_ns <= until_ns)
        return passing


def recalls(
    system: System, rows: Sequence[Sighting], asked: Sequence[Question]
) -> dict[str, float | None]:
    """Recall at ten over the questions that have ten answers, without a filter and with two."""
    exact = Exact(rows)
    figures: dict[str, float | None] = {"distinct_texts": exact.distinct_texts}
    filters = {
        "unfiltered_recall": lambda question: EVERYWHERE,
        "filtered_recall_3m": near,
        "filtered_recall_1day": day_before,
    }
    for key, where_of in filters.items():
        shares = [
            exact.recall(question.text, where, system.found_texts(question.text, where))
            for question in asked
            for where in [where_of(question)]
        ]
        known = [share for share in shares if share is not None]
        figures[key] = statistics.mean(known) if known else None
    return figures
