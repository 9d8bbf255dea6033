"""Questions about changes are told from others, and answered from what was noted."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.answering.answerer import Answerer, AnswererConfig
from memory_nodes.answering.changes import change_answer, change_question
from memory_nodes.records import (
    NS_PER_S,
    Answer,
    Change,
    ChangeKind,
    ClearLook,
    ObjectDescriptor,
    ObjectStatus,
)
from memory_nodes.retrieval.snapshot import Snapshot, SnapshotCache
from memory_nodes.store.filters import Filter
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, point, view

HOUR_NS = 3600 * NS_PER_S
DAY_NS = 24 * HOUR_NS
NOW_NS = 10 * DAY_NS + 9 * HOUR_NS
"""Nine in the morning of the eleventh day."""
NEW, MOVED, MISSING = ChangeKind.NEW, ChangeKind.MOVED, ChangeKind.MISSING
ALL = (NEW, MOVED, MISSING, ChangeKind.FOUND)


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("What changed since yesterday?", ALL),
        ("what has changed", ALL),
        ("Has anything changed in the last 2 hours?", ALL),
        ("Did anything change today?", ALL),
        ("What changes did you notice?", ALL),
        ("What is different today?", ALL),
        ("What is new?", (NEW,)),
        ("what's new since yesterday", (NEW,)),
        ("Is there anything new?", (NEW,)),
        ("What is missing?", (MISSING,)),
        ("What things are gone?", (MISSING,)),
        ("Is anything missing?", (MISSING,)),
        ("What has been moved?", (MOVED,)),
        ("What moved today?", (MOVED,)),
        ("Has something been moved?", (MOVED,)),
    ],
)
def test_question_about_changes_is_understood(question: str, kinds: tuple[ChangeKind, ...]) -> None:
    asked = change_question(question, NOW_NS)
    assert asked is not None
    assert asked.kinds == kinds


@pytest.mark.parametrize(
    "question",
    [
        "Where is the red mug?",
        "Where is the new chair?",
        "What is on the table?",
        "Has the mug been moved?",
        "What is the missing piece made of?",
        "Which newspaper is on the desk?",
        "I moved what?",
    ],
)
def test_question_about_something_else_is_not_taken(question: str) -> None:
    assert change_question(question, NOW_NS) is None


@pytest.mark.parametrize(
    ("phrase", "since_ns", "when"),
    [
        ("since yesterday", 9 * DAY_NS, "since yesterday"),
        ("today", 10 * DAY_NS, "today"),
        ("in the last hour", NOW_NS - HOUR_NS, "in the last hour"),
        ("in the last 3 hours", NOW_NS - 3 * HOUR_NS, "in the last 3 hours"),
        ("in the past 30 minutes", NOW_NS - HOUR_NS // 2, "in the last 30 minutes"),
        ("over the last few days", NOW_NS - 3 * DAY_NS, "in the last 3 days"),
    ],
)
def test_time_of_a_question_is_of_the_robots_clock(phrase: str, since_ns: int, when: str) -> None:
    asked = change_question(f"What changed {phrase}?", NOW_NS)
    assert asked is not None
    assert (asked.since_ns, asked.when) == (since_ns, when)


def test_without_a_time_everything_that_is_known_counts() -> None:
    asked = change_question("What changed?", 0)
    assert asked is not None
    assert asked.since_ns < -(10**18)


def _things(*names: str) -> Snapshot:
    objects = tuple(descriptor(name, view(1), color="red") for name in names)
    return Snapshot(objects, (), {1: keyframe(1)})


def _told(snapshot: Snapshot, *changes: Change, question: str = "What changed?") -> Answer:
    asked = change_question(question, NOW_NS)
    assert asked is not None
    return change_answer(question, asked, changes, snapshot, NOW_NS, 5)


def _change(kind: ChangeKind, item: ObjectDescriptor, hours_ago: int = 2) -> Change:
    return Change(kind, item, NOW_NS - hours_ago * HOUR_NS, point(1.0, 2.0), point(3.0, 4.0))


def test_one_change_is_told_with_its_time_and_its_places() -> None:
    snapshot = _things("mug_1")
    answer = _told(snapshot, _change(MOVED, snapshot.objects[0]))
    assert answer.text == "The red mug was moved; I noticed it 2 hours ago."
    assert (answer.found, answer.degraded, answer.confidence) == (True, False, 1.0)
    assert answer.objects == snapshot.objects
    assert [hit.keyframe.keyframe_id for hit in answer.keyframes] == [1]
    assert answer.evidence == (
        "object mug_1: moved; 2 hours ago; from (1.00, 2.00, 0.50) m; to (3.00, 4.00, 0.50) m",
    )


def test_changes_of_several_kinds_are_told_kind_by_kind() -> None:
    snapshot = _things("mug_1", "lamp_1", "desk_1")
    mug, lamp, desk = snapshot.objects
    answer = _told(snapshot, _change(MISSING, mug), _change(MOVED, lamp), _change(MOVED, desk, 1))
    assert answer.text == (
        "The red desk and the red lamp were moved."
        " The red mug is missing; I noticed it 2 hours ago."
    )


def test_long_list_names_five_and_counts_the_rest() -> None:
    snapshot = _things(*(f"mug_{number}" for number in range(1, 9)))
    answer = _told(snapshot, *(_change(NEW, item) for item in snapshot.objects))
    assert answer.text.count("the red mug") + answer.text.count("The red mug") == 5
    assert answer.text.endswith("and 3 more are new.")
    assert (len(answer.objects), len(answer.keyframes)) == (8, 5)


def test_only_the_newest_change_of_an_object_is_told() -> None:
    """It was missing and is back: it is not missing."""
    snapshot = _things("mug_1")
    (mug,) = snapshot.objects
    past = (_change(MISSING, mug, 3), _change(ChangeKind.FOUND, mug, 1))
    assert _told(snapshot, *past).text == "The red mug is back; I noticed it 1 hour ago."
    assert not _told(snapshot, *past, question="What is missing?").found


def test_nothing_that_was_noticed_is_said_so() -> None:
    answer = _told(_things("mug_1"), question="What changed since yesterday?")
    assert answer.text == "Nothing changed that I noticed since yesterday."
    assert (answer.found, answer.evidence) == (False, ())
    assert _told(_things("mug_1")).text == "Nothing changed that I noticed."


@pytest.fixture
def memory_dir(tmp_path: Path) -> Path:
    """A mug that is missing since second 12, and a ghost that has expired."""
    writer = Writer(tmp_path)
    ghost = descriptor("ghost_1", replace(view(1), confidence=0.1))
    writer.commit_chunk(graph(1, [keyframe(1)], [descriptor("mug_1", view(1)), ghost]))
    taken = [keyframe(number) for number in (2, 8, 12)]
    looks = tuple(
        ClearLook(name, item.keyframe_id) for item in taken for name in ("mug_1", "ghost_1")
    )
    writer.commit_chunk(replace(graph(2, taken), clear_looks=looks))
    writer.close()
    return tmp_path


def _ask(memory_dir: Path, question: str, **more: object) -> Answer:
    answerer = Answerer(None, SnapshotCache(Reader(memory_dir)), AnswererConfig())
    return asyncio.run(answerer.answer(question, 72 * NS_PER_S, **more))  # type: ignore[arg-type]


def test_answerer_tells_changes_without_a_model(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "What is missing?")
    assert answer.text == "The mug is missing; I noticed it 1 minute ago."
    assert (answer.degraded, answer.problems) == (False, ())
    assert answer.objects[0].status == ObjectStatus.MISSING
    assert answer.latency_ns > 0


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (Filter(until_ns=11 * NS_PER_S), False),
        (Filter(since_ns=13 * NS_PER_S), False),
        (Filter(since_ns=12 * NS_PER_S, until_ns=12 * NS_PER_S), True),
        (Filter(center_map_m=(90.0, 0.0, 0.0), radius_m=1.0), False),
        (Filter(map_id="upstairs"), False),
    ],
)
def test_bounds_of_the_request_hold_for_changes_too(
    memory_dir: Path, wanted: Filter, found: bool
) -> None:
    assert _ask(memory_dir, "What is missing?", wanted=wanted).found == found


def test_mode_graph_asks_the_graph_whatever_the_question(memory_dir: Path) -> None:
    assert not _ask(memory_dir, "What is missing?", mode="graph").text.startswith("The mug is")


def test_expired_object_is_in_no_answer(memory_dir: Path) -> None:
    assert not _ask(memory_dir, "Where is the ghost?").found
    assert "ghost" not in _ask(memory_dir, "What changed?").text
