"""Finds the JSON in what a model wrote."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from memory_nodes.errors import ReplyError
from memory_nodes.models.json_reader import Span, read_values
from memory_nodes.models.json_values import JsonList, JsonObject, Value, plain
from memory_nodes.models.reply_text import answer_of

MAX_CHARS = 1_000_000
"""A longer reply is noise, or data that nobody asked for; the rest of it is not read."""

_TOOL_KEYS = {
    *("name", "tool", "tool_name", "function", "function_name", "action", "recipient"),
}
_TOOL_NAME = re.compile(
    r"^(?:image_)?(?:zoom|crop|enlarge|magnify)(?:_?\w*)?$|_tool$", re.IGNORECASE
)
_LOST_BRACE = re.compile(r"[\s`]*(?:json)?\s*[\"'“]\w[\w ]{0,40}[\"'”]\s*:")
_ENDS_IN_FENCE = re.compile(r"```\w*\s*\Z")


@dataclass(frozen=True)
class ReplyJson:
    """The objects and lists of an answer that are inside no other, in order."""

    text: str
    """The answer: what was thought aloud or asked of a tool is left out."""
    values: tuple[JsonObject | JsonList, ...]
    has_calls: bool
    """It asks for a tool."""
    is_open: bool
    """The reply ended inside something: a value, a thought, a request, an empty code block."""


def find_json(text: str) -> ReplyJson:
    """All JSON of a reply, defects included; nothing is completed that was not written."""
    answer = answer_of(unpacked(text[:MAX_CHARS]))
    lost = _LOST_BRACE.match(answer.text)
    spans = read_values("{" + answer.text if lost else answer.text, is_brace_lost=bool(lost))
    is_open = (
        answer.is_cut_off
        or len(text) > MAX_CHARS
        or any(not span.is_whole for span in spans)
        or (not spans and _ENDS_IN_FENCE.search(answer.text[-200:]) is not None)
    )
    values = tuple(span.value for span in spans)
    return ReplyJson(answer.text, values, answer.has_calls, is_open)


def unpacked(text: str) -> str:
    """The reply inside a reply that is one JSON text."""
    inside = text.strip()
    if len(inside) > 1 and inside[0] == inside[-1] == '"' and '\\"' in inside:
        return inside[1:-1].replace('\\"', '"').replace("\\n", "\n").replace("\\t", "\t")
    return text


def parse_json(text: str) -> Any:
    """The longest whole JSON object or array in a reply: bare, fenced, or amid some prose.

    Not the first, since prose like "Frame [0] shows:" holds JSON too.

    Raises ReplyError when there is none.
    """
    answer = answer_of(text[:MAX_CHARS])
    whole = [span for span in read_values(answer.text) if span.is_whole]
    if not whole:
        raise ReplyError(f"no JSON in a reply of {len(text)} characters: {text[:80]!r}")
    longest: Span = max(whole, key=lambda span: span.end - span.start)
    return plain(longest.value)


def is_tool_call(value: Value) -> bool:
    """An object with the name of a tool and what to call it with."""
    if not isinstance(value, JsonObject):
        return False
    keys = {key.lower() for key, _ in value.pairs}
    if any(
        key.lower() in _TOOL_KEYS and isinstance(item, str) and _TOOL_NAME.search(item)
        for key, item in value.pairs
    ):
        return True
    return bool(
        keys & {"tool_calls", "function_call", "tool_call"}
        or (
            keys & _TOOL_KEYS
            and keys
            & {"arguments", "parameters", "args", "action_input", "tool_input", "input", "kwargs"}
        )
    )
