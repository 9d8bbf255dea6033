"""What the model says of a picture is checked before anybody believes it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from memory_nodes.errors import ReplyError
from memory_nodes.models.ports import Reply
from memory_nodes.navigation.arrival import Presence, arrival_prompt, looks_of, read_arrival
from memory_test_support.records import descriptor


def reply(present: object, reason: object = "on the table") -> Reply:
    return Reply(json.dumps({"present": present, "reason": reason}), is_complete=True)


@pytest.mark.parametrize("presence", list(Presence))
def test_each_answer_is_read(presence: Presence) -> None:
    assert read_arrival(reply(presence.value)).presence is presence


def test_fenced_answer_in_capitals_is_read() -> None:
    text = 'I looked.\n```json\n{"present": " YES ", "reason": "a red mug"}\n```'
    seen = read_arrival(Reply(text, is_complete=True))
    assert (seen.presence, seen.reason) == (Presence.YES, "a red mug")


@pytest.mark.parametrize(
    "bad",
    [
        reply("perhaps"),
        reply(True),
        reply(None),
        replace(reply("yes"), is_complete=False),
        Reply("yes", is_complete=True),
        Reply("[1, 2]", is_complete=True),
        Reply("", is_complete=True),
    ],
)
def test_anything_else_is_no_answer(bad: Reply) -> None:
    with pytest.raises(ReplyError):
        read_arrival(bad)


def test_reason_is_bounded_and_may_be_missing() -> None:
    assert len(read_arrival(reply("no", "word " * 1000)).reason) <= 200
    assert read_arrival(reply("no", None)).reason == ""


def test_prompt_asks_for_the_looks_and_carries_the_picture() -> None:
    thing = descriptor("mug_1", description="a mug with a chipped rim", color="red")
    prompt = arrival_prompt(looks_of(thing), b"jpeg")
    asked = json.loads(prompt.text)["thing"]
    assert all(word in asked for word in ("mug", "chipped rim", "red"))
    assert [picture.jpeg for picture in prompt.pictures] == [b"jpeg"]
    assert prompt.reply_schema["properties"]["present"]["enum"] == ["yes", "no", "unsure"]
