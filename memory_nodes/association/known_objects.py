"""All known objects in memory, following the writer, to find those that a chunk may show again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory_nodes.association.looks import Looks, looks_of
from memory_nodes.association.places import HOME_M3, LOOSE_M, ROOM_M3, log_density
from memory_nodes.association.word_index import WordIndex
from memory_nodes.geometry import Array, PointEstimate
from memory_nodes.records import Keyframe, ObjectDescriptor, ObjectStatus
from memory_nodes.store.moves import Elsewhere
from memory_nodes.store.object_changes import KnownObject, ObjectChanges
from memory_nodes.store.reader import Reader

TYPE_WEIGHT = 2.0
"""A word of a type counts so often."""
WORDS_SCORE = 8.0
"""All words in common count as much as this many nats of place."""
FAR_SIGMAS = 3.5
MIN_DEAD_ROWS = 1000

Rows: TypeAlias = NDArray[np.intp]
Newest: TypeAlias = Mapping[str, tuple[ObjectDescriptor, Keyframe]]
"""Objects with their newest view, by id, and the keyframe of that."""


@dataclass(frozen=True)
class Known:
    """A known object with its looks."""

    item: KnownObject
    looks: Looks
    elsewhere: Elsewhere | None = None
    """Where its newest views show it, on its map, if that is not in its place."""


class KnownObjects:
    """An index of all objects of a memory. It is a cache: made anew from disk at any moment.

    An object that changes gets a new row and leaves a dead one. Not safe in threads.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._sequence = -1
        self._clear()

    def __len__(self) -> int:
        return len(self._row_of)

    def __getitem__(self, object_id: str) -> Known:
        """Raises KeyError for an object that is not there."""
        known = self._known[self._row_of_id[object_id]]
        assert known is not None
        return known

    def follow(self) -> None:
        """Takes over all commits since the last call. Raises as the reader does."""
        changes = self._reader.objects_changed_since(self._sequence)
        if changes.is_whole:
            self._clear()
        self._take(changes)
        if len(self._known) - len(self) > max(MIN_DEAD_ROWS, len(self)):
            living = tuple(known.item for known in self._known if known is not None)
            self._clear()
            self._take(ObjectChanges(changes.sequence, True, living))
        self._sequence = changes.sequence

    def candidates(
        self, seen: ObjectDescriptor, map_id: str, k: int, meant: Sequence[str] = ()
    ) -> list[str]:
        """At most k objects that an object of a chunk on a map may be, the likeliest first.

        In turn the best by words and place together, by words, by place, and of those whose
        identity the model has not confirmed; among equals the nearest, then the newest.

        Args:
            meant: ids that are close in meaning, the closest first; they get a turn of their own.
        """
        words = self._word_scores(looks_of(seen))
        places = self._place_scores(seen.position, map_id)
        anywhere = np.logaddexp(places, -math.log(HOME_M3))
        together = WORDS_SCORE * words + anywhere
        is_near = places > -math.log(ROOM_M3)
        speaks = (words > 0.0) | is_near
        is_open = self._is_open[: len(self._known)] & speaks
        rankings = [
            self._best(together, speaks, k, anywhere),
            self._best(words, words > 0.0, k, anywhere),
            self._best(places, is_near, k, words),
            self._best(together, is_open, k, anywhere),
            [self._row_of_id[object_id] for object_id in meant if object_id in self._row_of_id],
        ]
        turns = (row for rows in zip_longest(*rankings) for row in rows if row is not None)
        return self.ids(list(dict.fromkeys(turns))[:k])

    def placed(self, map_id: str) -> tuple[Rows, Array]:
        """The rows of objects that have a place on a map, and their positions, shape (N, 3)."""
        size = len(self._known)
        is_here = self._map_keys[:size] == self._maps.get(map_id, -2)
        rows = np.flatnonzero(is_here & self._is_alive[:size])
        return rows, self._points_m[rows]

    def ids(self, rows: Iterable[int]) -> list[str]:
        """Of the objects in these rows, which ``follow`` may give to others."""
        return [self._at(row).item.object_id for row in rows]

    def _at(self, row: int) -> Known:
        known = self._known[row]
        assert known is not None
        return known

    def _word_scores(self, looks: Looks) -> Array:
        """By row, 0 for the dead."""
        weights = {word: TYPE_WEIGHT if word in looks.types else 1.0 for word in looks.words}
        scores = self._words.scores(weights, len(self._known))
        scores *= self._is_alive[: len(self._known)]
        return scores

    def _place_scores(self, position: PointEstimate | None, map_id: str) -> Array:
        """Log density of the gap by row; -inf for what is too far, elsewhere or nowhere."""
        size = len(self._known)
        scores = np.full(size, -np.inf)
        if position is None or map_id not in self._maps:
            return scores
        gaps_m = self._points_m[:size] - np.array(position.point_m)
        reach_m = FAR_SIGMAS * (self._sigmas_m[:size] + position.sigma_m + LOOSE_M)
        is_here = self._map_keys[:size] == self._maps[map_id]
        squares_m2 = np.einsum("ni,ni->n", gaps_m, gaps_m)
        rows = np.flatnonzero(is_here & self._is_alive[:size] & (squares_m2 <= reach_m**2))
        if len(rows):
            covariance_m2 = np.reshape(position.covariance_m2, (3, 3))
            scores[rows] = log_density(gaps_m[rows], self._covariances_m2[rows] + covariance_m2)
        return scores

    def _best(self, scores: Array, mask: NDArray[np.bool_], k: int, second: Array) -> list[int]:
        """The k best rows of a mask, ties broken by a second score, then by the newest."""
        rows: Rows = np.flatnonzero(mask)
        if len(rows) > k:
            limit = np.partition(scores[rows], -k)[-k]
            rows = rows[scores[rows] >= limit]
        order = np.lexsort((-self._seen_ns[rows], -second[rows], -scores[rows]))
        return [int(row) for row in rows[order[:k]]]

    def _clear(self) -> None:
        self._known: list[Known | None] = []
        self._row_of: dict[int, int] = {}
        self._row_of_id: dict[str, int] = {}
        self._maps: dict[str, int] = {}
        self._words = WordIndex()
        self._points_m: Array = np.empty((0, 3))
        self._covariances_m2: Array = np.empty((0, 3, 3))
        self._sigmas_m: Array = np.empty(0)
        self._map_keys: NDArray[np.int64] = np.empty(0, np.int64)
        self._seen_ns: NDArray[np.int64] = np.empty(0, np.int64)
        self._is_open: NDArray[np.bool_] = np.empty(0, np.bool_)
        self._is_alive: NDArray[np.bool_] = np.empty(0, np.bool_)

    def _take(self, changes: ObjectChanges) -> None:
        for key in changes.gone_keys:
            self._remove(key)
        self._reserve(len(self._known) + len(changes.changed))
        sigmas_m = _sigmas_m(changes.changed)
        for item, sigma_m in zip(changes.changed, sigmas_m, strict=True):
            self._remove(item.object_key)
            self._append(Known(item, looks_of(item)), sigma_m)

    def _append(self, known: Known, sigma_m: float) -> None:
        item, row = known.item, len(self._known)
        self._known.append(known)
        self._row_of[item.object_key] = self._row_of_id[item.object_id] = row
        self._words.add(row, known.looks.words)
        if item.position is not None:
            self._points_m[row] = item.position.point_m
            self._covariances_m2[row] = np.reshape(item.position.covariance_m2, (3, 3))
            self._map_keys[row] = self._maps.setdefault(item.map_id, len(self._maps))
        else:
            self._map_keys[row] = -1
        self._sigmas_m[row] = sigma_m
        self._seen_ns[row] = item.last_seen_ns
        self._is_open[row] = item.status == ObjectStatus.PROVISIONAL
        self._is_alive[row] = True

    def _remove(self, object_key: int) -> None:
        row = self._row_of.pop(object_key, None)
        if row is not None:
            known = self._at(row)
            del self._row_of_id[known.item.object_id]
            self._words.remove(known.looks.words)
            self._known[row] = None
            self._is_alive[row] = self._is_open[row] = False

    def _reserve(self, size: int) -> None:
        capacity = len(self._is_alive)
        if size <= capacity:
            return
        added = max(size, 2 * capacity) - capacity
        for name in (
            *("_points_m", "_covariances_m2", "_sigmas_m", "_map_keys"),
            *("_seen_ns", "_is_open", "_is_alive"),
        ):
            column = getattr(self, name)
            empty = np.zeros_like(column, shape=(added, *column.shape[1:]))
            setattr(self, name, np.concatenate([column, empty]))


def _sigmas_m(items: Sequence[KnownObject]) -> Iterator[float]:
    """Of the positions in the direction in which least is known, 0 where there is none."""
    covariances = [item.position.covariance_m2 if item.position else (0.0,) * 9 for item in items]
    if not covariances:
        return iter(())
    largest = np.linalg.eigvalsh(np.reshape(covariances, (-1, 3, 3)))[:, -1]
    return iter(np.sqrt(np.maximum(0.0, largest)).tolist())
