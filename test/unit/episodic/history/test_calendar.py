"""Days, weeks, months and years are those of the robot's zone."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from memory_nodes.dates import Dates
from memory_nodes.episodic.history.calendar import Calendar, Period
from memory_nodes.records import NS_PER_S, HistoryUnit

ZONE = ZoneInfo("Europe/Berlin")
CALENDAR = Calendar(Dates("Europe/Berlin"))
HOUR_NS = 3600 * NS_PER_S


def _ns(*date_and_time: int) -> int:
    year, month, day, *clock = date_and_time
    hour = clock[0] if clock else 0
    return round(datetime(year, month, day, hour, tzinfo=ZONE).timestamp()) * NS_PER_S


@pytest.mark.parametrize(
    ("day", "hours"),
    [((2026, 10, 25), 25), ((2026, 3, 29), 23), ((2026, 12, 1), 24)],
)
def test_a_day_is_as_long_as_the_clock_change_makes_it(
    day: tuple[int, int, int], hours: int
) -> None:
    period = CALENDAR.period(HistoryUnit.DAY, _ns(*day, 12))
    assert period.start_ns == _ns(*day)
    assert period.end_ns - period.start_ns == hours * HOUR_NS


def test_the_last_hour_of_a_long_day_is_of_that_day() -> None:
    night_ns = _ns(2026, 10, 26) - NS_PER_S
    assert CALENDAR.period(HistoryUnit.DAY, night_ns).start_ns == _ns(2026, 10, 25)


def test_a_week_begins_on_monday_and_is_cut_where_a_month_ends() -> None:
    # 30 November 2026 is a Monday
    first = CALENDAR.period(HistoryUnit.WEEK, _ns(2026, 11, 30, 9))
    assert first == Period(_ns(2026, 11, 30), _ns(2026, 12, 1))
    second = CALENDAR.period(HistoryUnit.WEEK, _ns(2026, 12, 1, 9))
    assert second == Period(_ns(2026, 12, 1), _ns(2026, 12, 7))


def test_months_and_years_end_where_the_next_begins() -> None:
    stamp_ns = _ns(2028, 2, 29, 23)
    assert CALENDAR.period(HistoryUnit.MONTH, stamp_ns) == Period(_ns(2028, 2, 1), _ns(2028, 3, 1))
    assert CALENDAR.period(HistoryUnit.YEAR, stamp_ns) == Period(_ns(2028, 1, 1), _ns(2029, 1, 1))


def test_simulated_time_has_days_from_its_start() -> None:
    day_ns = 24 * HOUR_NS
    assert CALENDAR.period(HistoryUnit.DAY, 0) == Period(0, day_ns)
    assert CALENDAR.period(HistoryUnit.DAY, day_ns) == Period(day_ns, 2 * day_ns)
    # 1 January 1970 was a Thursday
    assert CALENDAR.period(HistoryUnit.WEEK, 0) == Period(0, 4 * day_ns)
