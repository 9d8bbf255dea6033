"""How a node is said on one line."""

from __future__ import annotations

from memory_nodes.dates import Dates
from memory_nodes.episodic.history.tops import TOP_UNITS
from memory_nodes.records import HistoryUnit

_OF_DAYS = {each.value for each in (*TOP_UNITS, HistoryUnit.ROOT)}


def when(unit: str, start_ns: int, end_ns: int, dates: Dates) -> str:
    """As much of the time as is not said above: 'Mon 7 Sep 2026' of a day, '08:00 to 08:05' of what
    is within one.
    """
    say = dates.day if unit in _OF_DAYS else dates.clock
    return " to ".join(dict.fromkeys((say(start_ns), say(end_ns))))


def shortened(text: str, max_chars: int) -> str:
    """On one line and of no more characters, cut at a word."""
    line = " ".join(text.split())
    if len(line) <= max_chars:
        return line
    return line[: max_chars - 1].rpartition(" ")[0] + "…"
