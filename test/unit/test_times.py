"""Times as people say them become stamps. Expected values: a calendar, by hand."""

from __future__ import annotations

from datetime import datetime

import pytest

from memory_nodes.dates import Dates
from memory_nodes.records import NS_PER_S
from memory_nodes.times import EVER_NS, read_time, time_in

BERLIN = Dates("Europe/Berlin")
NOW_NS = 1_796_130_300 * NS_PER_S
"""Tuesday, 1 December 2026, 14:05 in Berlin."""
DAY_NS = 86_400 * NS_PER_S
RUN_NS = 2 * DAY_NS + 50_700 * NS_PER_S
"""14:05 on the third day of simulated time."""


def _stamp_ns(wall: str) -> int:
    return BERLIN.stamp_ns(datetime.fromisoformat(wall))


@pytest.mark.parametrize(
    ("said", "since"),
    [
        ("since yesterday", "2026-11-30 00:00"),
        ("in the last week", "2026-11-24 14:05"),
        ("last 2 weeks", "2026-11-17 14:05"),
        ("in the last month", "2026-11-01 14:05"),
        ("this week", "2026-11-30 00:00"),
        ("this month", "2026-12-01 00:00"),
        ("since Monday", "2026-11-30 00:00"),
        ("since Tuesday", "2026-12-01 00:00"),
        ("since last Tuesday", "2026-11-24 00:00"),
        ("since this morning", "2026-12-01 05:00"),
        ("since 10 minutes ago", "2026-12-01 13:55"),
        ("since half an hour ago", "2026-12-01 13:35"),
        ("last two hours", "2026-12-01 12:05"),
        ("over the last few hours", "2026-12-01 11:05"),
        ("in the past 30 seconds", "2026-12-01 14:04:30"),
        ("since 9 o'clock", "2026-12-01 09:00"),
        ("since nine o\u2019clock", "2026-12-01 09:00"),
        ("since 9 pm", "2026-11-30 21:00"),
        ("since 9", "2026-12-01 09:00"),
        ("since 3 o'clock yesterday", "2026-11-30 03:00"),
        ("since 3 yesterday", "2026-11-30 03:00"),
        ("since yesterday evening", "2026-11-30 18:00"),
        ("since 3 May", "2026-05-03 00:00"),
        ("since the 24th of December", "2025-12-24 00:00"),
        ("since May 3rd, 2024 at 14:30", "2024-05-03 14:30"),
        ("since 29 February", "2024-02-29 00:00"),
        ("since 2026-05-03", "2026-05-03 00:00"),
        ("since 2026-05-03T12:00:00Z", "2026-05-03 14:00"),
        ("since -10m", "2026-12-01 13:55"),
        ("after Sunday", "2026-11-29 23:59:59.999999"),
    ],
)
def test_time_reaches_until_now(said: str, since: str) -> None:
    for found in (
        time_in(f"What changed {said}?", NOW_NS, BERLIN).span,
        read_time(said, NOW_NS, BERLIN),
    ):
        assert found is not None
        assert found.since_ns // 1000 == _micros(since)
        assert found.until_ns == NOW_NS
        assert found.said == said.replace("\u2019", "'")


def _micros(wall: str) -> int:
    moment = datetime.fromisoformat(wall)
    whole_ns = BERLIN.stamp_ns(moment.replace(microsecond=0))
    fraction_ns = 999_999_999 if moment.microsecond else 0
    return (whole_ns + fraction_ns) // 1000


@pytest.mark.parametrize(
    ("said", "since", "until"),
    [
        ("yesterday", "2026-11-30 00:00", "2026-12-01 00:00"),
        ("today", "2026-12-01 00:00", "2026-12-02 00:00"),
        ("the day before yesterday", "2026-11-29 00:00", "2026-11-30 00:00"),
        ("two days ago", "2026-11-29 00:00", "2026-11-30 00:00"),
        ("yesterday afternoon", "2026-11-30 14:00", "2026-11-30 18:00"),
        ("last night", "2026-11-30 22:00", "2026-12-01 05:00"),
        ("on Sunday morning", "2026-11-29 05:00", "2026-11-29 12:00"),
        ("in the evening of 3 May", "2026-05-03 18:00", "2026-05-03 22:00"),
        ("in the evening", "2026-11-30 18:00", "2026-11-30 22:00"),
        ("last week", "2026-11-23 00:00", "2026-11-30 00:00"),
        ("last month", "2026-11-01 00:00", "2026-12-01 00:00"),
        ("in May", "2026-05-01 00:00", "2026-06-01 00:00"),
        ("between Friday and Sunday", "2026-11-27 00:00", "2026-11-30 00:00"),
        ("on 29 March 2026", "2026-03-29 00:00", "2026-03-30 00:00"),
    ],
)
def test_time_that_is_over_ends_before_the_next_begins(said: str, since: str, until: str) -> None:
    for found in (
        time_in(f"What changed {said}?", NOW_NS, BERLIN).span,
        read_time(said, NOW_NS, BERLIN),
    ):
        assert found is not None
        assert (found.since_ns, found.until_ns) == (_stamp_ns(since), _stamp_ns(until) - 1)


def test_night_has_the_hours_that_stamps_of_a_night_have() -> None:
    found = read_time("last night", NOW_NS, BERLIN)
    assert found is not None
    for stamp_ns in (found.since_ns, found.until_ns):
        assert BERLIN.part_of_day(stamp_ns) == "night"
    assert BERLIN.part_of_day(found.since_ns - 1) == "evening"
    assert BERLIN.part_of_day(found.until_ns + 1) == "morning"


