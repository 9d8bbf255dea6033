"""Which stamps cannot be of the node's clock."""

from __future__ import annotations

import pytest

from memory_nodes.perception.clocks import clock_problem
from memory_nodes.records import NS_PER_S

WALL_NS = 1_700_000_000 * NS_PER_S


@pytest.mark.parametrize(
    ("stamp_ns", "now_ns", "is_simulated"),
    [
        (WALL_NS, WALL_NS, False),
        (5 * NS_PER_S, WALL_NS, False),  # a recording without its clock
        (0, 1, True),  # simulated time starts at 0
        (NS_PER_S, 0, True),
        (WALL_NS, 0, True),  # no /clock yet
        (WALL_NS, WALL_NS - NS_PER_S, True),
    ],
)
def test_stamp_that_may_be_right_is_no_problem(
    stamp_ns: int, now_ns: int, is_simulated: bool
) -> None:
    assert clock_problem(stamp_ns, now_ns, is_simulated) is None


def test_stamp_0_under_wall_time_names_the_driver() -> None:
    assert "driver" in (clock_problem(0, WALL_NS, False) or "")


def test_wall_stamp_under_simulated_time_names_both_clocks() -> None:
    problem = clock_problem(1574652168 * NS_PER_S, 3 * NS_PER_S, True) or ""
    assert "1574652168 s" in problem
    assert "/clock says 3 s" in problem
