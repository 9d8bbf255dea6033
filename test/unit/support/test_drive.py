"""The motion of the simulated base."""

from __future__ import annotations

import itertools
import math

import pytest

from memory_test_support.drive import FloorPose, Limits, remaining_s, step

LIMITS = Limits(max_speed_mps=0.5, max_turn_radps=1.0)
DT_S = 0.02


def _drive(start: FloorPose, goal: FloorPose) -> list[FloorPose]:
    poses = [start]
    while poses[-1] != goal:
        assert len(poses) < 5000, "never arrives"
        poses.append(step(poses[-1], goal, DT_S, LIMITS))
    return poses


@pytest.mark.parametrize(
    ("start", "goal"),
    [
        (FloorPose(0, 0, 0), FloorPose(1, 0, 0)),
        (FloorPose(0, 0, 0), FloorPose(-1, -1, 3.1)),
        (FloorPose(2, 1, -3.1), FloorPose(2, 1, 3.1)),
        (FloorPose(2, 1, 0.3), FloorPose(2, 1, 0.3)),
        (FloorPose(0.1, 0.2, 1.0), FloorPose(0.1 + 1e-7, 0.2, -2.0)),
    ],
)
def test_drive_lands_on_the_goal_within_the_limits(start: FloorPose, goal: FloorPose) -> None:
    poses = _drive(start, goal)
    for before, after in itertools.pairwise(poses):
        moved = math.hypot(after.x_m - before.x_m, after.y_m - before.y_m)
        turned = abs(math.remainder(after.yaw_rad - before.yaw_rad, math.tau))
        assert moved <= LIMITS.max_speed_mps * DT_S + 1e-9
        assert turned <= LIMITS.max_turn_radps * DT_S + 1e-6


def test_a_differential_drive_moves_only_where_it_looks() -> None:
    poses = _drive(FloorPose(0, 0, 0), FloorPose(1, 2, -1))
    for before, after in itertools.pairwise(poses):
        shift = (after.x_m - before.x_m, after.y_m - before.y_m)
        sideways = -math.sin(after.yaw_rad) * shift[0] + math.cos(after.yaw_rad) * shift[1]
        assert sideways == pytest.approx(0.0, abs=1e-9)


def test_remaining_time_is_that_of_the_three_legs() -> None:
    # By hand: a quarter turn (1 rad/s), 2 m at 0.5 m/s, a quarter turn back.
    start, goal = FloorPose(0, 0, 0), FloorPose(0, 2, 0)
    assert remaining_s(start, goal, LIMITS) == pytest.approx(math.pi / 2 + 4 + math.pi / 2)
    assert len(_drive(start, goal)) * DT_S == pytest.approx(math.pi + 4, abs=0.2)
