"""The vertices of a SLAM pose graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory_nodes.geometry import Array

Ints: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True)
class PoseGraph:
    """Where the vertices are at one moment."""

    ids: Ints
    """Ascending, shape (N,)."""
    points_map_m: Array
    """Shape (N, 2)."""
    made_ns: Ints
    """When each was heard of first, shape (N,)."""

    @classmethod
    def heard(cls, points_map_m: Mapping[int, tuple[float, float]], stamp_ns: int) -> PoseGraph:
        """As it comes from SLAM, vertices by their ids; a point that is not finite is left out."""
        found = sorted((key, *point) for key, point in points_map_m.items())
        table = np.array(found, np.float64).reshape(-1, 3)
        is_sound = np.isfinite(table).all(axis=1)
        ids = np.array([row[0] for row in found], np.int64)[is_sound]
        return cls(ids, table[is_sound, 1:], np.full(len(ids), stamp_ns, np.int64))

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self, rows: Rows) -> PoseGraph:
        """Only these."""
        return PoseGraph(self.ids[rows], self.points_map_m[rows], self.made_ns[rows])

    def shared(self, other: PoseGraph) -> tuple[PoseGraph, PoseGraph]:
        """The vertices that both have, as each has them."""
        _, mine, theirs = np.intersect1d(
            self.ids, other.ids, assume_unique=True, return_indices=True
        )
        return self.rows(mine), other.rows(theirs)
