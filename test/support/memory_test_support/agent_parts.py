"""Stand-ins for what an agent works with: tools that know three things, and a clock."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_nodes.answering.agents.run import AgentRun
from memory_nodes.models.ports import ToolCall


@dataclass(frozen=True)
class Found:
    """A ToolReply."""

    is_ok: bool
    result: Mapping[str, Any]
    text: str
    object_ids: tuple[str, ...] = ()
    keyframe_ids: tuple[int, ...] = ()

    def as_json(self) -> str:
        return json.dumps(self.result)


MUG = Found(True, {"hits": [{"id": "mug_1"}]}, "The mug is on the desk.", ("mug_1",), (3, 4))
NOTHING = Found(True, {"hits": []}, "Nothing was found.")
REFUSED = Found(False, {"error": "no such tool: use locate"}, "no such tool: use locate")


class ThreeTools:
    """Tools of which "locate" finds what its text names; what they were asked is kept."""

    def __init__(self, found: Mapping[str, Found] | None = None) -> None:
        self._found = {"mug": MUG} if found is None else dict(found)
        self.asked: list[tuple[str, str]] = []

    def schemas(self) -> Sequence[Mapping[str, Any]]:
        parameters = {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
            "additionalProperties": False,
        }
        return [
            {
                "type": "function",
                "function": {"name": name, "description": "looks", "parameters": parameters},
            }
            for name in ("locate", "recall", "body_status")
        ]

    async def call(
        self, tool: str, arguments_json: str, now_ns: int, max_chars: int = 6000
    ) -> Found:
        self.asked.append((tool, arguments_json))
        if tool != "locate":
            return REFUSED
        return self._found.get(json.loads(arguments_json)["text"], NOTHING)


class SteppingClock:
    """Goes on by the same time at each look."""

    def __init__(self, step_s: float = 0.01) -> None:
        self.step_s = step_s
        self._now_s = 100.0

    def __call__(self) -> float:
        self._now_s += self.step_s
        return self._now_s


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name, json.dumps(arguments), "call_1")


def locate(text: str) -> ToolCall:
    return call("locate", text=text)


def answer(
    text: str,
    object_ids: Sequence[str] = (),
    keyframe_ids: Sequence[int] = (),
    found: bool = True,
) -> ToolCall:
    return call("answer", **answer_fields(text, object_ids, keyframe_ids, found))


def answer_fields(
    text: str,
    object_ids: Sequence[str] = (),
    keyframe_ids: Sequence[int] = (),
    found: bool = True,
) -> dict[str, Any]:
    return {
        "answer": text,
        "found": found,
        "object_ids": list(object_ids),
        "keyframe_ids": list(keyframe_ids),
        "confidence": 0.9,
    }


def outcome(run: AgentRun) -> tuple[Any, ...]:
    """What an answer says, without how it came about."""
    return run.text, run.found, run.object_ids, run.keyframe_ids, run.degraded
