"""Things that only observations speak of, in the house of two days."""

from __future__ import annotations

import asyncio
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.answering.answerer import Answerer
from memory_nodes.answering.config import AnswererConfig
from memory_nodes.answering.noted import taken_at
from memory_nodes.answering.recall import Recall
from memory_nodes.dates import Dates
from memory_nodes.records import NS_PER_S, Answer
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.store.filters import Filter
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.sightings import Sighting, Sightings
from memory_test_support.records import keyframe
from memory_test_support.told_house import NOW_NS, TIME_ZONE, write_told_house


@pytest.fixture(scope="module")
def memory_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("told_house")
    write_told_house(path)
    return path


def _ask(memory_dir: Path, question: str, mode: str = "auto", map_id: str = "") -> Answer:
    dates = Dates(TIME_ZONE)
    with (
        closing(Reader(memory_dir)) as reader,
        closing(Past(memory_dir)) as past,
        closing(Sightings(memory_dir)) as sightings,
    ):
        answerer = Answerer(
            None,
            SnapshotCache(reader),
            AnswererConfig(),
            dates,
            past=past,
            recall=Recall(sightings),
        )
        wanted = Filter(map_id=map_id)
        return asyncio.run(answerer.answer(question, NOW_NS, mode, wanted))


@pytest.mark.parametrize(
    "question", ["Where is my blue vase?", "Where is the vase?", "Have you seen the blue vase?"]
)
def test_thing_that_no_object_stands_for_is_told_by_what_was_noted_last(
    memory_dir: Path, question: str
) -> None:
    """At 14:00 of the day before; it is 10:00."""
    answer = _ask(memory_dir, question)
    assert (answer.found, answer.text) == (True, "The blue vase was last noted 20 hours ago.")
    assert answer.evidence == ("vase_there on layer detections",)
    assert answer.keyframes == ()


@pytest.mark.parametrize(
    "question",
    [
        "Where is the red vase?",
        "Where is my passport?",
        "Where is the vase next to the piano?",
        "Where was the blue vase today?",
        "Where is it?",
    ],
)
def test_what_was_never_noted_so_is_not_seen(memory_dir: Path, question: str) -> None:
    assert not _ask(memory_dir, question).found


def test_object_of_the_graph_comes_first(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "Where is the red mug?")
    assert [item.object_id for item in answer.objects] == ["mug_1"]


def test_other_map_and_other_mode_know_nothing_of_it(memory_dir: Path) -> None:
    assert not _ask(memory_dir, "Where is the blue vase?", map_id="attic").found
    assert not _ask(memory_dir, "Where is the blue vase?", mode="graph").found


def _seen(layer: str, at_s: float, x_m: float, map_id: str = "map") -> Sighting:
    return Sighting("vase", "seen", round(at_s * NS_PER_S), map_id, (x_m, 0.0, 0.0), layer)


@pytest.mark.parametrize(
    ("seen", "keyframe_ids"),
    [
        (_seen("detections", 3.4, 0.3), [3]),
        (_seen("detections", 60.0, 0.3), []),
        (_seen("detections", 3.4, 9.0), []),
        (_seen("detections", 3.4, 0.3, "upstairs"), []),
        (_seen("speech", 3.4, 0.3), []),
    ],
)
def test_picture_of_what_was_noted_is_of_that_time_and_place(
    seen: Sighting, keyframe_ids: list[int]
) -> None:
    """What is only spoken of has none: it need not be there."""
    lost = replace(keyframe(4, stamp_s=3.4), is_localized=False)
    found = taken_at(seen, [*(keyframe(number) for number in range(1, 4)), lost])
    assert [hit.keyframe.keyframe_id for hit in found] == keyframe_ids
