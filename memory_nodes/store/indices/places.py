"""Which items are near a place: an R-tree for each map.

An item is a ball: a point where its radius is 0, the surroundings that a gist speaks of where it
is more. The distance to an item is that to the surface of its ball, and 0 inside it, so that what
covers a place is found there. With ``ignore_height`` balls and distances are those seen from above.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from rtree.index import Index, Property

from memory_nodes.errors import InputError
from memory_nodes.geometry import Array
from memory_nodes.store.indices.place_table import Ids, PlaceTable

Found: TypeAlias = tuple[Ids, Array]

MAX_COORDINATE_M = 1e9
"""Farther out no coordinate is meant, and volumes of boxes would leave the range of floats."""
NODE_CAPACITY = 16
"""Few entries in a node of the tree: an add, a move and a removal take 50 to 300 us."""
_ROUNDING = 1e-9
"""Slack of every search in the tree, whose arithmetic may differ from numpy's in the last bits."""


class Places:
    """Balls in map frames, by int64 ids. May be used from several threads.

    Points are (x, y, z), metres, in the frame of the map that their key stands for. Nothing is
    found on a map without items. Of items that are equally far the lower id comes first; where a
    limit cuts through them, which of them are left out is not defined.
    """

    def __init__(self) -> None:
        none = np.empty(0, dtype=np.int64)
        self._table = PlaceTable(none, none, np.empty((0, 3)), np.empty(0))
        # The trees know items by their rows in the table.
        self._trees: dict[int, Index] = {}
        self._sizes: Counter[int] = Counter()
        # libspatialindex must not be called from two threads at a time
        self._lock = threading.Lock()

    @classmethod
    def bulk(cls, ids: Ids, map_keys: Ids, points_m: Array, radii_m: Array | float = 0.0) -> Places:
        """Many items at once, shapes (N,), (N,), (N, 3) and (N,) or a number for all.

        Raises InputError where two ids are equal, a shape does not fit, or an item cannot be used.
        """
        points, radii = np.asarray(points_m, np.float64), np.asarray(radii_m, np.float64)
        shapes = (np.shape(ids), np.shape(map_keys), points.shape, radii.shape)
        count = np.size(ids)
        if shapes[:3] != ((count,), (count,), (count, 3)) or shapes[3] not in ((), (count,)):
            raise InputError(
                "ids, map keys, points and radii have shapes {}, {}, {} and {}:"
                " give (N,), (N,), (N, 3) and (N,)".format(*shapes)
            )
        radii = np.broadcast_to(radii, (count,))
        _require_placed(ids, points, radii)
        places = cls()
        places._table = PlaceTable(
            np.asarray(ids, np.int64), np.asarray(map_keys, np.int64), points, radii
        )
        for map_key in np.unique(map_keys).tolist():
            rows = np.flatnonzero(places._table.map_keys == map_key)
            low, high = points[rows] - radii[rows, None], points[rows] + radii[rows, None]
            places._trees[map_key] = Index(
                (rows, low, high), properties=_properties(), interleaved=True
            )
            places._sizes[map_key] = len(rows)
        return places

    def __len__(self) -> int:
        return len(self._table)

    def __contains__(self, item_id: int) -> bool:
        with self._lock:
            return self._table.row(item_id) is not None

    def add(self, item_id: int, map_key: int, point_m: ArrayLike, radius_m: float = 0.0) -> None:
        """Raises InputError for an id that is there already, or a place that cannot be used."""
        point = _placed(item_id, point_m, radius_m)
        with self._lock:
            if self._table.row(item_id) is not None:
                raise InputError(f"item {item_id} has a place already: move it")
            row = self._table.add(item_id, map_key, point, radius_m)
            self._insert(row)

    def remove(self, item_id: int) -> None:
        """Raises InputError for an id that is not there."""
        with self._lock:
            row = self._known(item_id)
            self._delete(row)
            self._table.remove(row)

    def move(self, item_id: int, map_key: int, point_m: ArrayLike, radius_m: float = 0.0) -> None:
        """Raises InputError, and leaves the item where it is, as ``add`` and ``remove`` do."""
        point = _placed(item_id, point_m, radius_m)
        with self._lock:
            row = self._known(item_id)
            self._delete(row)
            self._table.place(row, map_key, point, radius_m)
            self._insert(row)

    def within(
        self,
        map_key: int,
        center_m: ArrayLike,
        radius_m: float,
        limit: int | None = None,
        ignore_height: bool = False,
    ) -> Found:
        """Ids and distances, m, of the items at most radius_m away, nearest first.

        A limit stops the search early. Raises InputError for a centre, radius or limit that cannot
        be used; an infinite radius is the whole map.
        """
        center = _center(center_m)
        if not radius_m >= 0.0:
            raise InputError(f"the radius is {radius_m} m: give 0 or more")
        if limit is not None:
            return self._nearest(map_key, center, limit, radius_m, ignore_height)
        reach = _reach(radius_m + _slack(center, radius_m), ignore_height)
        with self._lock:
            rows = self._intersecting(map_key, center - reach, center + reach)
            distances = self._distances(rows, center, ignore_height)
            is_near = distances <= radius_m
            return self._ordered(rows[is_near], distances[is_near])

    def nearest(
        self, map_key: int, center_m: ArrayLike, k: int, ignore_height: bool = False
    ) -> Found:
        """Ids and distances, m, of the k items nearest to a place, nearest first.

        Raises InputError for a centre or k that cannot be used.
        """
        return self._nearest(map_key, _center(center_m), k, math.inf, ignore_height)

    def box(self, map_key: int, low_m: ArrayLike, high_m: ArrayLike) -> Ids:
        """Ids, ascending, of the items whose ball touches the box between two corners.

        Corners may be infinite. Raises InputError where they are not numbers, or low is above high.
        """
        low, high = _vector(low_m), _vector(high_m)
        if not (low <= high).all():
            raise InputError(f"the box from {low} to {high} m has no inside: give low <= high")
        inner, outer = np.clip((low, high), -4.0 * MAX_COORDINATE_M, 4.0 * MAX_COORDINATE_M)
        inner, outer = inner - _ROUNDING * (1 + abs(inner)), outer + _ROUNDING * (1 + abs(outer))
        with self._lock:
            rows = self._intersecting(map_key, inner, outer)
            points = self._table.points_m[rows]
            outside = points - np.clip(points, low, high)
            is_touching = np.linalg.norm(outside, axis=1) <= self._table.radii_m[rows]
            return np.sort(self._table.ids[rows[is_touching]])

    def _nearest(
        self, map_key: int, center: Array, k: int, radius_m: float, ignore_height: bool
    ) -> Found:
        """Asks the tree for more until no item that it left out can be nearer than the k-th.

        The tree knows the boxes around balls, which are at most as far as the balls themselves.
        """
        if k < 0:
            raise InputError(f"{k} items are asked for, the least is 0")
        reach = _reach(0.0, ignore_height)
        limit_m = radius_m + _slack(center, radius_m)
        with self._lock:
            size = self._sizes[map_key]
            asked = min(k, size)
            while asked:
                rows = _nearest_rows(
                    self._trees[map_key], center - reach, center + reach, asked, limit_m
                )
                distances = self._distances(rows, center, ignore_height)
                found = len(rows) < asked or asked == size
                if found or _kth(distances, k) <= self._box_distance(rows, center, ignore_height):
                    is_near = distances <= radius_m
                    ids, distances = self._ordered(rows[is_near], distances[is_near])
                    return ids[:k], distances[:k]
                asked = min(4 * asked, size)
        return np.empty(0, dtype=np.int64), np.empty(0)

    def _intersecting(self, map_key: int, low: Array, high: Array) -> Ids:
        if map_key not in self._trees:
            return np.empty(0, dtype=np.int64)
        rows: Ids = self._trees[map_key].intersection_v(low[None], high[None])[0]  # type: ignore[no-untyped-call]
        return rows

    def _distances(self, rows: Ids, center: Array, ignore_height: bool) -> Array:
        offsets = self._table.points_m[rows] - center
        lengths = np.linalg.norm(offsets[:, : 2 if ignore_height else 3], axis=1)
        distances: Array = np.maximum(lengths - self._table.radii_m[rows], 0.0)
        return distances

    def _box_distance(self, rows: Ids, center: Array, ignore_height: bool) -> float:
        """How far the farthest of the boxes is, with slack."""
        gaps = np.abs(self._table.points_m[rows] - center) - self._table.radii_m[rows, None]
        gaps = np.maximum(gaps[:, : 2 if ignore_height else 3], 0.0)
        return float(np.linalg.norm(gaps, axis=1).max()) * (1.0 + _ROUNDING) + _ROUNDING

    def _ordered(self, rows: Ids, distances: Array) -> Found:
        ids = self._table.ids[rows]
        order = np.lexsort((ids, distances))
        return ids[order], distances[order]

    def _known(self, item_id: int) -> int:
        row = self._table.row(item_id)
        if row is None:
            raise InputError(f"item {item_id} has no place: add it")
        return row

    def _insert(self, row: int) -> None:
        map_key = int(self._table.map_keys[row])
        if map_key not in self._trees:
            self._trees[map_key] = Index(properties=_properties(), interleaved=True)
        self._trees[map_key].insert(row, self._bounds(row))
        self._sizes[map_key] += 1

    def _delete(self, row: int) -> None:
        map_key = int(self._table.map_keys[row])
        # the tree finds an entry by its exact box only: made anew from the very same numbers
        self._trees[map_key].delete(row, self._bounds(row))
        self._sizes[map_key] -= 1
        if self._sizes[map_key] == 0:
            del self._trees[map_key], self._sizes[map_key]

    def _bounds(self, row: int) -> list[float]:
        point, radius = self._table.points_m[row], self._table.radii_m[row]
        return [*(point - radius).tolist(), *(point + radius).tolist()]


