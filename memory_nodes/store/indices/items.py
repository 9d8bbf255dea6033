"""The items of one kind: their columns, and the R-trees of their places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_nodes.geometry import Array
from memory_nodes.store.indices.columns import Columns, Ints, Mask
from memory_nodes.store.indices.places import MAX_COORDINATE_M, Places

BULK_SHARE = 0.05
"""More places that come or go than this share of all: building the trees anew is faster."""


class Items:
    """Columns and places that change together."""

    def __init__(self) -> None:
        self.columns = Columns()
        self._places: Places | None = Places()
        """None: to be built when somebody asks for a place; most searches do not."""

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def places(self) -> Places:
        """Where the living rows are, by their keys."""
        if self._places is None:
            self._places = self._built_places()
        return self._places

    def append(self, rows: Mapping[str, NDArray[Any]]) -> None:
        """Rows with ascending keys above all before, by the names of columns.DTYPES."""
        self.columns.append(rows)
        self._place(rows)

    def put(self, rows: Mapping[str, NDArray[Any]]) -> None:
        """As append; rows whose keys are there already are overwritten, and live again."""
        self._displace(rows["key"])
        self.columns.put(rows)
        self._place(rows)

    def remove(self, keys: Ints) -> None:
        """Keys that are not there are passed over."""
        self._displace(keys)
        self.columns.remove(keys)

    def _place(self, rows: Mapping[str, NDArray[Any]]) -> None:
        points_m = np.stack([rows["x"], rows["y"], rows["z"]], axis=1)
        placed = np.flatnonzero(_is_placed(points_m))
        if self._places is None or len(placed) > BULK_SHARE * len(self._places):
            self._places = None
            return
        radii_m = rows.get("radius_m", np.zeros(len(points_m)))
        for row in placed.tolist():
            self._places.add(
                int(rows["key"][row]),
                int(rows["map_key"][row]),
                points_m[row],
                float(radii_m[row]),
            )

    def _built_places(self) -> Places:
        columns = self.columns
        points_m = np.stack([columns["x"], columns["y"], columns["z"]], axis=1)
        rows = columns.living()
        rows = rows[_is_placed(points_m[rows])]
        return Places.bulk(
            columns["key"][rows],
            columns["map_key"][rows].astype(np.int64),
            points_m[rows],
            columns["radius_m"][rows],
        )

    def _displace(self, keys: Ints) -> None:
        places = self._places
        if places is None or len(keys) > BULK_SHARE * len(places):
            self._places = None
            return
        for key in keys.tolist():
            if key in places:
                places.remove(key)


def _is_placed(points_m: Array) -> Mask:
    """Which of the points, shape (N, 3), can be in a tree: one that cannot costs no other."""
    # a comparison with NaN is false
    return np.asarray((np.abs(points_m) <= MAX_COORDINATE_M).all(axis=1))
