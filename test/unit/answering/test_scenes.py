"""What is seen, what is around and what is known at all."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from memory_nodes.answering.answerer import Answerer
from memory_nodes.answering.config import AnswererConfig
from memory_nodes.answering.scene_question import Showing, scene_question
from memory_nodes.answering.scenes import MAX_KINDS
from memory_nodes.dates import Dates
from memory_nodes.geometry import Pose
from memory_nodes.records import NS_PER_S, Answer, ObjectDescriptor, ObjectStatus
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, measured, observation, view

NOW_NS = 65 * NS_PER_S
FRAMES = (keyframe(1), keyframe(2, base=Pose.planar(20.0, 0.0, 0.0)))


@pytest.mark.parametrize(
    ("question", "shows"),
    [
        ("What do you see?", Showing.NEWEST),
        ("What can you see right now?", Showing.NEWEST),
        ("Tell me, what do you see here?", Showing.NEWEST),
        ("What was the last thing you saw?", Showing.NEWEST),
        ("What did you see last?", Showing.NEWEST),
        ("What is around you?", Showing.AROUND),
        ("What is near you?", Showing.AROUND),
        ("Describe your surroundings", Showing.AROUND),
        ("List all objects", Showing.ALL),
        ("Which objects do you know?", Showing.ALL),
        ("How many things have you seen?", Showing.ALL),
        ("What do you know?", Showing.ALL),
        ("What do you see on the desk?", None),
        ("What do you know about the mug?", None),
        ("What was the last thing you saw in the kitchen?", None),
        ("What is around the desk?", None),
        ("List all chairs", None),
        ("How many chairs have you seen?", None),
        ("What did you see yesterday?", None),
    ],
)
def test_question_about_no_single_thing(question: str, shows: Showing | None) -> None:
    assert scene_question(question) == shows


@pytest.fixture
def memory_dir(tmp_path: Path) -> Path:
    """A mug and a desk at first, far from there a lamp; the last picture shows lamp and door."""
    _store(
        tmp_path,
        [
            descriptor("mug_1", measured(FRAMES[0], (2.0, 0.0, 0.5)), color="red"),
            descriptor("desk_1", measured(FRAMES[0], (2.5, 0.3, 0.5))),
            descriptor("lamp_1", measured(FRAMES[1], (22.0, 0.0, 0.5))),
            descriptor("door_1", view(2), status=ObjectStatus.MISSING),
        ],
    )
    return tmp_path


def _store(memory_dir: Path, objects: Sequence[ObjectDescriptor]) -> None:
    with closing(Writer(memory_dir)) as writer:
        writer.commit_chunk(graph(1, FRAMES, objects))


def _ask(memory_dir: Path, question: str) -> Answer:
    with (
        closing(Reader(memory_dir)) as reader,
        closing(Past(memory_dir)) as past,
        closing(Search(memory_dir)) as search,
    ):
        snapshots, dates = SnapshotCache(reader), Dates("UTC")
        answerer = Answerer(None, snapshots, AnswererConfig(), dates, past=past, search=search)
        return asyncio.run(answerer.answer(question, NOW_NS))


def _keyframe_ids(answer: Answer) -> list[int]:
    return [hit.keyframe.keyframe_id for hit in answer.keyframes]


def test_newest_picture_is_what_is_seen(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "What do you see?")
    assert answer.text == (
        "My newest picture shows the lamp and the door; it was taken 1 minute ago, when I was at "
        "(20.0, 0.0) m on map map."
    )
    assert (answer.found, _keyframe_ids(answer)) == (True, [2])
    assert [item.object_id for item in answer.objects] == ["lamp_1", "door_1"]
    assert len(answer.evidence) == 2


def test_what_is_around_is_told_of_the_newest_place(memory_dir: Path) -> None:
    """Also where only an observation tells that the robot is back."""
    assert _ask(memory_dir, "What is around you?").text == "Around me I know of the lamp."
    with closing(Writer(memory_dir)) as writer:
        writer.add(observation("hello", stamp_s=60.0, layer="speech", at_map_m=(0.0, 0.0, 0.0)))
    answer = _ask(memory_dir, "What is around you?")
    assert answer.text == "Around me I know of the red mug and the desk."
    assert _keyframe_ids(answer) == [1]
    assert "I was at (0.0, 0.0) m on map map" in _ask(memory_dir, "Where are you?").text


def test_all_objects_are_counted_by_kind_but_for_the_missing(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "List all objects")
    assert answer.text == "I know of 3 objects: the red mug, the desk and the lamp."
    assert len(answer.evidence) == 3


def test_of_many_kinds_the_most_frequent_are_named(tmp_path: Path) -> None:
    chairs = [descriptor(f"chair_{number}", view(1)) for number in range(30)]
    kinds = [descriptor(f"{letter}ox_1", view(1)) for letter in "abcdefghijklmnop"]
    _store(tmp_path, [*chairs, *kinds])
    answer = _ask(tmp_path, "List all objects")
    assert answer.text.startswith("I know of 46 objects: 30 chairs, the ")
    assert answer.text.endswith(f" and {16 - (MAX_KINDS - 1)} of other kinds.")
    assert len(answer.objects) == MAX_KINDS


def test_empty_memory_says_that_it_knows_nothing(tmp_path: Path) -> None:
    Writer(tmp_path).close()
    assert _ask(tmp_path, "What do you see?").text == "I have seen nothing."
    assert _ask(tmp_path, "What is around you?").text == "I have seen nothing."
    assert not _ask(tmp_path, "List all objects").found
