"""Where the robot was, by what was seen and observed."""

from __future__ import annotations

from dataclasses import dataclass

from memory_nodes.answering.properties import PlaceAt
from memory_nodes.geometry import Vector3
from memory_nodes.records import ItemKind, Keyframe
from memory_nodes.store.filters import Filter
from memory_nodes.store.observations import MAX_STAMP_NS
from memory_nodes.store.search import Search
from memory_nodes.times import EVER_NS


@dataclass(frozen=True)
class Whereabouts:
    """A place of the robot, and when it was there."""

    stamp_ns: int
    map_id: str
    position_map_m: Vector3

    @classmethod
    def of(cls, keyframe: Keyframe) -> Whereabouts:
        return cls(keyframe.stamp_ns, keyframe.map_id, keyframe.map_from_base.position_m)

    def said(self, place_at: PlaceAt) -> str:
        """'in the hall, at (1.0, 2.0) m on map home'; the place only where somebody named it."""
        x_m, y_m, _ = self.position_map_m
        point = f"at ({x_m:.1f}, {y_m:.1f}) m on map {self.map_id}"
        place = place_at(self.stamp_ns)
        return f"in {place}, {point}" if place else point


def newest_whereabouts(
    search: Search | None, keyframe: Keyframe | None, wanted: Filter
) -> Whereabouts | None:
    """That of the newest keyframe, or of an observation where there is one no older.

    Of the filter its times and its map are used.
    """
    seen = None
    if keyframe is not None and keyframe.is_localized and wanted.accepts(keyframe):
        seen = Whereabouts.of(keyframe)
    if search is None:
        return seen
    since_ns = EVER_NS if wanted.since_ns is None else wanted.since_ns
    until_ns = MAX_STAMP_NS if wanted.until_ns is None else wanted.until_ns
    of_map = Filter(kinds=(ItemKind.OBSERVATION,), map_id=wanted.map_id)
    for hit in search.between(since_ns, until_ns, 1, of_map).hits:
        assert hit.position_map_m is not None, "an observation has a place"
        if seen is None or hit.end_ns >= seen.stamp_ns:
            return Whereabouts(hit.end_ns, hit.map_id, hit.position_map_m)
    return seen
