"""Ranks texts for a question: by meaning, by words, and both together."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from memory_nodes.records import ItemKind
from memory_nodes.store.hits import Scored
from memory_nodes.store.indices.catalogue import Catalogue
from memory_nodes.store.indices.vector_index import Query, VectorIndex
from memory_nodes.store.indices.vector_rows import Keys, Similarities
from memory_nodes.store.ranking.fusion import FusionConfig, with_recency
from memory_nodes.store.ranking.planner import Method, Plan, PlannerConfig, after_graph, plan
from memory_nodes.store.ranking.selection import Selected
from memory_nodes.store.ranking.word_query import search_words, search_words_among

Ranked: TypeAlias = list[tuple[int, float]]
"""Keys of texts with scores, best first."""

MAX_WORD_TEXTS = 4000
"""So many texts with the words of a question are looked through for those that a filter leaves."""


def by_meaning(
    vectors: VectorIndex, vector: Query, k: int, selected: Selected | None, config: PlannerConfig
) -> tuple[Ranked, Plan]:
    """The k nearest texts, of all or of those that a filter leaves, with cosines."""
    total = len(vectors)
    if selected is None:
        keys, cosines = vectors.search(vector, k)
        method: Method = "exact" if total <= vectors.config.exact_below else "graph"
        return _paired(keys, cosines), Plan(method, "no filter", total, total)
    texts = selected.text_keys()
    chosen = plan(config, k, len(selected), len(texts), total)
    if chosen.method == "graph":
        keys, cosines = vectors.search(vector, chosen.texts)
        is_left = np.isin(keys, texts, assume_unique=True)
        chosen = after_graph(chosen, min(k, len(texts)), int(is_left.sum()), len(texts))
        if chosen.method == "graph":
            return _paired(keys[is_left][:k], cosines[is_left][:k]), chosen
    keys, cosines = vectors.search_among(vector, texts, k)
    return _paired(keys, cosines), chosen


def by_words(
    connection: sqlite3.Connection, text: str, k: int, selected: Selected | None
) -> tuple[Ranked, Plan]:
    """The k texts that fit the words best, of all or of those that a filter leaves."""
    if selected is None:
        found = search_words(connection, text, k)
        return found, Plan("words", "no filter", 0, len(found))
    texts = selected.text_keys()
    asked = 4 * k
    while True:
        found = search_words(connection, text, asked)
        keys = np.array([key for key, _ in found], np.int64)
        left = [found[row] for row in np.flatnonzero(np.isin(keys, texts))]
        if len(left) >= k or len(found) < asked:
            why = f"the filter leaves {len(texts)} texts"
            return left[:k], Plan("words", why, len(selected), len(found))
        if asked >= MAX_WORD_TEXTS:
            left = search_words_among(connection, text, texts.tolist(), k)
            why = f"of {asked} texts with the words the filter leaves less than {k}"
            return left, Plan("exact", why, len(selected), len(texts))
        asked = min(8 * asked, MAX_WORD_TEXTS)


def by_age(
    catalogue: Catalogue, scored: Sequence[Scored], now_ns: int, config: FusionConfig
) -> list[Scored]:
    """Items with cosines, ordered anew by similarity and age. Source: eMEM, recency."""
    ages_ns = np.array([now_ns - _newest_ns(catalogue, kind, key) for kind, key, _ in scored])
    distances = np.array([1.0 - cosine for *_, cosine in scored])
    aged = with_recency(
        distances,
        ages_ns.astype(np.int64),
        config.recency_weight,
        config.recency_half_life_s,
    )
    return [scored[row] for row in np.argsort(aged, kind="stable").tolist()]


def _newest_ns(catalogue: Catalogue, kind: ItemKind, key: int) -> int:
    columns = catalogue.items[kind].columns
    row = columns.rows_of(np.array([key], np.int64))
    return int(columns["end_ns"][row[0]])


def _paired(keys: Keys, cosines: Similarities) -> Ranked:
    return list(zip(keys.tolist(), cosines.tolist(), strict=True))
