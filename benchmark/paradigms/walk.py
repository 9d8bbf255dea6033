"""A robot on its way through rooms: what it sees and hears, as observations."""

from __future__ import annotations

import random
from collections.abc import Sequence

from benchmark.paradigms.schedule import PointM, Told
from benchmark.retention.household import ABSENT, EVERYWHERE, ROOMS, SEEN
from memory_nodes.episodic.things import is_said_in
from memory_nodes.records import NS_PER_S

START_NS = 1_767_258_000 * NS_PER_S
"""The first of January 2026, 9 o'clock in Greenwich."""
HOUR_NS = 3600 * NS_PER_S
DAY_NS = 24 * HOUR_NS
VIEW_NS = 20 * NS_PER_S
ROOM_M = 8.0
ROOMS_IN_A_ROW = 4
JITTER_M = 1.5

THINGS = [name for names in SEEN.values() for name in names]
STRANGERS = [name for name in ABSENT if not any(is_said_in(name, thing) for thing in THINGS)]
"""Things that are nowhere, some of them with names near to those of THINGS. Who says teddy bear
says bear, by the rule of the scores; so no bear is asked for.
"""


def middle_m(room: str) -> PointM:
    """Of a room of ROOMS."""
    row, column = divmod(ROOMS.index(room), ROOMS_IN_A_ROW)
    return (column * ROOM_M, row * ROOM_M)


class Walk:
    """Collects what is observed; each view takes VIEW_NS."""

    def __init__(self, chance: random.Random, start_ns: int = START_NS) -> None:
        self._chance = chance
        self._told: list[Told] = []
        self.now_ns = start_ns

    @property
    def told(self) -> tuple[Told, ...]:
        return tuple(self._told)

    def see(self, room: str, names: Sequence[str]) -> int:
        """What a model says of one view, and its stamp."""
        first, *others = names
        beside = f", and {' and '.join(map(_a, others))} behind it" if others else ""
        return self._observe(
            room,
            description=f"{_a(room).capitalize()} with {_a(first)}{beside}.",
            detections=", ".join(names),
            place=room,
        )

    def pass_by(self, room: str) -> None:
        """Sees nothing that other rooms have not."""
        self.see(room, self._chance.sample(EVERYWHERE, 3))

    def sense(self, room: str, layer: str, text: str) -> int:
        """Something on one other layer, and its stamp."""
        return self._observe(room, **{layer: text})

    def _observe(self, room: str, **layers: str) -> int:
        x_m, y_m = middle_m(room)
        at_m = (x_m + self._jitter_m(), y_m + self._jitter_m())
        stamp_ns = self.now_ns
        self._told += [Told(stamp_ns, layer, text, at_m) for layer, text in layers.items()]
        self.now_ns += VIEW_NS
        return stamp_ns

    def _jitter_m(self) -> float:
        return round(self._chance.uniform(-JITTER_M, JITTER_M), 3)


def _a(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
