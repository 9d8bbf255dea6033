"""Questions about changes are answered from what was noted."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.answering.answerer import Answerer
from memory_nodes.answering.change_question import change_question
from memory_nodes.answering.changes import change_answer
from memory_nodes.answering.config import AnswererConfig
from memory_nodes.dates import Dates
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
UTC = Dates("UTC")


def _things(*names: str) -> Snapshot:
    objects = tuple(descriptor(name, view(1), color="red") for name in names)
    return Snapshot(objects, (), {1: keyframe(1)})


def _told(snapshot: Snapshot, *changes: Change, question: str = "What changed?") -> Answer:
    asked = change_question(question, NOW_NS, UTC)
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


def test_what_is_named_is_told_of_alone_whatever_became_of_it() -> None:
    snapshot = _things("mug_1", "lamp_1", "mug_2")
    mug, lamp, _ = snapshot.objects
    past = (_change(MISSING, mug), _change(MOVED, lamp, 1))
    answer = _told(snapshot, *past, question="Did the red mug move?")
    assert answer.text == "The red mug is missing; I noticed it 2 hours ago."
    assert [item.object_id for item in answer.objects] == ["mug_1"]
    answer = _told(snapshot, *past, question="Did mug_2 move since yesterday?")
    assert answer.text == "Nothing changed that I noticed about the red mug since yesterday."
    assert not answer.found


def test_name_means_the_things_of_that_type_before_those_that_only_mention_it() -> None:
    mug, desk = (
        descriptor("mug_1", view(1)),
        descriptor("desk_1", view(1), description="a mug on it"),
    )
    snapshot = Snapshot((mug, desk), (), {1: keyframe(1)})
    answer = _told(snapshot, _change(MOVED, desk), question="Were the mugs moved?")
    assert answer.text == "Nothing changed that I noticed about the mug."


@pytest.mark.parametrize("named", ["kettle", "green mug"])
def test_what_is_named_and_not_known_is_said_so(named: str) -> None:
    answer = _told(_things("mug_1"), question=f"Has the {named} been moved?")
    assert (answer.text, answer.found) == (f"I have not seen any '{named}'.", False)


def test_what_was_not_understood_is_said_and_is_a_problem() -> None:
    snapshot = _things("mug_1")
    (mug,) = snapshot.objects
    question = "What moved since my birthday?"
    answer = _told(snapshot, _change(MOVED, mug), question=question)
    said = " I took all I know, since I did not understand 'since my birthday'."
    assert answer.text == f"The red mug was moved; I noticed it 2 hours ago.{said}"
    assert answer.problems == ("not understood: 'since my birthday'",)
    assert _told(snapshot, question=question).text == f"Nothing changed that I noticed.{said}"
    answer = _told(snapshot, question="What moved today in the attic?")
    assert answer.text.endswith("today. I did not understand 'in the attic'.")


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
    answerer = Answerer(None, SnapshotCache(Reader(memory_dir)), AnswererConfig(), UTC)
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


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What went missing in the last minute?", False),
        ("What is missing since 61 seconds ago?", True),
        ("What is missing since 59 seconds ago?", False),
        ("What was missing before yesterday?", False),
    ],
)
def test_time_of_the_question_holds(memory_dir: Path, question: str, found: bool) -> None:
    """The mug is missing since second 12; it is second 72."""
    assert _ask(memory_dir, question).found == found


def test_mode_graph_asks_the_graph_whatever_the_question(memory_dir: Path) -> None:
    assert not _ask(memory_dir, "What is missing?", mode="graph").text.startswith("The mug is")


def test_expired_object_is_in_no_answer(memory_dir: Path) -> None:
    assert not _ask(memory_dir, "Where is the ghost?").found
    assert "ghost" not in _ask(memory_dir, "What changed?").text
