"""How a map has moved, told by the vertices of its pose graph."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from memory_nodes.geometry import Array
from memory_nodes.mapping.pose_graph import Ints, PoseGraph, Rows
from memory_nodes.mapping.rigid_fit import fit, moved
from memory_nodes.records import NS_PER_S

NEIGHBOURS = 8
"""Vertices whose movement gives that of one of them."""
NEIGHBOUR_SIGMA_M = 1.0
STILL_M, STILL_RAD = 0.01, 0.01
"""What moves less stays where it is, until it adds up to more."""
APART_M_PER_S = 0.1
"""So far apart count two moments. Where the robot comes by again, the vertices of its first visit
are near, too: what was recorded now hangs on those that were made now."""


@dataclass(frozen=True)
class Movement:
    """Piecewise rigid: what is nearest to a vertex in place and time moves with it."""

    vertices: PoseGraph
    """Before it."""
    motions: Array
    """Of each vertex: x and y, metres, and yaw about the map's origin, shape (N, 3); 0 for one that
    stands still."""

    @classmethod
    def between(cls, before: PoseGraph, now: PoseGraph) -> Movement:
        """By the vertices that both have; at each a robust fit to those around it."""
        old, new = before.shared(now)
        if not len(old):
            return cls(old, np.empty((0, 3)))
        count = min(NEIGHBOURS, len(old))
        places = _in_place_and_time(old.points_map_m, old.made_ns, int(old.made_ns[0]))
        distances_m, around = cKDTree(places).query(places, k=count)
        shape = (len(old), count)
        weights = 1.0 / (1.0 + (np.reshape(distances_m, shape) / NEIGHBOUR_SIGMA_M) ** 2)
        around = np.reshape(around, shape)
        motions = fit(old.points_map_m[around], new.points_map_m[around], weights)
        is_short = _ways_m(motions, old.points_map_m) < STILL_M
        motions[is_short & (np.abs(motions[:, 2]) < STILL_RAD)] = 0.0
        return cls(old, motions)

    @cached_property
    def largest_m(self) -> float:
        """How far the vertex has moved that moved farthest; one that moves alone is noise."""
        return float(_ways_m(self.motions, self.vertices.points_map_m).max(initial=0.0))

    def level(self, now: PoseGraph) -> PoseGraph:
        """The graph as poses that have followed it take it to be: what stands still has stayed."""
        still = self.vertices.rows(np.flatnonzero(~self.motions.any(axis=1)))
        points_m = now.points_map_m.copy()
        points_m[np.searchsorted(now.ids, still.ids)] = still.points_map_m
        return replace(now, points_map_m=points_m)

    def anchors(self, points_map_m: Array, stamps_ns: Ints) -> Rows:
        """The row of the vertex that each of some places hangs on, shapes (M, 2), (M,) -> (M,)."""
        _, rows = self._tree.query(_in_place_and_time(points_map_m, stamps_ns, self._start_ns))
        return np.asarray(rows, np.intp)

    def row_of(self, vertex_id: int) -> int:
        """The row of a vertex that is there."""
        return int(np.searchsorted(self.vertices.ids, vertex_id))

    @property
    def _start_ns(self) -> int:
        return int(self.vertices.made_ns[0])

    @cached_property
    def _tree(self) -> cKDTree:
        vertices = self.vertices
        return cKDTree(_in_place_and_time(vertices.points_map_m, vertices.made_ns, self._start_ns))


def _ways_m(motions: Array, points_m: Array) -> Array:
    """How far motions take points, shapes (N, 3), (N, 2) -> (N,)."""
    ways_m: Array = np.linalg.norm(moved(motions, points_m) - points_m, axis=1)
    return ways_m


def _in_place_and_time(points_map_m: Array, stamps_ns: Ints, start_ns: int) -> Array:
    """Shape (N, 3); times since a start, or their difference would be lost in rounding."""
    times_m = (stamps_ns - start_ns) / NS_PER_S * APART_M_PER_S
    return np.column_stack([points_map_m, times_m])
