"""What an agent did: every word of the model and all that it was shown, to be read and replayed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from memory_nodes.errors import InputError
from memory_nodes.models.ports import Reply, ToolCall, Turn

FORMAT = "agent_trace_v1"
MAX_CHARS = 10_000_000


@dataclass(frozen=True)
class Said:
    """One call of a model, and what it said or why it said nothing."""

    task: str
    """Of the prompt."""
    turn: Turn
    milliseconds: float
    error: str = ""
    is_rejected: bool = False
    """The error is that it refuses such requests, not that it did not answer."""


@dataclass(frozen=True)
class Step:
    """What the model said, about pictures too, and what came of it, as it was shown it."""

    said: tuple[Said, ...]
    shown: str = ""


@dataclass(frozen=True)
class Trace:
    """One question, from first to last step."""

    agent: str
    question: str
    now_ns: int
    deadline_s: float
    steps: tuple[Step, ...]
    readings_s: tuple[float, ...]
    """Of the clock, since the beginning: when the agent looked at it."""

    @property
    def milliseconds(self) -> float:
        """Until the last reading; the model's time included."""
        return 1000.0 * self.readings_s[-1] if self.readings_s else 0.0

    @property
    def said(self) -> tuple[Said, ...]:
        return tuple(said for step in self.steps for said in step.said)

    @property
    def prompt_tokens(self) -> int:
        """As far as the server counts them."""
        return sum(said.turn.reply.prompt_tokens for said in self.said)

    @property
    def completion_tokens(self) -> int:
        return sum(said.turn.reply.completion_tokens for said in self.said)

    def as_json(self) -> str:
        sums = {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "milliseconds": self.milliseconds,
        }
        return json.dumps({"format": FORMAT, **sums, **asdict(self)}, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Trace:
        """Raises InputError for a text that is no trace."""
        if len(text) > MAX_CHARS:
            raise InputError(f"a trace of {len(text)} characters, the limit is {MAX_CHARS}")
        try:
            value = json.loads(text)
            if value["format"] != FORMAT:
                raise InputError(f"a trace of the form {value['format']!r}, {FORMAT} is known")
            return cls(
                agent=str(value["agent"]),
                question=str(value["question"]),
                now_ns=int(value["now_ns"]),
                deadline_s=float(value["deadline_s"]),
                steps=tuple(map(_step, value["steps"])),
                readings_s=tuple(map(float, value["readings_s"])),
            )
        except InputError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise InputError(f"no trace of an agent: {text[:80]!r} ({error!r})") from error


def _step(value: Mapping[str, Any]) -> Step:
    return Step(tuple(map(_said, value["said"])), str(value["shown"]))


def _said(value: Mapping[str, Any]) -> Said:
    turn = value["turn"]
    calls = tuple(ToolCall(**call) for call in turn["calls"])
    return Said(
        task=str(value["task"]),
        turn=Turn(replace(Reply("", True), **turn["reply"]), calls),
        milliseconds=float(value["milliseconds"]),
        error=str(value["error"]),
        is_rejected=bool(value["is_rejected"]),
    )
