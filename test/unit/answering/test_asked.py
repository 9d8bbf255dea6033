"""The time in a question bounds its answer, where it is one of the past."""

from __future__ import annotations

import time

import pytest

from memory_nodes.answering.answerer import MAX_QUESTION_CHARS
from memory_nodes.answering.asked import Asked, Deadline, read_asked
from memory_nodes.answering.change_question import change_question
from memory_nodes.answering.question_kind import QuestionKind
from memory_nodes.answering.relation_question import relation_question
from memory_nodes.dates import Dates
from memory_nodes.records import NS_PER_S
from memory_nodes.store.filters import Filter

DAY_NS = 86_400 * NS_PER_S
NOW_NS = 1_796_126_400 * NS_PER_S  # Tue 1 Dec 2026 12:00 UTC
YESTERDAY = (NOW_NS - 3 * DAY_NS // 2, NOW_NS - DAY_NS // 2 - 1)


def _read(question: str, wanted: Filter | None = None) -> Asked:
    given = wanted if wanted is not None else Filter()
    return read_asked(question, NOW_NS, Dates("UTC"), given, 5, Deadline.after(1.0))


def _bounds(asked: Asked) -> tuple[int | None, int | None]:
    return asked.wanted.since_ns, asked.wanted.until_ns


def test_time_of_a_question_about_the_past_bounds_the_search() -> None:
    asked = _read("Where was my mug yesterday?")
    assert _bounds(asked) == YESTERDAY
    assert asked.sought == "Where was my mug"
    assert asked.when == " yesterday"


def test_time_of_day_is_no_place() -> None:
    assert _read("Where was my mug at 9:30?").kind == QuestionKind.OBJECT
    assert _read("Where was my mug beside the lamp at 9:30?").kind == QuestionKind.SPATIAL


@pytest.mark.parametrize(
    "question",
    [
        "Where is the morning newspaper?",
        "Where can I sleep at night?",
        "I have had no lunch. Where can I eat in the evening?",
    ],
)
def test_time_that_is_no_time_of_the_past_bounds_nothing(question: str) -> None:
    asked = _read(question)
    assert _bounds(asked) == (None, None)
    assert (asked.sought, asked.when) == (question, "")


def test_bounds_that_were_given_hold_beside_those_of_the_question() -> None:
    noon_ns = NOW_NS - DAY_NS
    asked = _read("Where was my mug yesterday?", Filter(since_ns=noon_ns, map_id="map"))
    assert _bounds(asked) == (noon_ns, YESTERDAY[1])
    assert asked.wanted.map_id == "map"


def test_time_that_is_not_understood_is_told() -> None:
    asked = _read("Where was my mug before the party?")
    assert _bounds(asked) == (None, None)
    assert asked.problems == ("not understood: 'before the party'",)


def test_deadline_runs_down_to_zero() -> None:
    assert 0.0 < Deadline.after(1000.0).left_s() <= 1000.0
    assert Deadline.after(0.0).left_s() == 0.0


@pytest.mark.parametrize("said", ["in ", "what did move ", "what is on ", "is is ", "moved from "])
def test_reading_a_long_question_takes_time_like_its_length(said: str) -> None:
    """The rules that read it run between the other questions, which wait so long."""
    question = (f"How do you {said * MAX_QUESTION_CHARS}")[:MAX_QUESTION_CHARS]
    started_s = time.process_time()
    _read(question)
    relation_question(question)
    change_question(question, NOW_NS, Dates("UTC"))
    assert time.process_time() - started_s < 0.25
