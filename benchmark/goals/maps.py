"""Random memories of several maps: what of them is driven to?"""

from __future__ import annotations

import random

from benchmark.goals.judging import goals_sent
from memory_nodes.geometry import Pose
from memory_nodes.navigation.candidates import Sight, target_of
from memory_nodes.navigation.safety import Rules, SafetyConfig
from memory_nodes.records import NS_PER_S, Keyframe
from memory_test_support.floor_plan import Area, FloorPlan, PlanOfFloor
from memory_test_support.records import descriptor, keyframe, point, view

CASES = 1000
NAMES = ("map", "Map", "map ", "map_2", "house", "")
"""Of which some are easily taken for others."""
APART_M = 1000.0
"""Each map lies so far from the one before: a pose tells whose it is."""
OPEN = FloorPlan(Area(-1e6, -1e6, 1e6, 1e6))


def other_map_goals(cases: int) -> int:
    """How many goals lie on another map than the one that the robot is on."""
    return sum(_strayed(random.Random(number)) for number in range(cases))


def _strayed(chance: random.Random) -> int:
    here = chance.choice(NAMES)
    keyframes = [_keyframe(key, chance) for key in range(1, chance.randrange(2, 12))]
    newest = keyframes[-1]
    x_m = newest.map_from_base.position_m[0] + 2.0
    thing = descriptor(
        "mug_1",
        *(view(item.keyframe_id) for item in keyframes),
        position=point(x_m, 0.0, 1.0) if chance.random() < 0.7 else None,
    )
    known = {item.keyframe_id: item for item in keyframes}
    target = target_of(thing, known, here)
    sights = [Sight(item, target if chance.random() < 0.8 else None) for item in keyframes]
    allowed = tuple(chance.sample(NAMES, 2)) if chance.random() < 0.3 else ("",)
    rules = Rules.of(SafetyConfig(allowed_maps=allowed), here)
    robot = Pose.planar(_origin_m(here), 0.0, 0.0)
    planner = PlanOfFloor(OPEN, robot, has_paths=False)
    goals = goals_sent(sights, planner, rules, 100 * NS_PER_S)
    return sum(abs(goal.position_m[0] - _origin_m(here)) > APART_M / 2.0 for goal in goals)


def _keyframe(key: int, chance: random.Random) -> Keyframe:
    name = chance.choice(NAMES)
    base = Pose.planar(_origin_m(name) + chance.uniform(-2.0, 2.0), chance.uniform(-1.0, 1.0), 0.0)
    return keyframe(key, base=base, map_id=name)


def _origin_m(name: str) -> float:
    return APART_M * NAMES.index(name)
