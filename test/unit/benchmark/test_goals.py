"""What the benchmark of goals calls good, and that it would notice a goal of another map."""

from __future__ import annotations

import pytest

from benchmark.goals import maps
from benchmark.goals.judging import fault_of
from benchmark.goals.rooms import room
from memory_nodes.geometry import Pose
from memory_nodes.navigation.safety import Rules
from memory_test_support.floor_plan import Area, FloorPlan

FLOOR = FloorPlan(
    Area(-5.0, -5.0, 5.0, 5.0),
    walls=(Area(1.0, -1.0, 1.1, 1.0),),
    low=(Area(-1.0, -1.0, -0.5, 1.0),),
)


@pytest.mark.parametrize(
    ("end", "thing_m", "fault"),
    [
        ((0.0, 0.0), (0.0, 1.5, 1.0), ""),
        ((0.0, 0.0), (0.0, 2.1, 1.0), "too far"),
        ((0.0, 0.0), (1.9, 0.0, 1.0), "hidden"),  # behind the wall
        ((0.0, 0.0), (-1.5, 0.0, 1.0), ""),  # beyond the table: one sees over it
        ((-0.4, 0.0), (0.0, 1.0, 1.0), "not free"),  # 0.1 m from the table
    ],
)
def test_fault_is_named(
    end: tuple[float, float], thing_m: tuple[float, float, float], fault: str
) -> None:
    assert fault_of([Pose.planar(*end, 0.0)], thing_m, FLOOR) == fault


def test_no_goal_is_a_fault() -> None:
    assert fault_of([], (0.0, 0.0, 0.0), FLOOR) == "no goal"


def test_last_goal_counts() -> None:
    goals = [Pose.planar(4.0, 4.0, 0.0), Pose.planar(0.0, 0.0, 0.0)]
    assert fault_of(goals, (0.0, 1.0, 1.0), FLOOR) == ""


def test_goal_of_another_map_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert maps.other_map_goals(30) == 0
    monkeypatch.setattr(Rules, "refusal_of", lambda *_: None)
    assert maps.other_map_goals(30) > 0


def test_room_is_the_same_each_time() -> None:
    assert room(3) == room(3)
    assert room(3) != room(4)
