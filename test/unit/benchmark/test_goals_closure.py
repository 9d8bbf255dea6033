"""Goals follow a closure of 0.4 m."""

from __future__ import annotations

import pytest

from benchmark.goals.closure import closure_figures


def test_goals_are_where_the_robot_was_after_a_closure_and_0_4_m_off_without() -> None:
    figures = closure_figures()
    assert figures["closure_goal_error_m"] < 0.05
    assert figures["closure_goal_error_uncorrected_m"] == pytest.approx(0.4, abs=0.05)
    assert figures["closure_yaw_error_rad"] < 0.01
