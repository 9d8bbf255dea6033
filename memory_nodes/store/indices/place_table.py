"""Where each item is, in arrays: 65 bytes an item, a fifth of what a dict takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory_nodes.errors import InputError
from memory_nodes.geometry import Array

Ids = NDArray[np.int64]

MIN_MERGED = 10_000
"""The fewest newly added ids that are worth sorting in among all."""
MERGED_SHARE = 8
"""Newly added ids are sorted in when they are one in so many: seldom, and they stay few."""


class PlaceTable:
    """Items as rows of arrays. Rows of removed items are used again.

    Not safe for several threads.
    """

    def __init__(self, ids: Ids, map_keys: Ids, points_m: Array, radii_m: Array) -> None:
        """Shapes (N,), (N,), (N, 3) and (N,). Raises InputError where two ids are equal."""
        self.ids = ids.copy()
        self.map_keys = map_keys.copy()
        self.points_m = points_m.copy()
        self.radii_m = radii_m.copy()
        self._is_used = np.ones(len(ids), dtype=np.bool_)
        self._end = len(ids)
        self._free: list[int] = []
        self._added: dict[int, int] = {}
        self._sort()
        repeated = self._sorted_ids[1:][np.diff(self._sorted_ids) == 0]
        if len(repeated):
            raise InputError(f"item {repeated[0]} is given twice: give each id once")

    def __len__(self) -> int:
        return self._end - len(self._free)

    def row(self, item_id: int) -> int | None:
        """The row of an item, None for one that is not there."""
        row = self._added.get(item_id)
        if row is not None:
            return row
        place = int(np.searchsorted(self._sorted_ids, item_id))
        if place == len(self._sorted_ids) or self._sorted_ids[place] != item_id:
            return None
        row = int(self._sorted_rows[place])
        # the item may be gone since the ids were sorted, and its row another's
        return row if self._is_used[row] and self.ids[row] == item_id else None

    def add(self, item_id: int, map_key: int, point_m: Array, radius_m: float) -> int:
        """The row of a new item, whose id must not be there yet."""
        row = self._free.pop() if self._free else self._appended()
        self.ids[row] = item_id
        self._is_used[row] = True
        self._added[item_id] = row
        self.place(row, map_key, point_m, radius_m)
        if len(self._added) > max(MIN_MERGED, len(self) // MERGED_SHARE):
            self._sort()
        return row

    def place(self, row: int, map_key: int, point_m: Array, radius_m: float) -> None:
        """Writes where the item of a row is."""
        self.map_keys[row] = map_key
        self.points_m[row] = point_m
        self.radii_m[row] = radius_m

    def remove(self, row: int) -> None:
        self._added.pop(int(self.ids[row]), None)
        self._is_used[row] = False
        self._free.append(row)

    def _appended(self) -> int:
        """A row that was never used."""
        if self._end == len(self.ids):
            rows = self._end + self._end // 4 + 64
            self.ids = np.resize(self.ids, rows)
            self.map_keys = np.resize(self.map_keys, rows)
            self.points_m = np.resize(self.points_m, (rows, 3))
            self.radii_m = np.resize(self.radii_m, rows)
            self._is_used = np.resize(self._is_used, rows)
            self._is_used[self._end :] = False
        self._end += 1
        return self._end - 1

    def _sort(self) -> None:
        rows = np.flatnonzero(self._is_used)
        self._sorted_rows = rows[np.argsort(self.ids[rows], kind="stable")]
        self._sorted_ids = self.ids[self._sorted_rows]
        self._added.clear()
