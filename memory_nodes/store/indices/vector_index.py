"""The vectors of a memory by their key: nearest to a query, or of given keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory_nodes.errors import InputError
from memory_nodes.geometry import Array
from memory_nodes.parameters import check
from memory_nodes.store.indices.graph_links import GraphLinks
from memory_nodes.store.indices.readers_first_lock import ReadersFirstLock
from memory_nodes.store.indices.vector_config import VectorConfig
from memory_nodes.store.indices.vector_graph import VectorGraph
from memory_nodes.store.indices.vector_rows import (
    Keys,
    Rows,
    Similarities,
    VectorRows,
    best,
    checked_keys,
    checked_units,
    cosines,
    last_places,
)
from memory_nodes.vectors import Matrix

Query: TypeAlias = Array | NDArray[np.float32]
"""Shape (dimension,), of any length but zero."""

BUILD_STEP = 16
"""Vectors that are taken in while searches wait."""

EXACT_SHARE = 0.02
"""A search for a greater share of the vectors is exact: the graph would take longer."""


class VectorIndex:
    """Unit vectors, each under a key from 1 on. May be used from several threads.

    What is added is the tail, and found by comparing all of it, until ``take_in`` has put it into
    an HNSW graph. Adding is thus cheap, and what was added is found at once.
    """

    def __init__(self, dimension: int, config: VectorConfig | None = None) -> None:
        self.config = VectorConfig() if config is None else config
        check(self.config)
        self.dimension = dimension
        self._rows = VectorRows(dimension)
        self._graph = VectorGraph(dimension, self.config)
        self._taken = 0
        """Rows before this one are in the graph, or were dead when it came to them."""
        self._links_to_install: GraphLinks | None = None
        """Of a graph on disk; its elements are the first rows."""
        self._lock = ReadersFirstLock()

    def __len__(self) -> int:
        """Vectors that a search may find."""
        with self._lock.read():
            return self._rows.living

    def __contains__(self, key: int) -> bool:
        with self._lock.read():
            return bool(self._rows.rows_of(np.array([key]))[0] >= 0)

    @property
    def tail_size(self) -> int:
        """Vectors that are not in the graph yet."""
        with self._lock.read():
            return self._rows.living - self._graph.living

    @property
    def graph_size(self) -> int:
        """Elements of the graph, also of one that is not installed yet."""
        with self._lock.read():
            waiting = self._links_to_install
            return self._taken if waiting is None else len(waiting.labels)

    def add(self, keys: Sequence[int] | Keys, vectors: Matrix) -> None:
        """Adds vectors, shape (N, dimension), of any length; one of a known key replaces the old.

        Raises InputError, and adds nothing, for a key that is not in 1 to MAX_KEY, for another
        shape, and for a vector that is zero or not finite.
        """
        listed = checked_keys(keys)
        units = checked_units(listed, vectors, self.dimension)
        with self._lock.write():
            self._bury(self._rows.append(listed, units))

    def remove(self, keys: Sequence[int] | Keys) -> None:
        """Removes the vectors of these keys; unknown keys are ignored."""
        listed = np.asarray(keys, np.int64).reshape(-1)
        with self._lock.write():
            self._bury(self._rows.remove(listed))

    def take_in(self, limit: int) -> int:
        """Puts up to ``limit`` vectors of the tail into the graph, oldest first; gives how many.

        Searches wait for BUILD_STEP of them at most.
        """
        self.install_graph()
        moved = 0
        while moved < limit:
            with self._lock.write():
                if self._taken == self._rows.count:
                    break
                moved += self._step(min(BUILD_STEP, limit - moved))
        return moved

    def make_room(self) -> None:
        """Moves to a larger matrix in time, so that no ``add`` has to wait for that."""
        with self._lock.read():
            rows, count = self._rows, self._rows.count
            if not rows.is_nearly_full:
                return
            present = rows.matrix
        larger: Matrix = np.zeros((2 * count, self.dimension), np.float32)
        larger[:count] = present  # rows never change: no lock is needed for that
        with self._lock.write():
            if self._rows is rows and rows.count <= len(larger) and rows.is_nearly_full:
                rows.move_to(larger, count)

    def compact(self) -> bool:
        """Forgets removed vectors once they are too many; gives whether they were.

        The graph is then empty and all is tail: searches are slower, until it is taken in, and
        not blocked.
        """
        self.install_graph()
        with self._lock.write():
            rows = self._rows
            if rows.count - rows.living <= self.config.max_dead_share * rows.count:
                return False
            self._rows = rows.compacted()
            self._graph = VectorGraph(self.dimension, self.config)
            self._taken = 0
            return True

    def search(self, query: Query, k: int, ef: int | None = None) -> tuple[Keys, Similarities]:
        """The k nearest to a query, shape (dimension,), of any length: keys and cosines, (n,).

        Descending, the greater key first among equals; n is less than k only where there are
        fewer vectors. ``ef`` candidates are looked at, by default ``ef_search`` of them.
        Raises InputError for k or ef below 1 and for a query that cannot be used.
        """
        unit_query = self._unit(query)
        found_with = self.config.ef_search if ef is None else ef
        if k < 1 or found_with < 1:
            raise InputError(f"k is {k} and ef {found_with}, the least is 1")
        with self._lock.read():
            found = self._near_in_graph(unit_query, k, found_with)
            if found is None:
                return best(*self._compared(slice(None), unit_query), k)
            keys, similarities = self._compared(found, unit_query)
            tail_keys, of_tail = self._compared(slice(self._taken, None), unit_query)
        return best(np.concatenate((keys, tail_keys)), np.concatenate((similarities, of_tail)), k)

    def search_among(
        self, query: Query, keys: Sequence[int] | Keys, k: int
    ) -> tuple[Keys, Similarities]:
        """As ``search``, of these keys only, and exact; keys without a vector are ignored."""
        unit_query = self._unit(query)
        if k < 1:
            raise InputError(f"k is {k}, the least is 1")
        listed = np.asarray(keys, np.int64).reshape(-1)
        with self._lock.read():
            rows = np.unique(self._rows.rows_of(listed))
            return best(*self._compared(rows[rows >= 0], unit_query), k)

    def similarities(self, query: Query, keys: Sequence[int] | Keys) -> Similarities:
        """Cosine of the query with the vector of each key, NaN where there is none, (len(keys),).

        Raises InputError for a query that cannot be used.
        """
        unit_query = self._unit(query)
        listed = np.asarray(keys, np.int64).reshape(-1)
        found = np.full(len(listed), np.nan, np.float32)
        with self._lock.read():
            rows = self._rows.rows_of(listed)
            is_known = rows >= 0
            found[is_known] = cosines(self._rows.matrix[rows[is_known]], unit_query)
        return found

    def links(self) -> GraphLinks:
        """A copy of the graph, labelled with keys; 0 for a removed vector."""
        with self._lock.read():
            if self._links_to_install is not None:
                return self._links_to_install
            links = self._graph.links()
            return replace(links, labels=self._rows.keys[links.labels].astype(np.int64))

    @classmethod
    def restored(
        cls,
        links: GraphLinks,
        keys: Sequence[int] | Keys,
        vectors: Matrix,
        dimension: int,
        config: VectorConfig,
    ) -> VectorIndex:
        """The index of these vectors, shape (N, dimension), with a graph of most of them.

        What the graph does not know is tail. An element whose key is not among ``keys`` is dead,
        but searches still go through it: it gets the mean of its neighbours, which keeps it about
        where it was and them within reach. A vector that has changed keeps its old links:
        searches may miss it more often, its cosine is never wrong. The matrix is taken over.

        Raises InputError as ``add``.
        """
        listed = checked_keys(keys)
        given = checked_units(listed, vectors, dimension)
        if not len(listed):
            return cls(dimension, config)
        places = last_places(links.labels, listed)
        is_new = ~np.isin(listed, links.labels)
        is_new &= last_places(listed, listed) == np.arange(len(listed))
        order = np.concatenate([np.maximum(places, 0), np.flatnonzero(is_new)])
        is_ordered = np.array_equal(order, np.arange(len(given)))
        units = given if is_ordered else given[order]  # most often a copy can be spared
        dead = np.flatnonzero(places < 0)
        units[dead] = 0.0
        units[dead] = links.neighbour_means(dead, units[: len(places)])
        index = cls(dimension, config)
        named = np.concatenate([np.where(places < 0, 0, links.labels), listed[is_new]])
        index._rows = VectorRows.of(named, units)
        index._links_to_install = links
        return index

    def install_graph(self) -> None:
        """Puts the graph that ``restored`` was given in its place; until then all is tail.

        It takes a while, in which nothing waits. Raises InputError for links of another
        ``hnsw_m``.
        """
        links = self._links_to_install
        if links is None:
            return
        count = len(links.labels)
        with self._lock.read():
            units = self._rows.matrix[:count]  # rows never change, also where append moves them
        graph = VectorGraph.restored(links, units, self.config)
        with self._lock.write():
            graph.remove(np.flatnonzero(self._rows.keys[:count] == 0).tolist())
            self._graph, self._taken, self._links_to_install = graph, count, None

    def _unit(self, query: Query) -> NDArray[np.float32]:
        numbers = np.asarray(query, np.float32)
        length = float(np.linalg.norm(numbers)) if numbers.shape == (self.dimension,) else 0.0
        if not np.isfinite(length) or length == 0.0:
            raise InputError(
                f"a query of shape {numbers.shape} and length {length} has no direction here: give"
                f" {self.dimension} finite numbers, not all zero"
            )
        unit: NDArray[np.float32] = numbers / np.float32(length)
        return unit

    def _step(self, limit: int) -> int:
        """Takes in the living ones of the next ``limit`` rows."""
        first, last = self._taken, min(self._taken + limit, self._rows.count)
        rows = first + np.flatnonzero(self._rows.keys[first:last])
        if len(rows):
            self._graph.add(rows, self._rows.matrix[rows])
        self._taken = last
        return len(rows)

    def _bury(self, rows: Rows) -> None:
        """Tells the graph of rows that have died."""
        self._graph.remove(rows[rows < self._taken].tolist())

    def _near_in_graph(self, query: NDArray[np.float32], k: int, ef: int) -> Rows | None:
        """Rows of the k nearest that are in the graph; None where all rows are to be compared."""
        count, reached = self._rows.living, min(k, self._graph.living)
        if count <= self.config.exact_below or k > EXACT_SHARE * count or reached == 0:
            return None
        return self._graph.search(query, reached, ef)

    def _compared(
        self, rows: Rows | slice, query: NDArray[np.float32]
    ) -> tuple[Keys, Similarities]:
        """Keys and cosines of the living ones of these rows; those of a slice are not copied."""
        keys, similarities = self._rows.keys[rows], cosines(self._rows.matrix[rows], query)
        is_living = keys != 0
        return keys[is_living].astype(np.int64), similarities[is_living]
