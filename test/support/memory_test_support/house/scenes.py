"""The houses that identities are measured in."""

from __future__ import annotations

import math
from itertools import product

from memory_nodes.geometry import Pose
from memory_test_support.house.kinds import COLORS, KINDS
from memory_test_support.house.plan import House, Slot, Thing, Waypoint, ring, standing
from memory_test_support.model_server.chance import pick

ROOM_PITCH_M = 9.0
ROOM_CENTRE_Y_M = 6.5
RING_RADIUS_M = 2.2
RING_STOPS = 8
DINING_RADIUS_M = 3.0
DINING_KEYFRAMES = 16
CORRIDOR_STEP_M = 1.5
DOORS_X_M = (0.0, 20.0, 40.0)

# Places relative to the middle of a room of 7 m by 7 m.
_NORTH, _SOUTH, _WEST = (0.0, 3.1), (0.0, -3.1), (-3.0, 0.0)
_CHAIRS_M = ((-1.0, 0.9), (0.0, 0.9), (1.0, 0.9), (-0.5, -0.9), (0.5, -0.9))
_FLOOR_M = ((-2.8, 2.6), (-2.8, -2.6), (2.8, -2.6), (3.0, -0.8), (3.0, 0.8))
_TOP_M = (-0.7, 0.0, 0.7)
_WALL_M = tuple(product((-0.9, -0.3, 0.3, 0.9), (0.3, 0.9, 1.5)))

_FURNITURE = {
    "kitchen": (
        *(("counter", "grey", _NORTH), ("shelf", "white", _SOUTH), ("fridge", "grey", _WEST)),
        *(("table", "brown", (0.0, 0.0)), *(("chair", "brown", place) for place in _CHAIRS_M)),
    ),
    "living_room": (
        *(("tv_stand", "black", _NORTH), ("bookcase", "brown", _SOUTH)),
        *(("sofa", "green", _WEST), ("coffee_table", "white", (0.0, 0.0))),
    ),
    "office": (
        *(("cabinet", "grey", _NORTH), ("sideboard", "white", _SOUTH)),
        *(("desk", "white", (0.0, 0.0)), ("printer", "black", _WEST)),
    ),
    "bedroom": (
        *(("dresser", "white", _NORTH), ("trunk", "brown", _SOUTH)),
        *(("bed", "blue", (0.0, 0.0)), ("wardrobe", "brown", _WEST)),
    ),
}
_MOVABLE = (
    *(("backpack", "red"), ("backpack", "blue"), ("plant", "white"), ("plant", "brown")),
    *(("lamp", "black"), ("lamp", "yellow"), ("cushion", "green"), ("cushion", "grey")),
    *(("kettle", "grey"), ("bowl", "blue"), ("laptop", "black"), ("ball", "red")),
    *(("teddy", "brown"), ("carton", "brown"), ("globe", "blue"), ("helmet", "white")),
    *(("basket", "yellow"), ("radio", "red"), ("vase", "green"), ("watering_can", "green")),
    *(("fan", "white"), ("toolbox", "red"), ("carton", "white"), ("ball", "yellow")),
    *(("helmet", "black"), ("bowl", "white"), ("basket", "grey"), ("radio", "black")),
)


def family_house() -> House:
    """Four rooms at a corridor: a dining table with five equal chairs, three equal doors.

    Movable things stand in 28 of the 44 slots.
    """
    things, waypoints = _corridor()
    slots: list[Slot] = []
    for number, (room, furniture) in enumerate(_FURNITURE.items()):
        x_m = ROOM_PITCH_M * number + 3.5
        for name, color, (dx_m, dy_m) in furniture:
            things.append(_thing(things, name, color, room, (x_m + dx_m, ROOM_CENTRE_Y_M + dy_m)))
        heights_m = [KINDS[name].size_m[2] for name, _, _ in furniture[:2]]
        slots += _slots(room, x_m, heights_m)
        centre_m = (x_m, ROOM_CENTRE_Y_M)
        waypoints += ring(room, centre_m, RING_RADIUS_M, RING_STOPS, looks_ahead=True)
    # A stride that has no divisor in common with the number of slots spreads things over rooms.
    for index, (name, color) in enumerate(_MOVABLE):
        slot = slots[index * 5 % len(slots)]
        x_m, y_m, z_m = slot.bottom_m
        things.append(_thing(things, name, color, slot.room, (x_m, y_m), z_m, True))
    return House(tuple(things), tuple(waypoints), tuple(slots))


