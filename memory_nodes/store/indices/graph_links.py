"""An HNSW graph without its vectors, in a form that can be kept and checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory_nodes.errors import InputError
from memory_nodes.store.indices.vector_rows import Rows
from memory_nodes.vectors import Matrix, unit

MAX_LEVEL = 64
"""Each level has at most a quarter of the elements of that below: more are never needed."""


@dataclass(frozen=True)
class GraphLinks:
    """All of a graph but its vectors; its elements are numbered as they were taken in.

    Raises InputError where its parts contradict each other: hnswlib checks nothing, and would
    follow a link to where there is no element.
    """

    labels: NDArray[np.int64]
    """Of each element, shape (N,): its row, or the key of that. None twice, but 0 for the dead."""
    levels: NDArray[np.int32]
    """Highest level of each element, shape (N,)."""
    links: NDArray[np.int32]
    """On level 0: the number of neighbours, then those, then zeros; shape (N, 1 + 2 M)."""
    upper_links: NDArray[np.int32]
    """The same on the levels above, element by element; shape (sum of levels, 1 + M)."""
    entry: int
    """The element that a search starts from, on the highest level; 0 where there is none."""

    def __post_init__(self) -> None:
        count = len(self.labels)
        self._require(len(self.levels) == len(self.links) == count, "lengths")
        self._require(self.links.shape[1] == 1 + 2 * self.hnsw_m, "widths")
        self._require(_are_within(self.levels, MAX_LEVEL + 1), "levels")
        self._require(len(self.upper_links) == int(self.levels.sum()), "upper lists")
        for lists in (self.links, self.upper_links):
            self._require(_are_within(lists[:, 0], lists.shape[1]), "numbers of neighbours")
            self._require(_are_within(lists[:, 1:], count), "neighbours")
        self._require(0 <= self.entry < max(count, 1), "entry")
        if count:
            self._require(bool(self.levels[self.entry] == self.levels.max()), "top level")
        lowest = np.where(used(self.upper_links), self.levels[self.upper_links[:, 1:]], MAX_LEVEL)
        self._require(bool((lowest >= self._upper_levels()[:, None]).all()), "upper neighbours")
        named = np.sort(self.labels[self.labels != 0])
        self._require(bool((named > 0).all() and (np.diff(named) > 0).all()), "labels")

    @property
    def hnsw_m(self) -> int:
        return self.upper_links.shape[1] - 1

    def neighbour_means(self, elements: Rows, vectors: Matrix) -> Matrix:
        """Unit mean of the neighbours of each of these elements, shape (len(elements), D).

        Zero where it has none. ``vectors`` are of all elements, shape (N, D).
        """
        means = np.zeros((len(elements), vectors.shape[1]), np.float32)
        for mean, (count, *neighbours) in zip(means, self.links[elements].tolist(), strict=True):
            mean += vectors[neighbours[:count]].sum(axis=0)
        return unit(means)

    def _upper_levels(self) -> NDArray[np.int64]:
        """Level of each upper list, from 1 on."""
        first = np.cumsum(self.levels) - self.levels
        return np.arange(len(self.upper_links)) - np.repeat(first, self.levels) + 1

    def _require(self, is_sound: bool, what: str) -> None:
        if not is_sound:
            raise InputError(
                f"the {what} of a graph of {len(self.labels)} vectors contradict the rest of it:"
                " build it anew"
            )


def used(lists: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Where lists of links name a neighbour, shape (N, width - 1)."""
    return np.asarray(np.arange(lists.shape[1] - 1) < lists[:, :1])


def _are_within(numbers: NDArray[np.int32], limit: int) -> bool:
    return bool(((numbers >= 0) & (numbers < limit)).all())
