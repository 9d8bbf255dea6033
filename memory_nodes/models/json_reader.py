"""Reads JSON as models write it, and never completes what was not written.

What is understood beyond JSON: trailing, missing and doubled commas, single and typographic quotes,
Python's constants and tuples, keys and texts without quotes, zero-padded numbers, comments, braces
too many, brackets lost, lists without brackets. A container that the end of the text leaves open
stays marked as open, and so does everything in it that was not finished.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_nodes.models.json_tokens import (
    QUOTES,
    number_of,
    read_key_word,
    read_text,
    read_word,
)
from memory_nodes.models.json_values import (
    JsonList,
    JsonObject,
    Unfinished,
    Value,
    has_lists,
    is_numbers,
)

MAX_DEPTH = 60
MAX_VALUES = 30_000
"""Containers and scalars in one reply; what comes after them is not read."""

_CLOSERS = {"{": "}", "[": "])", "(": "])"}
_OPENING = re.compile(
    r"\{(?=\s*(\Z|[\"'“{\[}]|\w+\s{0,9}[:=]))"
    r"|\[(?=\s*(\Z|[\"'“{\[(\]+-]|\.?\d|(true|false|null|None|True|False|NaN)\b))"
)
_SKIPPED = re.compile(
    r"\s+|//[^\n]*|/\*.{0,200}?\*/|#[^\n]*|<\|[^|<>\n]{0,40}\|>|</?\w{1,20}>|```\w*|\.{3}|…",
    re.DOTALL,
)
_COLON = re.compile(r"\s*[:\uff1a=]")
_KEY_AND_COLON = re.compile(r"(\w+)\s*:\s*")
_LIST_GOES_ON = re.compile(r"\s*(\]|[,\uff0c]\s*\{)")
_OBJECT_GOES_ON = re.compile(
    r"\s*(\}\s*[,\]}]|[,\uff0c]\s*[\"'“]?\w[^\"'“”,:{}\[\]\n]{0,60}[\"'”]?\s{0,9}[:\uff1a])"
)


@dataclass(frozen=True)
class Span:
    """A value that is inside no other, and where it stands."""

    value: JsonObject | JsonList
    start: int
    end: int
    is_whole: bool
    """False where the text ended inside it."""


@dataclass
class _Open:
    """A container that is being read."""

    opener: str
    node: JsonObject | JsonList
    key: str | None = None
    """Waits for its value."""
    is_stray: bool = False
    """A brace before another brace: it may be one too many."""


def end_of_value(text: str, start: int) -> tuple[int, bool]:
    """Where the value that begins at ``start`` ends, and whether it does before the text."""
    reader = _Reader(text, start, MAX_VALUES)
    reader.run()
    return max(reader.position, start + 1), reader.is_whole


def read_values(text: str, *, is_brace_lost: bool = False) -> list[Span]:
    """Every object and list of a text that is inside no other, in order.

    Where the first brace is one that the writer lost, its end may be lost as well.
    """
    spans: list[Span] = []
    position, left = 0, MAX_VALUES
    while left > 0 and (opening := _OPENING.search(text, position)) is not None:
        reader = _Reader(text, opening.start(), left)
        reader.run(is_stray=is_brace_lost and not spans)
        left = reader.left
        position = max(reader.position, opening.start() + 1)
        spans += [Span(value, opening.start(), position, reader.is_whole) for value in reader.roots]
    return spans


class _Reader:
    """Reads one value and what a lost bracket leaves beside it."""

    def __init__(self, text: str, start: int, left: int) -> None:
        self.position = start
        self.left = left
        self.roots: list[JsonObject | JsonList] = []
        self.is_whole = True
        self._text = text
        self._stack: list[_Open] = []

    def run(self, *, is_stray: bool = False) -> None:
        self._open(self._text[self.position])
        self._top.is_stray = is_stray
        while self._stack and self.left > 0 and len(self._stack) < MAX_DEPTH:
            skipped = _SKIPPED.match(self._text, self.position)
            if skipped is not None:
                self.position = skipped.end()
                continue
            if self.position >= len(self._text):
                break
            self._step(self._text[self.position])
        if self.left <= 0 or len(self._stack) >= MAX_DEPTH:
            self.position = len(self._text)
        for unclosed in reversed(self._stack):
            self.is_whole &= unclosed.is_stray
            unclosed.node.is_closed = self.is_whole

    def _step(self, character: str) -> None:
        if character in "{[(":
            self._open(character)
        elif character in "}])":
            self._close(character)
        elif character in ",;\uff0c、":
            self._comma()
        elif character in ":\uff1a=":
            self.position += 1
        elif isinstance(self._top.node, JsonObject) and self._top.key is None:
            self._read_key(self._top.node, character)
        else:
            self._read_scalar(character)

    @property
    def _top(self) -> _Open:
        return self._stack[-1]

    # containers

    def _open(self, opener: str) -> None:
        """An opening bracket; where no value may stand, what was before it is put right."""
        while self._stack and isinstance(self._top.node, JsonObject) and self._top.key is None:
            if not self._top.node.pairs:
                self._becomes_list()
            elif opener == "{":
                self._pop()
                if not self._stack:
                    return  # read_values goes on with what follows
            else:
                if not isinstance(self._top.node.pairs[-1][1], JsonList):
                    self._top.key = ""
                break
        node: JsonObject | JsonList = JsonObject() if opener == "{" else JsonList()
        self._attach(node)
        self._stack.append(_Open(opener, node))
        self.position += 1

    def _becomes_list(self) -> None:
        """``{ {...}, {...} }``: an object of objects without keys is a list."""
        was, now = self._top.node, JsonList()
        self._top.is_stray = True
        self._replace(was, now)
        self._top.node = now

    def _becomes_object(self) -> None:
        """``["label": "mug"]``: a list with a key is an object."""
        was, now = self._top.node, JsonObject()
        self._replace(was, now)
        self._top.node = now

    def _replace(self, was: JsonObject | JsonList, now: JsonObject | JsonList) -> None:
        if len(self._stack) == 1:
            self.roots[-1] = now
            return
        parent = self._stack[-2].node
        if isinstance(parent, JsonList):
            parent.items[-1] = now
        elif parent.pairs[-1][1] is was:
            parent.pairs[-1] = (parent.pairs[-1][0], now)

    def _attach(self, value: Value) -> None:
        """Into the container on top; without a key (``"a": (1, 2), (3, 4)``) to the last value."""
        self.left -= 1
        if not self._stack:
            assert isinstance(value, JsonObject | JsonList)
            self.roots.append(value)
            return
        node = self._top.node
        if isinstance(node, JsonList):
            node.items.append(value)
            return
        if self._top.key is None:
            key, before = node.pairs.pop()
            is_list = isinstance(value, JsonList) == has_lists(before)
            items = before.items if is_list and is_numbers(before) else [before]
            value = JsonList([*items, value], is_closed=True)
        else:
            key = self._top.key
        node.pairs.append((key, value))
        self._top.key = None

    def _close(self, closer: str) -> None:
        """A closing bracket: of the top, of what is below it, or one too many."""
        self.position += 1
        if closer in _CLOSERS[self._top.opener]:
            self._pop()
            return
        depth = len(self._stack) - 1
        while depth >= 0 and closer not in _CLOSERS[self._stack[depth].opener]:
            depth -= 1
        if depth < 0 or self._is_too_many(closer, depth):
            return
        while len(self._stack) > depth:
            self._pop()

    def _is_too_many(self, closer: str, depth: int) -> bool:
        """Whether the container that is open goes on after a bracket that is not its own."""
        if closer != "}":
            return _OBJECT_GOES_ON.match(self._text, self.position) is not None
        if is_numbers(self._top.node):
            return False
        goes_on = _LIST_GOES_ON.match(self._text, self.position)
        if goes_on is None or goes_on.group(1) == "]":
            return goes_on is not None
        return depth == 0 or not isinstance(self._stack[depth - 1].node, JsonList)

    def _pop(self) -> None:
        closed = self._stack.pop()
        if isinstance(closed.node, JsonObject) and closed.key is not None:
            closed.node.pairs.append((closed.key, None))
        closed.node.is_closed = True

    def _comma(self) -> None:
        self.position += 1
        if isinstance(self._top.node, JsonObject) and self._top.key is not None:
            self._attach(None)

    # scalars

    def _read_key(self, node: JsonObject, character: str) -> None:
        if character not in QUOTES:
            key, self.position = read_key_word(self._text, self.position)
        else:
            start = self.position
            token = read_text(self._text, start, is_key=True)
            self.position = token.end
            if isinstance(token.value, Unfinished):
                return
            key = str(token.value).strip()
            lost_quote = _KEY_AND_COLON.match(key)
            if lost_quote is not None and not _COLON.match(self._text, self.position):
                is_all = lost_quote.end() == len(key)
                self.position = token.end if is_all else start + 1 + lost_quote.end()
                key = lost_quote.group(1)
        number = number_of(key)
        if number is not None and node.pairs and not _COLON.match(self._text, self.position):
            self._attach(number)
        else:
            self._top.key = key or None

    def _read_scalar(self, character: str) -> None:
        in_object = isinstance(self._top.node, JsonObject)
        if character in QUOTES:
            token = read_text(self._text, self.position, is_key=False)
        else:
            token = read_word(self._text, self.position, in_object)
        self.position = token.end
        is_key = isinstance(token.value, str) and character in QUOTES
        if is_key and _COLON.match(self._text, self.position) and self._take_as_key(token.value):
            return
        if token.value == "" and character not in QUOTES:
            return
        self._attach(token.value)

    def _take_as_key(self, value: Value) -> bool:
        """A text before a colon is a key, whatever was expected; False where none can be."""
        top = self._top
        if isinstance(top.node, JsonObject):
            self._attach(None)
        elif not top.node.items:
            self._becomes_object()
        else:
            depth = len(self._stack) - 1
            while depth >= 0 and not isinstance(self._stack[depth].node, JsonObject):
                depth -= 1
            if depth < 0:
                return False
            while len(self._stack) > depth + 1:
                self._pop()
        self._top.key = str(value)
        return True