def one_chair(keyframes: int) -> House:
    """A chair, and a round about it of so many keyframes."""
    chair = standing("chair_1", KINDS["chair"], "brown", "hall", (0.0, 0.0, 0.0))
    return House((chair,), ring("hall", (0.0, 0.0), 2.5, keyframes))


def dining_table() -> House:
    """Five equal chairs, a metre apart, at a table."""
    things: list[Thing] = []
    for name, color, place in _FURNITURE["kitchen"]:
        if name in ("table", "chair"):
            things.append(_thing(things, name, color, "kitchen", place))
    return House(tuple(things), ring("kitchen", (0.0, 0.0), DINING_RADIUS_M, DINING_KEYFRAMES))


def store_rooms(count: int) -> House:
    """So many things, twelve on the wall of each room; two looks at each, then at one again.

    The room that is seen again, by the last two waypoints, is the one in the middle.
    """
    names = sorted({name for name, _ in _MOVABLE})
    rooms = math.ceil(count / len(_WALL_M))
    middles_m = [(5.0 * (number % 30), 5.0 * (number // 30)) for number in range(rooms)]
    things = []
    for index in range(count):
        number, (dy_m, z_m) = index // len(_WALL_M), _WALL_M[index % len(_WALL_M)]
        x_m, y_m = middles_m[number]
        kind, color = KINDS[pick(names, index, "name")], pick(COLORS, index, "color")
        bottom_m = (x_m + 3.5, y_m + dy_m, z_m)
        things.append(standing(f"thing_{index + 1}", kind, color, f"store_{number}", bottom_m))
    waypoints = [
        Waypoint(f"store_{number}", Pose.planar(x_m, y_m + dy_m, 0.0))
        for number, (x_m, y_m) in enumerate(middles_m)
        for dy_m in (-0.4, 0.4)
    ]
    middle = 2 * (rooms // 2)
    return House(tuple(things), (*waypoints, *waypoints[middle : middle + 2]))


def _corridor() -> tuple[list[Thing], list[Waypoint]]:
    """44 m along x with equal doors, and a few things of its own."""
    things: list[Thing] = []
    for x_m in DOORS_X_M:
        things.append(_thing(things, "door", "white", "corridor", (x_m, 0.95)))
    things.append(_thing(things, "bench", "brown", "corridor", (12.0, 0.7)))
    things.append(_thing(things, "extinguisher", "red", "corridor", (30.0, -0.8)))
    steps = round(46.0 / CORRIDOR_STEP_M)
    route = [Pose.planar(-4.5 + CORRIDOR_STEP_M * step, 0.0, 0.0) for step in range(steps)]
    return things, [Waypoint("corridor", base) for base in route]


def _slots(room: str, x_m: float, heights_m: list[float]) -> list[Slot]:
    """On the furniture at the north and south wall, and on the floor at the others."""
    places = [
        (dx_m, wall[1], height_m)
        for wall, height_m in zip((_NORTH, _SOUTH), heights_m, strict=True)
        for dx_m in _TOP_M
    ]
    places += [(dx_m, dy_m, 0.0) for dx_m, dy_m in _FLOOR_M]
    return [Slot(room, (x_m + dx_m, ROOM_CENTRE_Y_M + dy_m, z_m)) for dx_m, dy_m, z_m in places]


def _thing(
    made: list[Thing],
    name: str,
    color: str,
    room: str,
    place_m: tuple[float, float],
    bottom_z_m: float = 0.0,
    is_movable: bool = False,
) -> Thing:
    """Numbered after those of its kind that were made before."""
    number = 1 + sum(thing.kind.name == name for thing in made)
    bottom_m = (*place_m, bottom_z_m)
    return standing(f"{name}_{number}", KINDS[name], color, room, bottom_m, is_movable)
