"""A model may say a question again, in known names only."""

from __future__ import annotations

import asyncio
import json

import pytest

from memory_nodes.errors import ModelUnavailable, ReplyError
from memory_nodes.retrieval.rewriting import known_names, rewritten
from memory_nodes.retrieval.snapshot import Snapshot
from memory_test_support.recorded_models import RecordedChat, Turn, reply
from memory_test_support.records import descriptor, keyframe, view

SNAPSHOT = Snapshot(
    (descriptor("backpack_1", view(1)), descriptor("chair_1"), descriptor("chair_2")),
    (),
    {1: keyframe(1)},
)
QUESTION = "Where is the red rucksack?"


def _rewritten(turn: Turn) -> str:
    return asyncio.run(rewritten(QUESTION, SNAPSHOT, RecordedChat(turn), 1.0))


def _said(text: object) -> str:
    return json.dumps({"question": text})


def test_known_name_takes_the_place_of_the_word() -> None:
    said = "Where is the red backpack?"
    assert _rewritten(_said(said)) == said


def test_model_is_shown_the_question_and_the_known_names() -> None:
    model = RecordedChat(_said(QUESTION))
    asyncio.run(rewritten(QUESTION, SNAPSHOT, model, 1.0))
    body = json.loads(model.prompts[0].text)
    assert (body["question"], body["names"]) == (QUESTION, ["chair", "backpack"])


def test_name_from_nowhere_is_refused() -> None:
    with pytest.raises(ReplyError, match="televis"):
        _rewritten(_said("Where is the red television?"))


@pytest.mark.parametrize(
    "turn",
    [
        _said(""),
        _said(7),
        "[]",
        _said("red " * 200),
        reply(_said(QUESTION), is_complete=False),
    ],
    ids=["empty", "a number", "a list", "too long", "cut off"],
)
def test_reply_without_a_question_is_refused(turn: Turn) -> None:
    with pytest.raises(ReplyError):
        _rewritten(turn)


def test_model_that_is_away_says_so() -> None:
    with pytest.raises(ModelUnavailable):
        _rewritten(ModelUnavailable("away"))


def test_names_are_bounded_and_the_most_frequent_stay() -> None:
    rare = [descriptor(f"{'x' * 50}{number:03}_1") for number in range(300)]
    many = [descriptor(f"chair_{number}") for number in range(2)]
    names = known_names(Snapshot((*rare, *many), (), {1: keyframe(1)}))
    assert names[0] == "chair"
    assert sum(map(len, names)) < 6000
