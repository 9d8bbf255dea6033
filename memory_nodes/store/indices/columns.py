"""Items of one kind as columns: a filter over a million rows is a few vector operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory_nodes.geometry import Array, Vector3

Ints: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]

DTYPES: Mapping[str, type[np.generic]] = {
    **dict.fromkeys(("key", "start_ns", "end_ns", "text_key"), np.int64),
    **dict.fromkeys(("x", "y", "z", "radius_m"), np.float64),
    **dict.fromkeys(("map_key", "layer_key", "episode_key", "type_key"), np.int32),
}
"""key: ascending. Times: ns. Places: metres in the map frame, NaN where there is none. Of the
other keys 0 means none."""


@dataclass(frozen=True)
class Condition:
    """A Filter whose names are turned into keys; None = no bound."""

    since_ns: int | None = None
    until_ns: int | None = None
    map_keys: tuple[int, ...] | None = None
    layer_keys: tuple[int, ...] | None = None
    episode_keys: tuple[int, ...] | None = None
    type_keys: tuple[int, ...] | None = None
    center_map_m: Vector3 | None = None
    radius_m: float = 0.0
    ignore_height: bool = False


class Columns:
    """Grows at the end; a row that has left is dead, and not found."""

    def __init__(self) -> None:
        self._size = 0
        self._data: dict[str, NDArray[Any]] = {n: np.empty(0, t) for n, t in DTYPES.items()}
        self._is_alive: NDArray[Any] = np.empty(0, np.bool_)
        self._dead = 0

    def __len__(self) -> int:
        """How many rows live."""
        return self._size - self._dead

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column with the dead rows, by position."""
        return self._data[name][: self._size]

    @property
    def last_key(self) -> int:
        return int(self._data["key"][self._size - 1]) if self._size else 0

    def append(self, columns: Mapping[str, NDArray[Any] | Sequence[Any]]) -> None:
        """Rows with ascending keys above all before; a column that is not given is 0."""
        added = len(columns["key"])
        self._reserve(self._size + added)
        span = slice(self._size, self._size + added)
        for name, column in self._data.items():
            column[span] = columns.get(name, 0)
        self._is_alive[span] = True
        self._size += added

    def put(self, columns: Mapping[str, NDArray[Any]]) -> None:
        """As append; rows whose keys are there already are overwritten, and live again."""
        keys = columns["key"]
        is_known = np.isin(keys, self["key"])
        rows = np.searchsorted(self["key"], keys[is_known])
        for name, column in columns.items():
            self._data[name][rows] = column[is_known]
        self._dead -= int(np.count_nonzero(~self._is_alive[rows]))
        self._is_alive[rows] = True
        self.append({name: column[~is_known] for name, column in columns.items()})

    def rows_of(self, keys: Ints) -> Rows:
        """Positions of the living rows with these keys, unknown ones left out."""
        known = self["key"]
        rows = np.searchsorted(known, keys)
        is_inside = rows < self._size
        rows, wanted = rows[is_inside], keys[is_inside]
        found: Rows = rows[(known[rows] == wanted) & self._is_alive[rows]]
        return found

    def remove(self, keys: Ints) -> None:
        rows = self.rows_of(np.unique(keys))
        self._is_alive[rows] = False
        self._dead += len(rows)

    def living(self) -> Rows:
        return np.flatnonzero(self._is_alive[: self._size])

    def select(self, condition: Condition) -> Rows:
        """Positions of the living rows that fulfil it."""
        mask = self._is_alive[: self._size].copy()
        for name, wanted in (
            ("map_key", condition.map_keys),
            ("layer_key", condition.layer_keys),
            ("episode_key", condition.episode_keys),
            ("type_key", condition.type_keys),
        ):
            if wanted is not None:
                mask &= _equals_one_of(self[name], wanted)
        if condition.since_ns is not None:
            mask &= self["end_ns"] >= condition.since_ns
        if condition.until_ns is not None:
            mask &= self["start_ns"] <= condition.until_ns
        if condition.center_map_m is None:
            return np.flatnonzero(mask)
        # The square around the circle first: few rows are left for square roots.
        for axis, centre_m in zip(("x", "y"), condition.center_map_m[:2], strict=True):
            mask &= np.abs(self[axis] - centre_m) <= condition.radius_m + self["radius_m"]
        rows = np.flatnonzero(mask)
        distances_m = self.distances_m(rows, condition.center_map_m, condition.ignore_height)
        return rows[distances_m <= condition.radius_m]

    def distances_m(self, rows: Rows, center_map_m: Vector3, ignore_height: bool) -> Array:
        """From a point to the edge of each row's place, 0 within it; NaN without a place."""
        axes = ("x", "y") if ignore_height else ("x", "y", "z")
        squares = np.zeros(len(rows))
        for axis, centre_m in zip(axes, center_map_m, strict=False):
            squares += (self._data[axis][rows] - centre_m) ** 2
        edge_m: Array = np.maximum(0.0, np.sqrt(squares) - self._data["radius_m"][rows])
        return edge_m

    def _reserve(self, size: int) -> None:
        if size <= len(self._is_alive):
            return
        capacity = max(size, 2 * len(self._is_alive), 1024)
        for name, column in self._data.items():
            self._data[name] = _grown(column, self._size, capacity)
        self._is_alive = _grown(self._is_alive, self._size, capacity)


def _grown(column: NDArray[Any], size: int, capacity: int) -> NDArray[Any]:
    grown = np.zeros(capacity, column.dtype)
    grown[:size] = column[:size]
    return grown


def _equals_one_of(column: NDArray[Any], wanted: tuple[int, ...]) -> Mask:
    if len(wanted) == 1:
        equal: Mask = column == wanted[0]
        return equal
    return np.asarray(np.isin(column, wanted))
