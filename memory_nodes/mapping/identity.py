"""Which map the robot is on, told by its pose graph."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from memory_nodes.mapping.pose_graph import PoseGraph

SAME_SHARE = 0.5
"""Most of a map's vertices are there again: some are dropped, and ids of others may agree."""
NEAR_M = 2.0
"""No closure moves a vertex farther."""
LOADED = 20
"""Vertices that SLAM has not made itself before it tells of its graph for the first time."""


class MapIdentity:
    """Gives the id of the map for each pose graph that SLAM tells.

    A graph that goes on is of the same map. One that does not is of the known map that it looks
    like: it was loaded from a file, and the robot is localised in it again. Any other is of a new
    SLAM session, whose origin is elsewhere: its map gets an id that no map has.

    Args:
        map_id: of the map until a graph says otherwise, and what the ids of new ones begin with.
        known: the vertices of each map, by its id.
        taken: ids of other maps, whose vertices nobody knows.
    """

    def __init__(
        self, map_id: str, known: Mapping[str, PoseGraph], taken: Collection[str] = ()
    ) -> None:
        self.map_id = map_id
        self._known = dict(known)
        self._taken = set(taken)
        self._last: PoseGraph | None = None

    def goes_on(self, graph: PoseGraph) -> bool:
        """Whether it is the one that was heard last, with some vertices more."""
        last = self._last
        return last is not None and _goes_on(last, graph) and len(graph) < len(last) + LOADED

    def heard(self, graph: PoseGraph, name: str = "") -> str:
        """The id of its map.

        Args:
            name: what SLAM calls the map that it has loaded; empty where it has loaded none.
        """
        if not self.goes_on(graph):
            self.map_id = self._recognised(graph, name or self.map_id) or self._fresh(name)
        self._last = self._known[self.map_id] = graph
        self._taken.add(self.map_id)
        return self.map_id

    def _recognised(self, graph: PoseGraph, likeliest: str) -> str | None:
        """The known map that has most of its vertices; among equals the likeliest."""
        found = [
            (_alike(known, graph), map_id == likeliest, map_id)
            for map_id, known in self._known.items()
            if _goes_on(known, graph) or (len(graph) >= LOADED and _is_like(known, graph))
        ]
        return max(found)[2] if found else None

    def _fresh(self, name: str) -> str:
        """A map that no graph was heard of has the id already; else a number makes it a new one."""
        first = name or self.map_id.rpartition("_new_")[0] or self.map_id
        if first not in self._known:
            return first
        number = 2
        while f"{first}_new_{number}" in self._known.keys() | self._taken:
            number += 1
        return f"{first}_new_{number}"


def _goes_on(before: PoseGraph, now: PoseGraph) -> bool:
    """Ids only ever grow while SLAM runs."""
    return _is_like(before, now) and bool(now.ids[-1] >= before.ids[-1])


def _is_like(before: PoseGraph, now: PoseGraph) -> bool:
    return len(before) > 0 and _alike(before, now) >= SAME_SHARE * len(before)


def _alike(before: PoseGraph, now: PoseGraph) -> int:
    """How many vertices of one graph are in the other, about where they were."""
    old, new = before.shared(now)
    ways_m = np.linalg.norm(old.points_map_m - new.points_map_m, axis=1)
    return int(np.count_nonzero(ways_m <= NEAR_M))
