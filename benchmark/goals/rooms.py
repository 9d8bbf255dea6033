"""Synthetic rooms: walls that hide, tables that do not, and what was put there since."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace

from benchmark.goals.judging import NEAR_M, fault_of, goals_sent
from memory_nodes.geometry import Pose, Vector3
from memory_nodes.navigation.candidates import Sight, Target
from memory_nodes.navigation.safety import Rules
from memory_nodes.navigation.standoff import floor_distance_m
from memory_nodes.records import NS_PER_S, Keyframe
from memory_test_support.floor_plan import Area, FloorPlan, PlanOfFloor
from memory_test_support.records import keyframe, point

ROOMS = 200
SIDE_M = 8.0
SIGMA_M = 0.1
"""Of the remembered place, on each axis."""
VIEWS = 4
VIEW_RANGE_M = (0.8, 4.0)
GRID_M = 0.2
MAX_DRAWS = 2000


@dataclass(frozen=True)
class Room:
    """A room as it is now, and what is remembered of one thing in it."""

    floor: FloorPlan
    robot: Pose
    thing_m: Vector3
    sights: tuple[Sight, ...]


def good_goals_in_rooms(count: int) -> list[str]:
    """What is wrong with the goal in each room; empty where nothing is."""
    return [_fault(room(number)) for number in range(count)]


def room(seed: int) -> Room:
    """A room in which there is a good place to stand, which is not always a remembered one.

    The thing stands on a table, or at a wall. It was seen from up to four places, along free lines
    of sight. Then boxes were put on the floor, one of them often where the robot stood or would
    stand.
    """
    chance = random.Random(seed)
    while True:
        made = _drawn(chance)
        if made is not None and _has_good_place(made):
            return made


def _fault(made: Room) -> str:
    planner = PlanOfFloor(made.floor, made.robot)
    goals = goals_sent(made.sights, planner, Rules("map"), 100 * NS_PER_S)
    return fault_of(goals, made.thing_m, made.floor)


def _drawn(chance: random.Random) -> Room | None:
    inside = Area(0.0, 0.0, SIDE_M, SIDE_M)
    walls = tuple(_wall(chance) for _ in range(3))
    tables = tuple(_box(chance, 0.5, 1.4) for _ in range(3))
    before = FloorPlan(inside, walls, tables)
    table = chance.choice(tables)
    thing_m = (
        chance.uniform(table.x0_m + 0.1, table.x1_m - 0.1),
        chance.uniform(table.y0_m + 0.1, table.y1_m - 0.1),
        0.9,
    )
    seen_from = _views(chance, before, thing_m)
    robot = _free_pose(chance, before)
    if not seen_from or robot is None:
        return None
    x_m, y_m = (value + chance.gauss(0.0, SIGMA_M) for value in thing_m[:2])
    target = Target("thing_1", "the thing", position=point(x_m, y_m, thing_m[2], SIGMA_M))
    boxes = [_box(chance, 0.2, 0.6) for _ in range(3)]
    if chance.random() < 0.5:
        boxes.append(_box_at(chance, chance.choice(seen_from).map_from_base.position_m))
    if chance.random() < 0.5:
        boxes.append(_box_at(chance, _before(seen_from[0].map_from_base.position_m, thing_m)))
    now = replace(before, low=(*tables, *boxes))
    if not now.is_free(*robot.position_m[:2]):
        return None
    return Room(now, robot, thing_m, tuple(Sight(item, target) for item in seen_from))


def _views(chance: random.Random, floor: FloorPlan, thing_m: Vector3) -> list[Keyframe]:
    """From free places with a free line of sight, each looking at about the thing."""
    found: list[Keyframe] = []
    for _ in range(MAX_DRAWS):
        far_m, angle_rad = chance.uniform(*VIEW_RANGE_M), chance.uniform(-math.pi, math.pi)
        x_m = thing_m[0] + far_m * math.cos(angle_rad)
        y_m = thing_m[1] + far_m * math.sin(angle_rad)
        if floor.is_free(x_m, y_m) and floor.is_sight_free((x_m, y_m), thing_m):
            yaw_rad = angle_rad + math.pi + chance.uniform(-0.3, 0.3)
            base = Pose.planar(x_m, y_m, yaw_rad)
            found.append(keyframe(len(found) + 1, stamp_s=float(len(found)), base=base))
        if len(found) == VIEWS:
            break
    return found


def _free_pose(chance: random.Random, floor: FloorPlan) -> Pose | None:
    for _ in range(MAX_DRAWS):
        x_m, y_m = chance.uniform(0.0, SIDE_M), chance.uniform(0.0, SIDE_M)
        if floor.is_free(x_m, y_m):
            return Pose.planar(x_m, y_m, 0.0)
    return None


def _has_good_place(made: Room) -> bool:
    """Whether anywhere near the thing one could stand, see it and get to."""
    steps = math.floor(NEAR_M / GRID_M)
    for column in range(-steps, steps + 1):
        for row in range(-steps, steps + 1):
            here = (made.thing_m[0] + column * GRID_M, made.thing_m[1] + row * GRID_M, 0.0)
            if (
                made.floor.is_free(here[0], here[1])
                and floor_distance_m(here, made.thing_m) <= NEAR_M
                and made.floor.is_sight_free(here, made.thing_m)
                and made.floor.path(made.robot, Pose.planar(here[0], here[1], 0.0))
            ):
                return True
    return False


def _wall(chance: random.Random) -> Area:
    """Thin, along one of the axes."""
    length_m, x_m, y_m = chance.uniform(1.0, 3.5), *_place(chance)
    if chance.random() < 0.5:
        return Area(x_m, y_m, x_m + length_m, y_m + 0.1)
    return Area(x_m, y_m, x_m + 0.1, y_m + length_m)


def _box(chance: random.Random, low_m: float, high_m: float) -> Area:
    return _box_of(*_place(chance), chance.uniform(low_m, high_m), chance.uniform(low_m, high_m))


def _box_at(chance: random.Random, middle_m: Vector3) -> Area:
    """Something was put where the robot would stand, more or less."""
    x_m, y_m = (value + chance.uniform(-0.2, 0.2) for value in middle_m[:2])
    return _box_of(x_m, y_m, chance.uniform(0.2, 0.5), chance.uniform(0.2, 0.5))


def _box_of(x_m: float, y_m: float, width_m: float, depth_m: float) -> Area:
    half_m = (width_m / 2.0, depth_m / 2.0)
    return Area(x_m - half_m[0], y_m - half_m[1], x_m + half_m[0], y_m + half_m[1])


def _place(chance: random.Random) -> tuple[float, float]:
    return chance.uniform(0.5, SIDE_M - 0.5), chance.uniform(0.5, SIDE_M - 0.5)


def _before(seen_from_m: Vector3, thing_m: Vector3) -> Vector3:
    """One metre before the thing, on the side it was seen from."""
    away_m = max(floor_distance_m(seen_from_m, thing_m), 1.0)
    share = 1.0 / away_m
    x_m = thing_m[0] + share * (seen_from_m[0] - thing_m[0])
    y_m = thing_m[1] + share * (seen_from_m[1] - thing_m[1])
    return (x_m, y_m, 0.0)
