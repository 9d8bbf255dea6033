"""The stand-in floor plan, by hand."""

from __future__ import annotations

import pytest

from memory_nodes.geometry import Pose
from memory_test_support.floor_plan import INSCRIBED, LETHAL, UNKNOWN, Area, FloorPlan

PLAN = FloorPlan(
    Area(0.0, 0.0, 4.0, 4.0),
    walls=(Area(2.0, 0.0, 2.1, 3.0),),
    unknown=(Area(3.0, 3.0, 4.0, 4.0),),
    robot_radius_m=0.2,
)


@pytest.mark.parametrize(
    ("x_m", "y_m", "cost"),
    [
        (1.0, 1.0, 0.0),
        (2.05, 1.0, LETHAL),
        (1.9, 1.0, INSCRIBED),
        (1.7, 1.0, 0.0),
        (3.5, 3.5, UNKNOWN),
        (4.1, 1.0, UNKNOWN),
    ],
)
def test_cost_is_that_of_the_cell(x_m: float, y_m: float, cost: float) -> None:
    assert PLAN.cost(x_m, y_m) == cost


def test_path_goes_around_the_wall_in_free_cells() -> None:
    start, goal = Pose.planar(1.0, 1.0, 0.0), Pose.planar(3.0, 1.0, 0.0)
    path = PLAN.path(start, goal)
    assert (path[0], path[-1]) == (start, goal)
    assert max(pose.position_m[1] for pose in path) > 3.0
    assert all(PLAN.is_free(*pose.position_m[:2]) for pose in path)


def test_no_path_leads_into_an_obstacle_or_off_the_map() -> None:
    start = Pose.planar(1.0, 1.0, 0.0)
    assert PLAN.path(start, Pose.planar(2.05, 1.0, 0.0)) == []
    assert PLAN.path(start, Pose.planar(9.0, 1.0, 0.0)) == []


def test_wall_hides_what_is_behind_it() -> None:
    assert not PLAN.is_sight_free((1.0, 1.0), (3.0, 1.0))
    assert PLAN.is_sight_free((1.0, 1.0), (1.0, 3.5))
    assert PLAN.is_sight_free((1.0, 1.0), (2.0, 1.0))  # it hangs on the wall