def _properties() -> Property:
    return Property(
        dimension=3, index_capacity=NODE_CAPACITY, leaf_capacity=NODE_CAPACITY, fill_factor=0.5
    )


def _nearest_rows(tree: Index, low: Array, high: Array, k: int, limit_m: float) -> Ids:
    """The k entries whose boxes are nearest to a box, at most limit_m away, which is never 0."""
    rows: Ids = tree.nearest_v(  # type: ignore[no-untyped-call]
        low[None],
        high[None],
        num_results=k,
        # an array of its own for each call: rtree writes into it; 0 would mean no limit
        max_dists=np.array([limit_m]),
        strict=True,
    )[0]
    return rows


def _slack(center: Array, radius_m: float) -> float:
    return _ROUNDING * (1.0 + float(np.abs(center).max()) + radius_m)


def _reach(reach_m: float, ignore_height: bool) -> Array:
    """Half the sides of a box to search, shape (3,)."""
    return np.array([reach_m, reach_m, math.inf if ignore_height else reach_m])


def _kth(distances: Array, k: int) -> float:
    return float(np.partition(distances, k - 1)[k - 1])


def _vector(values: ArrayLike) -> Array:
    vector = np.asarray(values, dtype=np.float64)
    if vector.shape != (3,):
        raise InputError(f"a point has shape {vector.shape}: give (x, y, z), metres")
    return vector


def _center(values: ArrayLike) -> Array:
    center = _vector(values)
    if not (np.abs(center) <= MAX_COORDINATE_M).all():
        raise InputError(f"the centre is {center} m: give numbers up to {MAX_COORDINATE_M:g}")
    return center


def _placed(item_id: int, point_m: ArrayLike, radius_m: float) -> Array:
    point = _vector(point_m)
    _require_placed(np.array([item_id]), point[None], np.array([radius_m]))
    return point


def _require_placed(ids: Ids, points_m: Array, radii_m: Array) -> None:
    is_sound = (np.abs(points_m) <= MAX_COORDINATE_M).all(axis=1)
    is_sound &= (radii_m >= 0.0) & (radii_m <= MAX_COORDINATE_M)
    if not is_sound.all():
        bad = int(np.flatnonzero(~is_sound)[0])
        raise InputError(
            f"item {ids[bad]} is at {points_m[bad]} m with radius {radii_m[bad]} m:"
            f" give numbers up to {MAX_COORDINATE_M:g}, and a radius of 0 or more"
        )