def test_time_before_something_has_no_beginning() -> None:
    before = read_time("before yesterday", NOW_NS, BERLIN)
    until = read_time("until yesterday", NOW_NS, BERLIN)
    assert before is not None and until is not None
    assert (before.since_ns, before.until_ns) == (EVER_NS, _stamp_ns("2026-11-30 00:00") - 1)
    assert (until.since_ns, until.until_ns) == (EVER_NS, _stamp_ns("2026-12-01 00:00") - 1)


def test_moment_alone_is_a_moment_and_in_a_question_about_then() -> None:
    for said, minutes in (("-90m", 90), ("90 minutes ago", 90), ("12:35", 90), ("now", 0)):
        alone = read_time(said, NOW_NS, BERLIN)
        assert alone is not None
        assert alone.since_ns == alone.until_ns == NOW_NS - minutes * 60 * NS_PER_S
    asked = time_in("What changed an hour ago?", NOW_NS, BERLIN).span
    assert asked is not None
    assert (asked.since_ns, asked.until_ns) == (
        _stamp_ns("2026-12-01 12:35"),
        _stamp_ns("2026-12-01 13:35"),
    )


def test_midnight_in_a_question_is_about_then_like_any_hour() -> None:
    asked = time_in("What happened at midnight?", NOW_NS, BERLIN).span
    assert asked is not None
    assert (asked.since_ns, asked.until_ns) == (
        _stamp_ns("2026-11-30 23:30"),
        _stamp_ns("2026-12-01 00:30"),
    )


def test_days_are_those_of_the_zone() -> None:
    """Half past midnight in Berlin is still the day before in London."""
    late_ns = _stamp_ns("2026-12-02 00:30")
    berlin = read_time("since today", late_ns, BERLIN)
    london = read_time("since today", late_ns, Dates("Europe/London"))
    assert berlin is not None and london is not None
    assert berlin.since_ns == _stamp_ns("2026-12-02 00:00")
    assert london.since_ns == _stamp_ns("2026-12-01 01:00")


@pytest.mark.parametrize(
    ("said", "since_ns"),
    [
        ("today", 2 * DAY_NS),
        ("since yesterday", DAY_NS),
        ("since day 1", 0),
        ("since this morning", 2 * DAY_NS + 5 * 3600 * NS_PER_S),
        ("in the last hour", RUN_NS - 3600 * NS_PER_S),
        ("since 9 o'clock", 2 * DAY_NS + 9 * 3600 * NS_PER_S),
    ],
)
def test_day_of_simulated_time_is_that_of_the_run_in_any_zone(said: str, since_ns: int) -> None:
    found = time_in(f"What moved {said}?", RUN_NS, BERLIN).span
    assert found is not None
    assert found.since_ns == since_ns


@pytest.mark.parametrize("said", ["since Monday", "last week", "on 3 May", "since 2026-05-03"])
def test_simulated_time_has_no_calendar(said: str) -> None:
    found = time_in(f"What moved {said}?", RUN_NS, BERLIN)
    assert (found.span, found.unread, found.rest) == (None, (said,), "What moved")
    assert read_time(said, RUN_NS, BERLIN) is None


@pytest.mark.parametrize(
    "said",
    [
        *("since my birthday", "since we were here last", "before lunch", "when I was away"),
        *("on 31 February", "since 25:00", "in the last 9999 years", "recently", "in two hours"),
        *("over the weekend", "last spring", "a good while ago", "half a day ago", "on day 3"),
    ],
)
def test_time_that_is_not_understood_is_told(said: str) -> None:
    found = time_in(f"What changed {said}?", NOW_NS, BERLIN)
    assert found.span is None
    assert " ".join(found.unread).endswith(said)
    assert read_time(said, NOW_NS, BERLIN) is None


def test_second_time_is_told_too() -> None:
    found = time_in("What moved since yesterday, when I left, in May?", NOW_NS, BERLIN)
    assert found.span is not None
    assert found.span.said == "since yesterday"
    assert found.unread == ("in May", "when I left")
    assert found.rest == "What moved"


@pytest.mark.parametrize(
    "text",
    [
        *("Where is the red mug?", "May I ask what is in room 9?", "Is the second chair missing?"),
        *("Which one am I?", "When was the mug moved?", "What is missing now?", "", "chairs: 3"),
        *("What is missing from the desk?", "one amber lamp", "the march of 12 monkeys"),
        *("How long ago did you see the mug?", "How many days ago was it here?"),
    ],
)
def test_text_about_no_time_stays_as_it_is(text: str) -> None:
    found = time_in(text, NOW_NS, BERLIN)
    assert (found.span, found.unread) == (None, ())
    assert found.rest == text.rstrip("?")


@pytest.mark.parametrize(
    "said", ["until 9999-12-30", "since 0001-01-01", "1 May 9999", "before 0001-01-01T00:00:00Z"]
)
def test_time_that_no_stamp_can_have_ends_where_stamps_end(said: str) -> None:
    for found in (read_time(said, NOW_NS, BERLIN), time_in(said, NOW_NS, BERLIN).span):
        assert found is not None
        assert -(2**63) <= found.since_ns < 2**63
        assert -(2**63) <= found.until_ns < 2**63
