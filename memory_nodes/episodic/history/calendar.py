"""Days, weeks, months and years in the robot's time zone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from memory_nodes.dates import Dates
from memory_nodes.records import HistoryUnit


@dataclass(frozen=True)
class Period:
    """A stretch of the calendar."""

    start_ns: int
    end_ns: int
    """When the next one begins."""


class Calendar:
    """Finds the period that a stamp is in. Simulated time has the calendar of 1970."""

    def __init__(self, dates: Dates) -> None:
        self._dates = dates

    def period(self, unit: HistoryUnit, stamp_ns: int) -> Period:
        """The day, week, month or year of a stamp.

        A week begins on Monday and is cut where a month ends, so that each is in one month.
        """
        day = self._dates.date_of(stamp_ns)
        first, until = day, day + timedelta(days=1)
        month = day.replace(day=1)
        next_month = _first_of_next(month)
        if unit is HistoryUnit.WEEK:
            monday = day - timedelta(days=day.weekday())
            first, until = max(monday, month), min(monday + timedelta(days=7), next_month)
        elif unit is HistoryUnit.MONTH:
            first, until = month, next_month
        elif unit is HistoryUnit.YEAR:
            first, until = date(day.year, 1, 1), date(day.year + 1, 1, 1)
        # The week of simulated time's first day would begin before there was any.
        return Period(max(0, self._dates.start_ns(first)), self._dates.start_ns(until))


def _first_of_next(month: date) -> date:
    return (month + timedelta(days=31)).replace(day=1)
