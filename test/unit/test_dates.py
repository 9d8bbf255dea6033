"""Time as people say it. Expected values: a calendar, and `date -d @...` of GNU coreutils."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from memory_nodes.dates import Dates
from memory_nodes.errors import ConfigurationError
from memory_nodes.records import NS_PER_S

BERLIN = Dates("Europe/Berlin")
WINTER_NS = 1_796_130_300 * NS_PER_S
"""1 December 2026, 14:05 in Berlin."""


def test_moment_is_a_date_in_the_zone() -> None:
    assert BERLIN.moment(WINTER_NS) == "Tue 1 Dec 2026 14:05"
    assert Dates("UTC").moment(WINTER_NS) == "Tue 1 Dec 2026 13:05"


def test_iso_has_the_offset_of_the_zone_and_simulated_time_has_none() -> None:
    assert BERLIN.iso(WINTER_NS) == "2026-12-01T14:05:00+01:00"
    assert BERLIN.iso(WINTER_NS + 200 * 86_400 * NS_PER_S) == "2027-06-19T15:05:00+02:00"
    assert BERLIN.iso(725 * NS_PER_S) == "0:12:05 after the start"


def test_iso_in_the_zone_of_the_machine_is_the_same_moment() -> None:
    moment = datetime.fromisoformat(Dates().iso(WINTER_NS))
    assert moment.timestamp() * NS_PER_S == WINTER_NS


def test_simulated_time_is_told_from_its_start_in_any_zone() -> None:
    assert BERLIN.moment(0) == "0:00:00 after the start"
    assert BERLIN.moment(725 * NS_PER_S) == "0:12:05 after the start"
    assert BERLIN.span(0, 725 * NS_PER_S) == "0:00:00 to 0:12:05 after the start"
    assert BERLIN.day(90_000 * NS_PER_S) == "day 2"
    assert BERLIN.part_of_day(0) == "night"


def test_span_says_the_day_once_where_it_is_one() -> None:
    hour_ns = 3600 * NS_PER_S
    assert BERLIN.span(WINTER_NS, WINTER_NS + hour_ns) == "Tue 1 Dec 2026 14:05 to 15:05"
    assert (
        BERLIN.span(WINTER_NS, WINTER_NS + 10 * hour_ns)
        == "Tue 1 Dec 2026 14:05 to Wed 2 Dec 2026 00:05"
    )
    assert BERLIN.span(WINTER_NS, WINTER_NS) == "Tue 1 Dec 2026 14:05"


@pytest.mark.parametrize(
    ("hours_later", "part"),
    [(0, "afternoon"), (4, "evening"), (9, "night"), (16, "morning"), (22, "noon")],
)
def test_part_of_day(hours_later: int, part: str) -> None:
    assert BERLIN.part_of_day(WINTER_NS + hours_later * 3600 * NS_PER_S) == part


def test_day_begins_at_midnight_of_the_zone_also_when_clocks_change() -> None:
    summer_time = date(2026, 3, 29)  # its day has 23 hours
    begin_ns = BERLIN.start_ns(summer_time)
    assert begin_ns == 1_774_738_800 * NS_PER_S
    assert BERLIN.start_ns(date(2026, 3, 30)) - begin_ns == 23 * 3600 * NS_PER_S
    assert BERLIN.date_of(begin_ns) == summer_time
    assert BERLIN.date_of(begin_ns - 1) == date(2026, 3, 28)


def test_zone_of_the_machine_has_a_midnight_too() -> None:
    here = Dates()
    assert here.date_of(here.start_ns(date(2026, 7, 1))) == date(2026, 7, 1)
    assert here.start_ns(date(1970, 1, 1)) == 0


@pytest.mark.parametrize("name", ["Berlin", "../etc/passwd", "Europe/Berlin\0"])
def test_unknown_zone_is_named(name: str) -> None:
    with pytest.raises(ConfigurationError, match="time_zone"):
        Dates(name)
