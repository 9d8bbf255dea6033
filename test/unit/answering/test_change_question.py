"""Questions about changes are told from others: of what, in what way, and since when."""

from __future__ import annotations

import pytest

from memory_nodes.answering.change_question import ChangeQuestion, change_question
from memory_nodes.dates import Dates
from memory_nodes.records import NS_PER_S, ChangeKind

HOUR_NS = 3600 * NS_PER_S
DAY_NS = 24 * HOUR_NS
NOW_NS = 10 * DAY_NS + 9 * HOUR_NS
"""Nine in the morning of the eleventh day."""
NEW, MOVED, MISSING, FOUND = (
    *(ChangeKind.NEW, ChangeKind.MOVED),
    *(ChangeKind.MISSING, ChangeKind.FOUND),
)
ALL = (NEW, MOVED, MISSING, FOUND)


def _asked(question: str) -> ChangeQuestion | None:
    return change_question(question, NOW_NS, Dates("Europe/Berlin"))


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("What changed since yesterday?", ALL),
        ("what has changed", ALL),
        ("Has anything changed in the last 2 hours?", ALL),
        ("Did anything change today?", ALL),
        ("What changes did you notice?", ALL),
        ("What did you notice changed since yesterday?", ALL),
        ("Tell me what changed since yesterday", ALL),
        ("List all changes.", ALL),
        ("Tell me about changes since yesterday", ALL),
        ("Do you see any changes?", ALL),
        ("Has there been any change since noon?", ALL),
        ("What is different from yesterday?", ALL),
        ("What is new?", (NEW,)),
        ("what's new since yesterday", (NEW,)),
        ("Is there anything new?", (NEW,)),
        ("What new objects are there?", (NEW,)),
        ("What is missing?", (MISSING,)),
        ("What things are gone?", (MISSING,)),
        ("Which things are missing?", (MISSING,)),
        ("Could you tell me if anything is missing, please?", (MISSING,)),
        ("Show me the missing objects", (MISSING,)),
        ("Did anything disappear?", (MISSING,)),
        ("What isn't there any more?", (MISSING,)),
        ("What has been moved?", (MOVED,)),
        ("What moved today?", (MOVED,)),
        ("Has anything moved?", (MOVED,)),
        ("Which objects moved?", (MOVED,)),
        ("Has something been moved?", (MOVED,)),
        ("What is back?", (FOUND,)),
    ],
)
def test_question_about_changes_of_all_things(question: str, kinds: tuple[ChangeKind, ...]) -> None:
    asked = _asked(question)
    assert asked is not None
    assert (asked.kinds, asked.named, asked.unread) == (kinds, "", ())


@pytest.mark.parametrize(
    ("question", "kinds", "named"),
    [
        ("Did the mug move?", (MOVED,), "mug"),
        ("Has the red mug been moved since yesterday?", (MOVED,), "red mug"),
        ("Has anyone moved the red mug?", (MOVED,), "red mug"),
        ("Which chairs were moved?", (MOVED,), "chairs"),
        ("Did you notice that the fire extinguisher moved?", (MOVED,), "fire extinguisher"),
        ("Is my mug gone?", (MISSING,), "mug"),
        ("When did the mug go missing?", (MISSING,), "mug"),
        ("Is the chair new?", (NEW,), "chair"),
        ("Is the mug back?", (FOUND,), "mug"),
        ("How has the desk changed?", ALL, "desk"),
        ("What happened to the blue lamp?", ALL, "blue lamp"),
    ],
)
def test_question_about_changes_of_what_it_names(
    question: str, kinds: tuple[ChangeKind, ...], named: str
) -> None:
    asked = _asked(question)
    assert asked is not None
    assert (asked.kinds, asked.named, asked.unread) == (kinds, named, ())


@pytest.mark.parametrize(
    "question",
    [
        *("Where is the red mug?", "Where is the new chair?", "What is on the table?"),
        *("What is the missing piece made of?", "Which newspaper is on the desk?", "I moved what?"),
        *("What did you move?", "Can you move the mug?", "What could be moved?", "Go back."),
        *("Is the missing mug in the kitchen?", "Where did the mug move?", "Who moved the mug?"),
        *("What color is the moved chair?", "Has the robot gone to the kitchen?"),
        *(
            "What is different between a cup and a mug?",
            "What are differences between cups?",
            "What is on the back of the chair?",
        ),
        *("What happened yesterday?", "What did you do yesterday?"),
    ],
)
def test_question_about_something_else_is_not_taken(question: str) -> None:
    assert _asked(question) is None


@pytest.mark.parametrize(
    ("phrase", "since_ns", "until_ns"),
    [
        ("since yesterday", 9 * DAY_NS, NOW_NS),
        ("yesterday", 9 * DAY_NS, 10 * DAY_NS - 1),
        ("today", 10 * DAY_NS, 11 * DAY_NS - 1),
        ("in the last hour", NOW_NS - HOUR_NS, NOW_NS),
        ("in the last 3 hours", NOW_NS - 3 * HOUR_NS, NOW_NS),
        ("in the past 30 minutes", NOW_NS - HOUR_NS // 2, NOW_NS),
        ("over the last few days", NOW_NS - 3 * DAY_NS, NOW_NS),
    ],
)
def test_time_of_a_question_is_of_the_robots_clock(
    phrase: str, since_ns: int, until_ns: int
) -> None:
    asked = _asked(f"What changed {phrase}?")
    assert asked is not None and asked.span is not None
    assert (asked.span.since_ns, asked.span.until_ns) == (since_ns, until_ns)
    assert asked.span.said == phrase


def test_days_of_a_question_are_those_of_the_zone() -> None:
    """00:30 in Berlin on 2 December 2026 is 23:30 of the first in UTC."""
    now_ns = 1_796_167_800 * NS_PER_S
    begins = []
    for zone in ("Europe/Berlin", "UTC"):
        asked = change_question("What changed today?", now_ns, Dates(zone))
        assert asked is not None and asked.span is not None
        begins.append(asked.span.since_ns)
    assert begins == [1_796_166_000 * NS_PER_S, 1_796_083_200 * NS_PER_S]


@pytest.mark.parametrize(
    ("question", "unread"),
    [
        ("What changed since my birthday?", ("since my birthday",)),
        ("What moved when I was away?", ("when I was away",)),
        ("What is missing from the desk?", ("from the desk",)),
        ("Which objects on the desk moved?", ("on the desk",)),
        ("What changed in the kitchen since Monday?", ("since Monday", "in the kitchen")),
    ],
)
def test_time_or_place_that_is_not_understood_is_told(
    question: str, unread: tuple[str, ...]
) -> None:
    asked = _asked(question)
    assert asked is not None
    assert (asked.span, asked.named, asked.unread) == (None, "", unread)
