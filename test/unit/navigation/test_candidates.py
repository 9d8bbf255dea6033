"""Which poses are driven to, and in which order."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from memory_nodes.geometry import Pose, Vector3
from memory_nodes.navigation.candidates import (
    CandidatesConfig,
    Choice,
    Sight,
    Target,
    choose,
    target_of,
)
from memory_nodes.navigation.outcomes import Cause
from memory_nodes.navigation.safety import Rules, SafetyConfig
from memory_nodes.records import Keyframe
from memory_test_support.records import descriptor, keyframe, point, view

RULES = Rules("map")
BEFORE = keyframe(1, base=Pose.planar(0.0, 0.0, 0.0))
"""Looks along x."""
TILTED = Pose((1.0, 2.0, 0.3), (0.1, 0.2, 0.3, math.sqrt(1.0 - 0.14)))


def chosen(*sights: Sight, rules: Rules = RULES, standoff_m: float = 1.0) -> Choice:
    return choose(sights, rules, 10**12, CandidatesConfig(standoff_m=standoff_m))


def mug(x_m: float, y_m: float, sigma_m: float = 0.1) -> Target:
    return Target("mug_1", "the mug", position=point(x_m, y_m, 1.0, sigma_m))


def planar(pose: Pose) -> Vector3:
    return (pose.position_m[0], pose.position_m[1], pose.yaw_rad)


def test_goal_is_the_base_on_the_floor_with_yaw_only() -> None:
    (candidate,) = chosen(Sight(keyframe(1, base=TILTED))).candidates
    goal = candidate.map_from_goal
    assert goal.position_m == (1.0, 2.0, 0.0)
    assert goal.quat_xyzw[:2] == (0.0, 0.0)
    x, y, z, w = TILTED.quat_xyzw  # yaw by the textbook formula
    yaw_rad = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    assert goal.yaw_rad == pytest.approx(yaw_rad)


def test_stand_off_is_on_the_line_of_sight_and_faces_the_thing() -> None:
    """By hand: from the origin to (3, 4) are 5 m; 1 m before it is at 4/5 of the way."""
    facing = keyframe(1, base=Pose.planar(0.0, 0.0, math.atan2(4.0, 3.0) + 0.1))
    first, second = chosen(Sight(facing, mug(3.0, 4.0)), standoff_m=1.0).candidates
    assert planar(first.map_from_goal) == pytest.approx((2.4, 3.2, math.atan2(4.0, 3.0)))
    assert second.map_from_goal == facing.map_from_base.on_floor()


@pytest.mark.parametrize(
    ("target", "standoff_m"),
    [
        (mug(3.0, 0.0, sigma_m=0.31), 1.0),  # known too roughly
        (mug(0.9, 0.0), 1.0),  # the robot stood nearer than that
        (mug(-3.0, 0.0), 1.0),  # behind it: this keyframe does not show the place
        (mug(3.0, 0.0), 0.0),
        (Target("mug_1", "the mug"), 1.0),
        (None, 1.0),
    ],
)
def test_without_a_place_to_face_the_robot_stands_where_it_stood(
    target: Target | None, standoff_m: float
) -> None:
    (candidate,) = chosen(Sight(BEFORE, target), standoff_m=standoff_m).candidates
    assert candidate.map_from_goal == BEFORE.map_from_base


def test_candidates_stand_in_the_order_of_the_sights() -> None:
    farther = keyframe(2, base=Pose.planar(-1.0, 0.0, 0.0))
    found = chosen(Sight(BEFORE, mug(3.0, 0.0)), Sight(farther, mug(3.0, 0.0))).candidates
    assert [item.map_from_goal.position_m[0] for item in found] == [2.0, 0.0, 2.0, -1.0]


def test_pose_in_a_forbidden_area_is_left_out_and_the_other_kept() -> None:
    rules = Rules.of(SafetyConfig(keep_out=("1.5 -1, 2.5 -1, 2.5 1, 1.5 1",)), "map")
    (left,) = chosen(Sight(BEFORE, mug(3.0, 0.0)), rules=rules).candidates
    assert left.map_from_goal.position_m[0] == 0.0
    rules = Rules.of(SafetyConfig(keep_out=("-1 -1, 2.5 -1, 2.5 1, -1 1",)), "map")
    assert chosen(Sight(BEFORE, mug(3.0, 0.0)), rules=rules) == Choice((), Cause.KEPT_OUT)


def test_refusal_tells_of_this_map_rather_than_of_another() -> None:
    elsewhere = Sight(keyframe(1, map_id="other"))
    unsure = Sight(replace(keyframe(2), is_localized=False))
    assert chosen(elsewhere).refusal is Cause.OTHER_MAP
    assert chosen(elsewhere, unsure).refusal is Cause.UNSURE_PLACE
    assert chosen().refusal is Cause.NEVER_SEEN


def test_of_a_thousand_random_memories_none_of_another_map_is_a_candidate() -> None:
    chance = random.Random(8)
    names = ["map", "Map", "map ", "", "other", "map2"]
    for _ in range(1000):
        sights = [Sight(_random_keyframe(chance, names)) for _ in range(chance.randrange(6))]
        choice = chosen(*sights)
        wanted = [s.keyframe for s in sights if s.keyframe.map_id == "map"]
        assert [item.keyframe for item in choice.candidates] == wanted
        assert (choice.refusal is None) == bool(wanted)


def _random_keyframe(chance: random.Random, names: list[str]) -> Keyframe:
    return keyframe(chance.randrange(1, 100), map_id=chance.choice(names))


def test_position_counts_only_on_the_map_of_the_newest_view() -> None:
    here, elsewhere = keyframe(1), keyframe(2, map_id="other")
    known = {1: here, 2: elsewhere}
    thing = descriptor("mug_1", view(1), view(2), position=point(3.0, 0.0))
    assert target_of(thing, known, "other").position == thing.position
    assert target_of(thing, known, "map").position is None
    rough = replace(thing, position=point(3.0, 0.0, sigma_m=1.5))
    assert target_of(rough, known, "other").position is None


def test_thing_is_called_by_its_name_or_its_type() -> None:
    thing = descriptor("coffee_machine_1", view(1))
    assert target_of(thing, {1: keyframe(1)}, "map").words == "the coffee machine"
    named = replace(thing, name="Jura")
    assert target_of(named, {1: keyframe(1)}, "map").words == "Jura"
