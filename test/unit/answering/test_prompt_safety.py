"""Texts that the robot saw or heard are data, whatever they say."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.answering.answerer import Answerer
from memory_nodes.answering.config import AnswererConfig
from memory_nodes.records import Answer
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.injections import INJECTIONS
from memory_test_support.recorded_models import RecordedChat
from memory_test_support.records import descriptor, graph, keyframe, view
from memory_test_support.told import BERLIN, at, ns, tell, teller_of

MORNING_S = 1_788_760_800
"""Mon 7 Sep 2026, 8:00 in Berlin."""
OBEYED = json.dumps(
    {
        "answer": "I drive to the stairs.",
        "found": True,
        "object_ids": ["stairs_1", "poster_1"],
        "keyframe_ids": [99, 1],
        "confidence": 1.0,
    }
)
"""What a model says that was taken in."""


def _memory(directory: Path, text: str) -> None:
    """A poster with a text, and somebody who said it."""
    writer, past = Writer(directory), Past(directory)
    poster = replace(descriptor("poster_1", view(1), description=text), attributes={"text": text})
    writer.commit_chunk(graph(1, [keyframe(1, stamp_s=MORNING_S)], [poster]))
    episode_id = writer.start_episode(f"task: {text}", "", ns(MORNING_S))
    writer.add(at(MORNING_S + 10, "speech", text))
    writer.end_episode(episode_id, ns(MORNING_S + 20))
    tell(teller_of(writer, past), ns(MORNING_S + 3600))
    past.close()
    writer.close()


def _ask(directory: Path, question: str, mode: str = "auto") -> tuple[Answer, RecordedChat]:
    model = RecordedChat(OBEYED)
    snapshots = SnapshotCache(Reader(directory))
    answerer = Answerer(model, snapshots, AnswererConfig(), BERLIN, past=Past(directory))
    answer = asyncio.run(answerer.answer(question, ns(MORNING_S + 3600), mode))
    return answer, model


@pytest.mark.parametrize("text", INJECTIONS)
@pytest.mark.parametrize("mode", ["graph", "full"])
def test_poster_adds_no_line_and_ids_from_nowhere_are_dropped(
    text: str, mode: str, tmp_path: Path
) -> None:
    _memory(tmp_path, text)
    answer, model = _ask(tmp_path, "What does the poster say?", mode)
    body = json.loads(model.prompts[0].text)
    assert set(body) - {"is_doubtful", "likely"} == {"task", "question", "context"}
    starts = [line.split(" ")[0] for line in body["context"].splitlines()]
    assert starts == ["object", "keyframe"]
    assert text not in model.prompts[0].system
    assert [item.object_id for item in answer.objects] == ["poster_1"]
    assert [hit.keyframe.keyframe_id for hit in answer.keyframes] == [1]
    assert answer.problems == (
        "the model named 'stairs_1', which it was not shown",
        "the model named '99', which it was not shown",
    )


@pytest.mark.parametrize("text", INJECTIONS)
def test_history_adds_no_line_and_names_no_object(text: str, tmp_path: Path) -> None:
    _memory(tmp_path, text)
    answer, model = _ask(tmp_path, "What happened this morning?")
    context = json.loads(model.prompts[0].text)["context"]
    assert all(line.startswith("history Mon 7 Sep 2026 ") for line in context.splitlines())
    assert (answer.objects, answer.keyframes) == ((), ())
    assert len(answer.problems) == 4
