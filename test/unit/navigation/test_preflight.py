"""A pose that is taken gives way to the nearest free one, or to the next candidate."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from memory_nodes.geometry import Pose
from memory_nodes.navigation.candidates import Candidate, Target
from memory_nodes.navigation.outcomes import Cause
from memory_nodes.navigation.preflight import Preflight, PreflightConfig
from memory_nodes.navigation.safety import Rules, SafetyConfig
from memory_nodes.navigation.standoff import bearing_rad
from memory_test_support.floor_plan import Area, FloorPlan, PlanOfFloor
from memory_test_support.records import keyframe, point

ROOM = FloorPlan(Area(-1.0, -3.0, 6.0, 3.0))
ROBOT = Pose.planar(0.0, 1.0, 0.0)
MUG = Target("mug_1", "the mug", position=point(3.0, 0.0, 1.0))
WANTED = Candidate(keyframe(1, base=Pose.planar(0.0, 0.0, 0.0)), Pose.planar(2.0, 0.0, 0.0), MUG)


def checked(
    floor: FloorPlan, candidate: Candidate = WANTED, keep_out: str = "", **config: float
) -> Candidate | Cause:
    return _checked(PlanOfFloor(floor, ROBOT), candidate, keep_out, **config)


def _checked(
    planner: PlanOfFloor, candidate: Candidate = WANTED, keep_out: str = "", **config: float
) -> Candidate | Cause:
    rules = Rules.of(SafetyConfig(keep_out=(keep_out,)), "map")
    preflight = Preflight(planner, PreflightConfig(**config))  # type: ignore[arg-type]
    return asyncio.run(preflight.checked(candidate, rules))


def test_free_pose_that_can_be_reached_is_kept() -> None:
    assert checked(ROOM) == WANTED


@pytest.mark.parametrize(
    "floor",
    [
        replace(ROOM, low=(Area(1.95, -0.05, 2.05, 0.05),)),
        replace(ROOM, unknown=(Area(1.8, -0.2, 2.2, 0.2),)),
    ],
)
def test_pose_that_is_taken_or_unknown_gives_way_to_a_free_one_near_it(floor: FloorPlan) -> None:
    found = checked(floor)
    assert isinstance(found, Candidate)
    x_m, y_m, _ = found.map_from_goal.position_m
    assert floor.is_free(x_m, y_m)
    assert 0.0 < found.moved_m <= 0.5
    assert found.moved_m == pytest.approx(((x_m - 2.0) ** 2 + y_m**2) ** 0.5)
    facing_rad = bearing_rad(found.map_from_goal.position_m, (3.0, 0.0, 1.0))
    assert found.map_from_goal.yaw_rad == pytest.approx(facing_rad)


def test_pose_off_the_map_gives_way_to_one_on_it() -> None:
    floor = replace(ROOM, bounds=Area(-1.0, -3.0, 1.8, 3.0))
    found = checked(floor)
    assert isinstance(found, Candidate)
    assert found.map_from_goal.position_m[0] <= 1.8


@pytest.mark.parametrize("cost", [253.0, 254.0, 255.0, -1.0])
def test_each_cost_that_is_not_free_blocks(cost: float) -> None:
    """Off the map Jazzy says -1, later ones 254 or 255."""

    class Costly(PlanOfFloor):
        async def costs(self, poses: Sequence[Pose]) -> Sequence[float]:
            return [cost] * len(poses)

    assert _checked(Costly(ROOM, ROBOT)) is Cause.OCCUPIED


def test_nothing_free_within_the_tolerance_is_occupied() -> None:
    table = replace(ROOM, low=(Area(1.0, -1.0, 3.0, 1.0),))
    assert checked(table) is Cause.OCCUPIED
    assert checked(replace(ROOM, low=(Area(1.9, -0.1, 2.1, 0.1),)), tolerance_m=0.0) is (
        Cause.OCCUPIED
    )


def test_place_behind_a_closed_wall_is_unreachable() -> None:
    walled = replace(ROOM, walls=(Area(1.0, -3.0, 1.1, 3.0),))
    assert checked(walled) is Cause.UNREACHABLE


def test_free_pose_near_by_is_never_in_a_forbidden_area() -> None:
    taken = replace(ROOM, low=(Area(1.95, -0.05, 2.05, 0.05),))
    planner = PlanOfFloor(taken, ROBOT, has_paths=False)
    free = _checked(planner, keep_out="1.5 0.1, 2.5 0.1, 2.5 1, 1.5 1")
    assert isinstance(free, Candidate)
    assert free.map_from_goal.position_m[1] < 0.1
    assert _checked(planner, keep_out="1 -2, 3 -2, 3 2, 1 2") is Cause.OCCUPIED


def test_way_through_a_forbidden_area_is_refused() -> None:
    assert checked(ROOM, keep_out="1 -4, 1.2 -4, 1.2 4, 1 4") is Cause.KEPT_OUT


def test_absent_servers_do_not_block() -> None:
    planner = PlanOfFloor(
        replace(ROOM, low=(Area(1.0, -1.0, 3.0, 1.0),)), ROBOT, has_costs=False, has_paths=False
    )
    assert _checked(planner) == WANTED


def test_planner_alone_refuses_what_it_cannot_reach() -> None:
    walled = replace(ROOM, walls=(Area(1.0, -3.0, 1.1, 3.0),))
    assert _checked(PlanOfFloor(walled, ROBOT, has_costs=False)) is Cause.UNREACHABLE


def test_costs_alone_move_a_pose_that_is_taken() -> None:
    taken = replace(ROOM, low=(Area(1.95, -0.05, 2.05, 0.05),))
    found = _checked(PlanOfFloor(taken, ROBOT, has_paths=False))
    assert isinstance(found, Candidate)
    assert found.moved_m > 0.0


def test_path_that_ends_beside_its_goal_is_none() -> None:
    """NavFn's own tolerance is half a metre: its path may end in another cell."""

    class Generous(PlanOfFloor):
        async def path(self, goal: Pose) -> list[Pose]:
            x_m, y_m, _ = goal.position_m
            return [ROBOT, Pose.planar(x_m - 0.4, y_m, 0.0)]

    assert _checked(Generous(ROOM, ROBOT)) is Cause.UNREACHABLE
    found = _checked(Generous(ROOM, ROBOT), path_end_m=0.5)
    assert isinstance(found, Candidate)
