"""A robot's year in a house: it sees everything on the first day, then goes its rounds."""

from __future__ import annotations

import random
from collections.abc import Iterator

from benchmark.retention.household import EVERYWHERE, ROOMS, SEEN
from memory_nodes.geometry import Pose
from memory_nodes.records import NS_PER_S, Observation

START_NS = 1_767_258_000 * NS_PER_S
"""The first of January 2026, 9 o'clock in Greenwich."""
DAY_NS = 86_400 * NS_PER_S
ROOM_M = 8.0
ROOMS_IN_A_ROW = 4
_VIEW_S = 20.0
_VIEWS = 5
_PER_VIEW = 3


def tour() -> Iterator[Observation]:
    """The first day: every room, with what stands in this one only."""
    yield from _walk(START_NS, SEEN, seed=0)


def round_of(day: int) -> Iterator[Observation]:
    """A later day: every room, with what every room has."""
    yield from _walk(START_NS + day * DAY_NS, {}, seed=day)


def _walk(start_ns: int, special: dict[str, list[str]], seed: int) -> Iterator[Observation]:
    chance = random.Random(seed)
    time_s = 0.0
    for number, room in enumerate(ROOMS):
        for view in range(_VIEWS):
            x_m = ROOM_M * (number % ROOMS_IN_A_ROW) + chance.uniform(-2.0, 2.0)
            y_m = ROOM_M * (number // ROOMS_IN_A_ROW) + chance.uniform(-2.0, 2.0)
            names = special.get(room, [])[view : view + 1]
            names += chance.sample(EVERYWHERE, _PER_VIEW - len(names))
            for layer, text in _layers(room, names, battery=100 - number):
                yield Observation(
                    stamp_ns=start_ns + round(time_s * NS_PER_S),
                    map_id="house",
                    map_frame="map",
                    layer=layer,
                    text=text,
                    map_from_base=Pose.planar(x_m, y_m, chance.uniform(-3.0, 3.0)),
                )
            time_s += _VIEW_S


def _layers(room: str, names: list[str], battery: int) -> Iterator[tuple[str, str]]:
    first, *others = names
    yield "description", f"A {room} with a {first}, and a {' and a '.join(others)} behind it."
    yield "detections", ", ".join(names)
    yield "place", room
    yield "battery", f"battery at {battery} %"
