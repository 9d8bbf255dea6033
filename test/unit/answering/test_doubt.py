"""What the model takes from weak evidence is asked about once more."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from memory_nodes.answering.answerer import Answerer
from memory_nodes.answering.config import AnswererConfig
from memory_nodes.answering.extractive import NOT_SEEN
from memory_nodes.dates import Dates
from memory_nodes.records import NS_PER_S, Answer
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.recorded_models import RecordedChat
from memory_test_support.records import descriptor, graph, keyframe, view

QUESTION = "Where are the stairs?"


@pytest.fixture
def memory_dir(tmp_path: Path) -> Path:
    """A poster that only mentions the stairs."""
    writer = Writer(tmp_path)
    poster = descriptor("poster_1", view(1), description="a poster that says: take the stairs")
    writer.commit_chunk(graph(1, [keyframe(1)], [poster]))
    writer.close()
    return tmp_path


def ask(memory_dir: Path, model: RecordedChat) -> Answer:
    snapshots = SnapshotCache(Reader(memory_dir))
    answerer = Answerer(model, snapshots, AnswererConfig(), Dates("UTC"))
    return asyncio.run(answerer.answer(QUESTION, 120 * NS_PER_S))


def said(**values: object) -> str:
    found = {"answer": "There.", "found": True, "object_ids": ["poster_1"], "keyframe_ids": [1]}
    return json.dumps({**found, "confidence": 0.9, **values})


@pytest.mark.parametrize(("is_it", "objects"), [(True, ["poster_1"]), (False, [])])
def test_answer_from_weak_evidence_is_told_if_the_model_stands_by_its_object(
    is_it: bool, objects: list[str], memory_dir: Path
) -> None:
    model = RecordedChat(said(), json.dumps({"is_it": is_it}))
    answer = ask(memory_dir, model)
    assert json.loads(model.prompts[1].text) == {
        "task": "doubt",
        "seen": "poster: a poster that says: take the stairs.",
        "asked": QUESTION,
    }
    assert ([item.object_id for item in answer.objects], answer.degraded) == (objects, False)
    assert answer.found is is_it


@pytest.mark.parametrize("reply", ["yes", '{"is_it": "yes"}', "{}"])
def test_doubt_that_cannot_be_read_is_not_seen_and_degraded(reply: str, memory_dir: Path) -> None:
    answer = ask(memory_dir, RecordedChat(said(), reply))
    assert (answer.found, answer.degraded) == (False, True)


def test_not_found_from_weak_evidence_is_told_in_our_words(memory_dir: Path) -> None:
    answer = ask(memory_dir, RecordedChat(said(found=False, answer="Beside the poster.")))
    assert (answer.text, answer.found) == (NOT_SEEN, False)
