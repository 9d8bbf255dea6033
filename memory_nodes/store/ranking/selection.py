"""Which items a search may give, and which of them say a text."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from memory_nodes.records import ItemKind
from memory_nodes.store.filters import Filter
from memory_nodes.store.hits import Scored
from memory_nodes.store.indices.catalogue import KINDS, Catalogue
from memory_nodes.store.indices.columns import Condition, Ints, Rows
from memory_nodes.store.rows import NOT_EXPIRED

_NEWEST = {
    ItemKind.OBSERVATION: (
        "SELECT observation_key, stamp_ns FROM observation WHERE text_key = ?"
        " ORDER BY stamp_ns DESC, observation_key DESC LIMIT ?"
    ),
    ItemKind.OBJECT: (
        f"SELECT object_key, last_seen_ns FROM object WHERE text_key = ? AND {NOT_EXPIRED}"
        " ORDER BY last_seen_ns DESC, object_key DESC LIMIT ?"
    ),
    ItemKind.GIST: (
        "SELECT gist_key, end_ns FROM gist WHERE text_key = ?"
        " ORDER BY end_ns DESC, gist_key DESC LIMIT ?"
    ),
    ItemKind.ENTITY: (
        "SELECT entity_key, last_seen_ns FROM entity WHERE text_key = ?"
        " ORDER BY last_seen_ns DESC, entity_key DESC LIMIT ?"
    ),
}


class Selection(Protocol):
    """Items that may be given."""

    def saying(self, texts: Sequence[tuple[int, float]], k: int, per_text: int) -> list[Scored]:
        """Items of texts, given by key and score, best first; of one text the newest first.

        At most k, and at most per_text of each text.
        """
        ...


class Everything:
    """No filter: the items of a text are looked up on disk."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def saying(self, texts: Sequence[tuple[int, float]], k: int, per_text: int) -> list[Scored]:
        """See Selection."""
        found: list[Scored] = []
        for text_key, score in texts:
            if len(found) >= k:
                break
            wanted = min(per_text, k - len(found))
            newest: list[tuple[int, int, ItemKind]] = []
            for kind in KINDS:
                rows = self._connection.execute(_NEWEST[kind], (text_key, wanted))
                newest.extend((-end_ns, -key, kind) for key, end_ns in rows)
            found.extend((kind, -key, score) for _, key, kind in sorted(newest)[:wanted])
        return found


class Selected:
    """What a filter leaves."""

    def __init__(self, catalogue: Catalogue, rows: Mapping[ItemKind, Rows]) -> None:
        self._catalogue = catalogue
        self.rows = rows

    def __len__(self) -> int:
        return sum(map(len, self.rows.values()))

    def text_keys(self) -> Ints:
        """Of all texts that the items say, ascending."""
        columns = self._catalogue.items
        parts = [columns[kind].columns["text_key"][rows] for kind, rows in self.rows.items()]
        return np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int64)

    def saying(self, texts: Sequence[tuple[int, float]], k: int, per_text: int) -> list[Scored]:
        """See Selection."""
        wanted = np.array([key for key, _ in texts], np.int64)
        order = np.argsort(wanted)
        found: list[tuple[int, int, int, ItemKind]] = []
        for kind, rows in self.rows.items():
            columns = self._catalogue.items[kind].columns
            keys = columns["text_key"][rows]
            is_wanted = np.isin(keys, wanted)
            ranks = order[np.searchsorted(wanted, keys[is_wanted], sorter=order)]
            chosen = rows[is_wanted]
            newest_first = (-columns["end_ns"][chosen]).tolist(), (-columns["key"][chosen]).tolist()
            found.extend(
                (rank, age, key, kind)
                for rank, age, key in zip(ranks.tolist(), *newest_first, strict=True)
            )
        return _limited(sorted(found), [score for _, score in texts], k, per_text)


def select(catalogue: Catalogue, condition: Condition, wanted: Filter) -> Selected:
    """The items that fulfil the condition of a filter."""
    kinds = tuple(kind for kind in KINDS if not wanted.kinds or kind in wanted.kinds)
    if wanted.layers:  # only observations have a layer, and only objects a type
        kinds = tuple(kind for kind in kinds if kind == ItemKind.OBSERVATION)
    if wanted.object_types:
        kinds = tuple(kind for kind in kinds if kind == ItemKind.OBJECT)
    return Selected(
        catalogue, {kind: catalogue.items[kind].columns.select(condition) for kind in kinds}
    )


def _limited(
    found: Sequence[tuple[int, int, int, ItemKind]],
    scores: Sequence[float],
    k: int,
    per_text: int,
) -> list[Scored]:
    chosen: list[Scored] = []
    given: dict[int, int] = {}
    for rank, _, key, kind in found:
        if len(chosen) == k:
            break
        if given.get(rank, 0) < per_text:
            given[rank] = given.get(rank, 0) + 1
            chosen.append((kind, -key, scores[rank]))
    return chosen
