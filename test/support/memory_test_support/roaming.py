"""Days of a robot that wanders from place to place in a large building, the same at each run."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

from memory_nodes.geometry import Pose
from memory_nodes.records import NS_PER_S, Observation

START_NS = 1_750_000_000 * NS_PER_S
AREA_M = 50.0
PLACE_M = 5.0
"""Between the middles of neighbouring places."""
REST_S = 3_600.0
"""After each tour."""
VIEWS_PER_TOUR = 250
_SPEED_MPS = 0.5
_PERIOD_S = 4.0
_BATTERY_EVERY = 10
_ROOMS = "kitchen office hall lab store library lounge workshop".split()
_THINGS = (
    "mug chair table sofa lamp laptop book bottle plant clock bowl plate kettle toaster stove sink "
    "towel mirror bed pillow drawer shelf phone keyboard backpack umbrella basket broom bucket"
).split()
_COLORS = "red blue green white black".split()


def observations(count: int, seed: int = 5) -> Iterator[Observation]:
    """So many, in the order of their stamps: a random walk through a grid of places.

    A view gives a description, its detections and the place; every tenth the battery as well. The
    robot lingers at each place, walks on to a neighbouring one, and rests after VIEWS_PER_TOUR.
    """
    number = 0
    for stamp_ns, x_m, y_m, view in _views(random.Random(seed)):
        for layer, text in _layers(x_m, y_m, view):
            yield Observation(
                stamp_ns=stamp_ns,
                map_id="map",
                map_frame="map",
                layer=layer,
                text=text,
                map_from_base=Pose((x_m, y_m, 0.0), (0.0, 0.0, 0.0, 1.0)),
            )
            number += 1
            if number == count:
                return


def _views(chance: random.Random) -> Iterator[tuple[int, float, float, int]]:
    """Stamp, place and number of each view."""
    time_s, view = 0.0, 0
    x_m = y_m = AREA_M / 2.0
    while True:
        to_x_m, to_y_m = _next_place(x_m, y_m, chance)
        steps = max(1, math.ceil(math.dist((x_m, y_m), (to_x_m, to_y_m)) / _SPEED_MPS / _PERIOD_S))
        way = [(step + 1) / steps for step in range(steps)]
        for share in (*way, *[1.0] * chance.randrange(12)):
            here_x_m, here_y_m = x_m + share * (to_x_m - x_m), y_m + share * (to_y_m - y_m)
            yield START_NS + round(time_s * NS_PER_S), here_x_m, here_y_m, view
            view += 1
            time_s += _PERIOD_S + (REST_S if view % VIEWS_PER_TOUR == 0 else 0.0)
        x_m, y_m = to_x_m, to_y_m


def _next_place(x_m: float, y_m: float, chance: random.Random) -> tuple[float, float]:
    """Somewhere in a place beside the one that the robot is in, within the building."""
    return (
        min(AREA_M, max(0.0, x_m + chance.choice((-1, 0, 1)) * PLACE_M + chance.uniform(-1, 1))),
        min(AREA_M, max(0.0, y_m + chance.choice((-1, 0, 1)) * PLACE_M + chance.uniform(-1, 1))),
    )


def _layers(x_m: float, y_m: float, view: int) -> list[tuple[str, str]]:
    """What stands in a place is drawn once for it; each view shows three of the things."""
    place = (int(x_m // PLACE_M), int(y_m // PLACE_M))
    of_place = random.Random(f"{place}")
    room = of_place.choice(_ROOMS)
    things = [f"{of_place.choice(_COLORS)} {thing}" for thing in of_place.sample(_THINGS, 8)]
    shown = [things[(view + offset) % len(things)] for offset in range(3)]
    layers = [
        ("description", f"A {room} with a {shown[0]} beside a {shown[1]}, and a {shown[2]}."),
        ("detections", ", ".join(shown)),
        ("place", room),
    ]
    if view % _BATTERY_EVERY == 0:
        layers.append(("battery", f"{100 - view // 50 % 80} %"))
    return layers
