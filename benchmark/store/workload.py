"""Thirty days of a robot's patrol in a 50 m by 50 m building, the same at each run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from memory_nodes.records import NS_PER_S

DAY_NS = 86_400 * NS_PER_S
DAYS = 30
"""One patrol and one episode a day."""
START_NS = 1_750_000_000 * NS_PER_S
END_NS = START_NS + DAYS * DAY_NS
"""When the questions are asked."""
ARCHIVE_AFTER_NS = 3 * DAY_NS

_PATROL_NS = 7_200 * NS_PER_S
_AREA_M = 50.0
_CELL_M = 5.0
_THINGS_PER_CELL = 8
_VIEWS_PER_BATTERY = 10
_DISTINCT_WORDS = 1_000

COLORS = "red blue green yellow white black brown grey orange purple silver wooden".split()
OBJECTS = (
    "mug chair table sofa lamp laptop book bottle plant clock bowl plate knife kettle toaster "
    "fridge stove sink towel mirror bed pillow blanket drawer shelf television remote phone "
    "keyboard backpack umbrella basket bin broom bucket ladder toolbox drill hammer box pallet "
    "forklift cone extinguisher door window rug painting vase candle guitar bicycle helmet shoe "
    "jacket hat scarf printer monitor cable charger microscope beaker"
).split()
ROOMS = (
    "kitchen bedroom bathroom hallway office garage pantry corridor workshop storeroom lobby "
    "laboratory"
).split()
RELATIONS = ["next to", "on top of", "under", "behind", "in front of", "beside"]


@dataclass(frozen=True)
class Sighting:
    """One observation of the workload; ``is_body`` for a reading of the robot itself."""

    text: str
    x_m: float
    y_m: float
    stamp_ns: int
    layer: str
    is_body: bool = False


@dataclass(frozen=True)
class Question:
    """A text to look for, and a place and a moment that narrow the search."""

    text: str
    x_m: float
    y_m: float
    stamp_ns: int


@dataclass
class _Building:
    """What stands in each cell; a cell is furnished when the robot first comes to it."""

    chance: random.Random
    cells: dict[tuple[int, int], tuple[str, list[str]]] = field(default_factory=dict)

    def view(self, x_m: float, y_m: float) -> tuple[str, list[str]]:
        """The room, and three of the things in it."""
        chance, cell = self.chance, (int(x_m // _CELL_M), int(y_m // _CELL_M))
        if cell not in self.cells:
            room = chance.choice(ROOMS)
            things = [
                f"{chance.choice(COLORS)} {chance.choice(OBJECTS)}" for _ in range(_THINGS_PER_CELL)
            ]
            self.cells[cell] = room, things
        room, things = self.cells[cell]
        return room, chance.sample(things, 3)


def sightings(size: int, is_distinct: bool = False, seed: int = 7) -> Iterator[Sighting]:
    """``size`` observations in the order of their stamps.

    A view gives a description, its detections and the room; each tenth the battery as well.
    Texts repeat, as a robot's do, unless ``is_distinct`` appends a serial number in two words.
    """
    chance = random.Random(seed)
    building = _Building(chance)
    number = view = 0
    while number < size:
        x_m, y_m = chance.uniform(0, _AREA_M), chance.uniform(0, _AREA_M)
        layers = _texts(*building.view(x_m, y_m), chance)
        if view % _VIEWS_PER_BATTERY == 0:
            layers["battery"] = f"battery: {100 - (number * 100 // size) % 100}%"
        for layer, text in list(layers.items())[: size - number]:
            if is_distinct:
                text += f" s{number // _DISTINCT_WORDS} n{number % _DISTINCT_WORDS}"
            stamp_ns = _stamp_ns(number, sightings_per_day(size))
            yield Sighting(text, x_m, y_m, stamp_ns, layer, layer == "battery")
            number += 1
        view += 1


def days(size: int, is_distinct: bool = False) -> Iterator[list[Sighting]]:
    """The same observations, those of each day together."""
    day: list[Sighting] = []
    for sighting in sightings(size, is_distinct):
        day.append(sighting)
        if len(day) == sightings_per_day(size):
            yield day
            day = []
    if day:
        yield day


def questions(count: int, seed: int = 11) -> list[Question]:
    """What is asked; most of the colour and object pairs stand nowhere."""
    chance = random.Random(seed)
    return [_question(chance) for _ in range(count)]


def sightings_per_day(size: int) -> int:
    return -(-size // DAYS)


def _texts(room: str, things: list[str], chance: random.Random) -> dict[str, str]:
    first, second, third = things
    relation = chance.choice(RELATIONS)
    return {
        "description": f"A {first} {relation} a {second} in the {room}, "
        f"with a {third} visible in the background",
        "detections": ", ".join(things),
        "place": room,
    }


def _stamp_ns(number: int, per_day: int) -> int:
    day, of_day = divmod(number, per_day)
    return START_NS + day * DAY_NS + of_day * _PATROL_NS // per_day


def _question(chance: random.Random) -> Question:
    color, thing = chance.choice(COLORS), chance.choice(OBJECTS)
    room = chance.choice(ROOMS)
    wordings = [
        f"{color} {thing}",
        f"where is the {color} {thing}",
        f"{thing} in the {room}",
        f"a {color} {thing} near a {chance.choice(OBJECTS)}",
    ]
    text = chance.choice(wordings)
    x_m, y_m = chance.uniform(0, _AREA_M), chance.uniform(0, _AREA_M)
    day = chance.randrange(DAYS)
    second_s = chance.uniform(3600, 7200)
    return Question(text, x_m, y_m, START_NS + day * DAY_NS + round(second_s * NS_PER_S))
