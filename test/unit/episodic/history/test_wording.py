"""A node's time is said as far as nothing above it says it."""

from __future__ import annotations

import pytest

from memory_nodes.episodic.history.wording import when
from memory_test_support.told import BERLIN, DAY_S, ns

MORNING_S = 1_788_760_800
"""Mon 7 Sep 2026, 8:00 in Berlin."""


@pytest.mark.parametrize(
    ("unit", "days", "expected"),
    [
        ("goal", 0.01, "08:00 to 08:14"),
        ("event", 0.0, "08:00"),
        ("group", 0.1, "08:00 to 10:24"),
        ("day", 0.1, "Mon 7 Sep 2026"),
        ("week", 4, "Mon 7 to Fri 11 Sep 2026"),
        ("month", 20, "Sep 2026"),
        ("year", 60, "2026"),
        ("root", 60, "Mon 7 Sep to Fri 6 Nov 2026"),
        ("root", 120, "Mon 7 Sep 2026 to Tue 5 Jan 2027"),
    ],
)
def test_each_unit_has_its_own_words(unit: str, days: float, expected: str) -> None:
    assert when(unit, ns(MORNING_S), ns(MORNING_S + days * DAY_S), BERLIN) == expected


@pytest.mark.parametrize(
    ("unit", "days", "days_above", "expected"),
    [
        ("day", 0.1, 20, "Mon 7"),
        ("day", 0.1, 60, "Mon 7 Sep"),
        ("day", 0.1, 120, "Mon 7 Sep 2026"),
        ("week", 4, 20, "Mon 7 to Fri 11"),
        ("week", 4, 60, "Mon 7 to Fri 11 Sep"),
        ("month", 20, 60, "Sep"),
        ("month", 20, 120, "Sep 2026"),
        ("goal", 0.01, 20, "08:00 to 08:14"),
    ],
)
def test_the_month_and_the_year_that_stand_above_are_not_said_again(
    unit: str, days: float, days_above: int, expected: str
) -> None:
    above = (ns(MORNING_S), ns(MORNING_S + days_above * DAY_S))
    assert when(unit, above[0], ns(MORNING_S + days * DAY_S), BERLIN, above) == expected


def test_simulated_time_has_days_by_number() -> None:
    assert when("week", 0, ns(2 * DAY_S), BERLIN) == "day 1 to day 3"
    assert when("month", 0, ns(20 * DAY_S), BERLIN) == "day 1 to day 21"
