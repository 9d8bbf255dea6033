"""Whether the thing that was driven to is still there: a question about one picture."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum

from memory_nodes.errors import ReplyError
from memory_nodes.models.ports import Picture, Prompt, Reply
from memory_nodes.models.prompt_files import prompt_text
from memory_nodes.models.reply_json import parse_json
from memory_nodes.models.reply_schema import closed_object
from memory_nodes.parameters import parameter
from memory_nodes.records import ObjectDescriptor
from memory_nodes.words import shortened

PROMPT_VERSION = "arrival_v1"
TASK = "arrival_check"
MAX_REASON_CHARS = 200
MAX_WORDS_CHARS = 300


@dataclass(frozen=True)
class ArrivalConfig:
    """How the robot looks whether a thing is still there."""

    verify_spoken: bool = parameter(
        False, "look on arrival for goals that come as a command, too", is_dynamic=True
    )
    face_within_rad: float = parameter(
        0.2, "turn to a thing that is not ahead as exactly", unit="rad", low=0.0, high=3.15
    )
    picture_timeout_s: float = parameter(
        5.0, "wall time to wait for a picture after arrival", unit="s", low=0.1, high=60.0
    )
    picture_max_side_px: int = parameter(
        1280, "a larger picture is made smaller", unit="px", low=64, high=8192
    )
    verify_timeout_s: float = parameter(
        20.0, "wall time for the model to look at it", unit="s", low=0.1, high=600.0
    )


class Presence(Enum):
    """Whether a thing is there."""

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"


@dataclass(frozen=True)
class Sighted:
    """What came of a look."""

    presence: Presence
    reason: str = ""


def looks_of(descriptor: ObjectDescriptor) -> str:
    """What a thing looks like, for the model."""
    attributes = ", ".join(f"{key} {value}" for key, value in descriptor.attributes.items())
    parts = (descriptor.name, descriptor.type, descriptor.description, attributes)
    return shortened("; ".join(part for part in parts if part), MAX_WORDS_CHARS)


def arrival_prompt(looks: str, jpeg: bytes) -> Prompt:
    """Asks whether a thing shows in a picture."""
    return Prompt(
        task=TASK,
        system=prompt_text(__package__, PROMPT_VERSION),
        text=json.dumps({"task": TASK, "thing": looks}, ensure_ascii=False),
        reply_schema=closed_object(
            present={"type": "string", "enum": [item.value for item in Presence]},
            reason={"type": "string"},
        ),
        pictures=(Picture("The picture that was just taken:", jpeg),),
        temperature=0.0,
        max_tokens=256,
    )


def read_arrival(reply: Reply) -> Sighted:
    """Raises ReplyError when the reply is cut off or does not say yes, no or unsure."""
    value = parse_json(reply.text)
    said = value.get("present") if isinstance(value, dict) else None
    known = {item.value: item for item in Presence}
    word = said.strip().lower() if isinstance(said, str) else ""
    if not reply.is_complete or word not in known:
        raise ReplyError(
            f"present is {str(said)[:40]!r}, one of yes, no, unsure was asked for: "
            f"{reply.text[:80]!r}"
        )
    reason = value.get("reason")
    words = shortened(reason, MAX_REASON_CHARS) if isinstance(reason, str) else ""
    return Sighted(known[word], words)
