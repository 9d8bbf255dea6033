"""A model that goes by a script: it reads what it is given, by plain rules, and knows nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memory_nodes.models.ports import Conversation, Message, Prompt, Reply, ToolCall, Turn
from memory_nodes.retrieval.context import CHARS_PER_TOKEN
from memory_nodes.retrieval.question import read_question
from memory_test_support.model_server.answering import answer, doubt

MODEL = "stand-in:scripted"
HITS = 5
"""That it asks a tool for."""


class ScriptedModel:
    """A ToolModel. An answer is that of the stand-in server, by the words of question and context.

    With tools it locates the thing that the question names; if that was seen, it locates the whole
    question, which says which one, and answers with what that has found.
    """

    async def complete(self, prompt: Prompt, deadline_s: float) -> Reply:
        asked = json.loads(prompt.text)
        said = doubt(asked) if prompt.task == "doubt" else answer(asked)
        return _reply(said, prompt.system + prompt.text)

    async def call_tools(self, conversation: Conversation, deadline_s: float) -> Turn:
        question = json.loads(conversation.messages[0].text)["question"]
        things = list(dict.fromkeys((read_question(question).sought, question)))
        results = [item.text for item in conversation.messages if item.role == "tool"]
        hits = json.loads(results[-1]).get("hits", []) if results else []
        name, arguments = "answer", _answer(hits)
        if not results or (hits and len(results) < len(things)):
            name, arguments = "locate", {"thing": things[len(results)], "max_hits": HITS}
        read = conversation.system + json.dumps(conversation.tools) + _said(conversation.messages)
        return Turn(_reply(arguments, read), (ToolCall(name, json.dumps(arguments), "1"),))


def _answer(hits: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    object_ids = [hit["id"] for hit in hits if hit["kind"] == "object"]
    keyframe_ids = [key for hit in hits for key in hit.get("keyframe_ids", [])]
    return {
        "answer": hits[0].get("text", hits[0].get("name")) if hits else "I have not seen that.",
        "found": bool(hits),
        "object_ids": object_ids,
        "keyframe_ids": list(dict.fromkeys(keyframe_ids)),
        "confidence": hits[0].get("confidence", 0.5) if hits else 0.0,
    }


def _said(messages: Sequence[Message]) -> str:
    calls = (call.name + call.arguments for item in messages for call in item.calls)
    return "".join((*(item.text for item in messages), *calls))


def _reply(said: Mapping[str, Any], read: str) -> Reply:
    text = json.dumps(said)
    return Reply(text, True, MODEL, len(read) // CHARS_PER_TOKEN, len(text) // CHARS_PER_TOKEN)
