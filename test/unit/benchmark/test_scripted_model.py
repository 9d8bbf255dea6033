"""The scripted model asks the tools twice at most, and answers with what they gave."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from benchmark.scripted_model import ScriptedModel
from memory_nodes.models.ports import Conversation, Message

MUG = {"id": "mug_1", "kind": "object", "text": "red mug", "keyframe_ids": [3, 4]}


def _next(question: str, *results: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    asked = Message("user", json.dumps({"question": question}))
    told = [Message("tool", json.dumps(result)) for result in results]
    turn = asyncio.run(ScriptedModel().call_tools(Conversation("any", "", (asked, *told), ()), 1.0))
    (call,) = turn.calls
    return call.name, json.loads(call.arguments)


def test_first_the_thing_then_the_whole_question_is_located() -> None:
    question = "Where is the mug on the table?"
    assert _next(question) == ("locate", {"thing": "where is the mug", "max_hits": 5})
    assert _next(question, {"hits": [MUG]}) == ("locate", {"thing": question, "max_hits": 5})
    name, said = _next(question, {"hits": [MUG]}, {"hits": [MUG]})
    assert (name, said["found"]) == ("answer", True)
    assert (said["object_ids"], said["keyframe_ids"]) == (["mug_1"], [3, 4])


def test_thing_that_is_not_found_was_not_seen() -> None:
    name, said = _next("Where is the mug on the table?", {"hits": []})
    assert (name, said["found"], said["object_ids"]) == ("answer", False, [])


def test_question_of_one_part_is_located_once() -> None:
    assert _next("Where is the mug?", {"hits": [MUG]})[0] == "answer"
