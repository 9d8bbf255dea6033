"""The conversation with a model that calls tools, within a budget."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory_nodes.models.ports import Message, ToolCall
from memory_nodes.models.prompt_json import without_tags

MAX_REMARK_CHARS = 500
MAX_CALL_CHARS = 500
MAX_NAME_CHARS = 64
"""What the API allows the name of a tool; ids of calls are shorter."""
MESSAGE_CHARS = 50
"""What a message or a call takes besides its text."""
LEFT_OUT = '{"left_out": "for want of room"}'


@dataclass(frozen=True)
class Result:
    """A call and what came of it."""

    call: ToolCall
    text: str
    is_found: bool
    """By a tool; else it is a hint of ours, or why the tool was not called."""


class ToolResults:
    """What was asked, called and found. The oldest results make room for the newest.

    ``max_chars``: of all messages together.
    """

    def __init__(self, asked: str, max_chars: int) -> None:
        self._asked = asked
        self._max_chars = max_chars
        self._turns: list[list[Result] | tuple[Message, Message]] = []
        self._open: list[Result] = []
        self.has_looked = False
        """A tool has answered, whatever became of its result since."""

    def holds(self, call: ToolCall) -> bool:
        """The same call was made, and its result is still there."""
        key = _key(call)
        return any(each.is_found and _key(each.call) == key for each in self._results())

    def share(self, calls: Sequence[ToolCall]) -> int:
        """Characters for the result of each of these calls, once all older ones have made room."""
        asked = len(self._asked) + 2 * MESSAGE_CHARS
        called = sum(_chars_of(_bounded(call)) + MESSAGE_CHARS for call in calls)
        return max(0, self._max_chars - asked - called) // max(1, len(calls))

    def add(self, call: ToolCall, text: str, *, is_found: bool = True) -> None:
        """``text``: JSON; ``is_found``: a refused call has found nothing, not even that there is
        nothing.
        """
        self.has_looked = self.has_looked or is_found
        self._open.append(Result(_bounded(call), without_tags(text), is_found))

    def add_hint(self, call: ToolCall, hint: str) -> None:
        text = json.dumps({"hint": hint}, ensure_ascii=False)
        self._open.append(Result(_bounded(call), text, is_found=False))

    def end_turn(self) -> str:
        """All calls that were made at once are answered: with this."""
        answered, self._open = self._open, []
        self._turns.append(answered)
        shown = "\n".join(each.text for each in answered)
        self._make_room()
        return shown

    def add_remark(self, text: str, hint: str) -> None:
        """What the model said instead of a call, and what it is told then."""
        said = Message("assistant", text[:MAX_REMARK_CHARS])
        self._turns.append((said, Message("user", hint)))
        self._make_room()

    def messages(self) -> tuple[Message, ...]:
        said = [Message("user", self._asked)]
        for turn in self._turns:
            if isinstance(turn, tuple):
                said += turn
                continue
            said.append(Message("assistant", "", calls=tuple(each.call for each in turn)))
            said += [Message("tool", each.text, call_id=each.call.call_id) for each in turn]
        return tuple(said)

    def found(self) -> list[dict[str, Any]]:
        """The results alone, for a prompt without tools."""
        return [
            {"tool": each.call.name, "arguments": each.call.arguments, "result": _plain(each.text)}
            for each in self._results()
            if each.is_found
        ]

    def _results(self) -> Iterator[Result]:
        for turn in self._turns:
            if isinstance(turn, list):
                yield from turn
        yield from self._open

    def _make_room(self) -> None:
        """Of the newest results none is left out, unless a tool gave more than its share."""
        for turn in self._turns[:-1]:
            self._leave_out(turn)
        while self._excess() > 0 and len(self._turns) > 1:
            del self._turns[0]
        self._leave_out(self._turns[-1])

    def _leave_out(self, turn: list[Result] | tuple[Message, Message]) -> None:
        if isinstance(turn, tuple):
            return
        for number, each in enumerate(turn):
            if self._excess() > 0 and len(each.text) > len(LEFT_OUT):
                turn[number] = replace(each, text=LEFT_OUT, is_found=False)

    def _excess(self) -> int:
        """Characters too many."""
        messages = self.messages()
        texts = sum(len(message.text) + MESSAGE_CHARS for message in messages)
        calls = sum(_chars_of(call) for message in messages for call in message.calls)
        return texts + calls - self._max_chars


def _chars_of(call: ToolCall) -> int:
    return len(call.name) + len(call.arguments) + MESSAGE_CHARS


def _key(call: ToolCall) -> tuple[str, str]:
    """The same however the arguments are written."""
    try:
        return call.name, json.dumps(json.loads(call.arguments), sort_keys=True)
    except (ValueError, RecursionError):  # no JSON, or nested without end
        return call.name, call.arguments


def _bounded(call: ToolCall) -> ToolCall:
    """What is longer is nonsense, and would be read again and again."""
    has_room = len(call.arguments) <= MAX_CALL_CHARS
    return ToolCall(
        name=call.name[:MAX_NAME_CHARS],
        arguments=call.arguments if has_room else '{"left_out": "too long"}',
        call_id=call.call_id[:MAX_NAME_CHARS],
    )


def _plain(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
