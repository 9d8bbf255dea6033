"""Jumps of the transform from map to odometry."""

from __future__ import annotations

import math

import pytest

from memory_nodes.geometry import Pose
from memory_nodes.mapping.jumps import Jumps


def test_step_is_the_way_that_the_odometry_moves_on_the_map() -> None:
    jumps = Jumps()
    assert jumps.heard(10, Pose.planar(0.0, 0.0, 0.0)) is None
    jump = jumps.heard(20, Pose.planar(0.3, 0.4, 0.0))
    assert jump is not None
    assert jump.distance_m == pytest.approx(0.5)
    assert (jumps.began_ns, jump.stamp_ns) == (10, 20)


def test_turn_counts_by_how_far_it_takes_the_robot() -> None:
    """At 10 m a turn of 0.1 rad is a chord of 2 * 10 * sin(0.05)."""
    jumps = Jumps()
    jumps.odom_from_base = Pose.planar(10.0, 0.0, 1.0)
    jumps.heard(10, Pose.identity())
    jump = jumps.heard(20, Pose.planar(0.0, 0.0, 0.1))
    assert jump is not None
    assert jump.distance_m == pytest.approx(20.0 * math.sin(0.05))


def test_largest_step_is_kept_until_it_is_forgotten() -> None:
    jumps = Jumps()
    for number, x_m in enumerate((0.0, 0.4, 0.41, 0.4)):
        jumps.heard(number, Pose.planar(x_m, 0.0, 0.0))
    assert jumps.largest is not None
    assert jumps.largest.stamp_ns == 1
    jumps.forget()
    assert jumps.largest is None


def test_time_that_jumps_back_begins_anew() -> None:
    jumps = Jumps()
    jumps.heard(100, Pose.identity())
    assert jumps.heard(50, Pose.planar(9.0, 0.0, 0.0)) is None
    assert (jumps.began_ns, jumps.largest) == (50, None)
