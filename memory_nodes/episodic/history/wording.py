"""How a node is said on one line."""

from __future__ import annotations

from typing import TypeAlias

from memory_nodes.dates import Dates, is_date
from memory_nodes.episodic.history.tops import TOP_UNITS
from memory_nodes.records import HistoryUnit

Span: TypeAlias = tuple[int, int]

_OF_DAYS = {each.value for each in (*TOP_UNITS, HistoryUnit.ROOT)}


def when(unit: str, start_ns: int, end_ns: int, dates: Dates, above: Span | None = None) -> str:
    """When it was: 'Sep 2026', 'Mon 7 to Sun 13 Sep 2026', 'Mon 7 Sep 2026', and '08:00 to 08:05'
    of what is within a day.

    ``above``: the first and last stamp of what stands above it; the month, or the year, that all
    of it is in is not said again.
    """
    if unit not in _OF_DAYS:
        return " to ".join(dict.fromkeys((dates.clock(start_ns), dates.clock(end_ns))))
    first, last = dates.day(start_ns), dates.day(end_ns)
    if not is_date(start_ns):
        return " to ".join(dict.fromkeys((first, last)))
    said = 0 if above is None else _shared(dates.day(above[0]), dates.day(above[1]))
    words = last.split()
    if unit == HistoryUnit.YEAR.value and first != last:
        return words[-1]
    if unit == HistoryUnit.MONTH.value and first != last:
        return " ".join(words[2:] if said == 0 else words[2:3])
    last = " ".join(words[: len(words) - said])
    if dates.day(start_ns) == dates.day(end_ns):
        return last
    first = " ".join(first.split()[: len(words) - max(said, _shared(first, dates.day(end_ns)))])
    return f"{first} to {last}"


def _shared(first: str, last: str) -> int:
    """Words at the end of two days that say the same: 1 is the year, 2 are the month and year."""
    _, _, *one = first.split()
    _, _, *other = last.split()
    return 2 if one == other else int(one[-1] == other[-1])
