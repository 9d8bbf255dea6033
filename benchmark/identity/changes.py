"""What a memory tells of things that were moved or taken away, day by day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchmark.identity.scores import TrueOfView, main_identities, main_things
from memory_nodes.geometry import Vector3
from memory_nodes.records import ObjectDescriptor, ObjectStatus
from memory_test_support.house import HouseDay

MIN_VIEWS_AT_NEW_PLACE = 2
MIN_VIEWS_OF_GAP = 3
"""So often the robot must have seen a change before the memory is to know of it."""


class ChangeTally:
    """Statuses at the end of each day against the truth."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._centres_m: dict[int, Mapping[str, Vector3]] = {}
        self._missing: set[str] = set()
        self._moved, self._moved_found = 0, 0
        self._gone, self._gone_found = 0, 0
        self._false_while_down, self._false_while_up = 0, 0

    def end_day(
        self, day: HouseDay, objects: Sequence[ObjectDescriptor], true_of_view: TrueOfView
    ) -> None:
        """Counts the statuses that the memory gives after a day."""
        status_of = {item.object_id: item.status for item in objects}
        found = {thing: status_of[name] for thing, name in main_identities(true_of_view).items()}
        seen_today = Counter(thing for chunk in day.chunks for thing in chunk.thing_of.values())
        self._note_places(day)
        for thing in day.standing.moved & self._seen:
            if seen_today[thing] >= MIN_VIEWS_AT_NEW_PLACE:
                self._moved += 1
                self._moved_found += found[thing] == ObjectStatus.MOVED
        for thing, views in day.views_of_gaps.items():
            if thing in self._seen and views >= MIN_VIEWS_OF_GAP:
                self._gone += 1
                self._gone_found += found[thing] == ObjectStatus.MISSING
        self._count_false(day, objects, main_things(true_of_view))
        self._seen |= set(seen_today)

    def figures(self) -> dict[str, float]:
        """Shares of what changed; counts of what was called missing and was not."""
        return {
            "moved_true": self._moved,
            "moved_found": round(self._moved_found / max(1, self._moved), 3),
            "missing_true": self._gone,
            "missing_found": round(self._gone_found / max(1, self._gone), 3),
            "missing_false": self._false_while_down,
            "missing_false_elsewhen": self._false_while_up,
        }

    def _note_places(self, day: HouseDay) -> None:
        centres_m = {thing.thing_id: thing.centre_m for thing in day.standing.things}
        for chunk in day.chunks:
            for taken in chunk.graph.chunk.keyframes:
                self._centres_m[taken.keyframe_id] = centres_m

    def _count_false(
        self, day: HouseDay, objects: Sequence[ObjectDescriptor], thing_of: Mapping[str, str]
    ) -> None:
        """Those that became missing on this day, and stand where they were seen last."""
        missing = {item.object_id for item in objects if item.status == ObjectStatus.MISSING}
        today_m = {thing.thing_id: thing.centre_m for thing in day.standing.things}
        for item in objects:
            thing = thing_of[item.object_id]
            last_m = self._centres_m[item.views[-1].keyframe_id].get(thing)
            is_false = last_m is not None and today_m.get(thing) == last_m
            if item.object_id in missing - self._missing and is_false:
                if day.is_down:
                    self._false_while_down += 1
                else:
                    self._false_while_up += 1
        self._missing = missing
