"""What is moved and what is taken away on each day."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from memory_test_support.house.options import HouseOptions
from memory_test_support.house.plan import House, Thing, standing
from memory_test_support.model_server.chance import draw, pick

MIN_MOVE_M = 1.5


@dataclass(frozen=True)
class Standing:
    """What stands in the house on one day, and what differs from the day before."""

    day: int
    things: tuple[Thing, ...]
    moved: frozenset[str]
    removed: tuple[Thing, ...]
    """At the places where they stood the day before."""


def days_of(house: House, options: HouseOptions) -> Iterator[Standing]:
    """Day 1 is the house as planned; what was removed never comes back.

    Things move in the night before a day, at least MIN_MOVE_M, to slots that were free by then.
    """
    things = {thing.thing_id: thing for thing in house.things}
    yield Standing(1, tuple(things.values()), frozenset(), ())
    for day in range(2, options.days + 1):
        moved: frozenset[str] = frozenset()
        removed: tuple[Thing, ...] = ()
        if day != options.down_day:
            order = _in_order_of_change(things, options, day)
            leaving = [things[name] for name in order[: options.removed_per_day]]
            moves = _moves(house, things, order[options.removed_per_day :], options, day)
            things.update(moves)
            for thing in leaving:
                del things[thing.thing_id]
            moved, removed = frozenset(moves), tuple(leaving)
        yield Standing(day, tuple(things.values()), moved, removed)


def _in_order_of_change(things: dict[str, Thing], options: HouseOptions, day: int) -> list[str]:
    movable = [name for name, thing in things.items() if thing.is_movable]
    return sorted(movable, key=lambda name: draw(options.seed, day, name, "change"))


def _moves(
    house: House, things: dict[str, Thing], order: list[str], options: HouseOptions, day: int
) -> dict[str, Thing]:
    """The first things of the order for which there is a slot, at their new places."""
    taken = {(thing.room, thing.bottom_m[:2]) for thing in things.values()}
    free = [slot for slot in house.slots if (slot.room, slot.bottom_m[:2]) not in taken]
    moves: dict[str, Thing] = {}
    for name in order:
        thing = things[name]
        reachable = [
            slot for slot in free if math.dist(thing.bottom_m, slot.bottom_m) >= MIN_MOVE_M
        ]
        if len(moves) == options.moved_per_day or not reachable:
            continue
        slot = pick(reachable, options.seed, day, name, "slot")
        free.remove(slot)
        moves[name] = standing(name, thing.kind, thing.color, slot.room, slot.bottom_m, True)
    return moves
