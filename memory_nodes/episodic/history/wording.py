"""How a node is said on one line."""

from __future__ import annotations

from memory_nodes.dates import Dates, is_date
from memory_nodes.episodic.history.tops import TOP_UNITS
from memory_nodes.records import HistoryUnit

_OF_DAYS = {each.value for each in (*TOP_UNITS, HistoryUnit.ROOT)}


def when(unit: str, start_ns: int, end_ns: int, dates: Dates) -> str:
    """As much of the time as is not said above: 'Sep 2026', 'Mon 7 to Sun 13 Sep 2026', 'Mon 7 Sep
    2026', and '08:00 to 08:05' of what is within a day.
    """
    if unit not in _OF_DAYS:
        return " to ".join(dict.fromkeys((dates.clock(start_ns), dates.clock(end_ns))))
    first, last = dates.day(start_ns), dates.day(end_ns)
    if first == last:
        return first
    if is_date(start_ns):
        _, _, month, year = last.split()
        if unit == HistoryUnit.YEAR.value:
            return year
        if unit == HistoryUnit.MONTH.value:
            return f"{month} {year}"
        if unit == HistoryUnit.WEEK.value:  # always within a month
            first = " ".join(first.split()[:2])
    return f"{first} to {last}"


def shortened(text: str, max_chars: int) -> str:
    """On one line and of no more characters, cut at a word."""
    line = " ".join(text.split())
    if len(line) <= max_chars:
        return line
    return line[: max_chars - 1].rpartition(" ")[0] + "…"
