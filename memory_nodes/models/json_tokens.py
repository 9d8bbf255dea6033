"""Texts, numbers and words inside JSON that a model wrote with a careless hand."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_nodes.models.json_values import NUMBER_TEXT, UNFINISHED, Value

QUOTES = {'"': '"', "'": "'", "“": "“”", "”": "“”", "\u2018": "\u2018\u2019", "`": "`"}
"""Each opening quote with those that may end its text."""
MAX_NUMBER_CHARS = 40

_CONSTANTS: dict[str, Value] = {
    **{"null": None, "none": None, "undefined": None, "nil": None},
    **{"true": True, "false": False, "nan": float("nan")},
    **{"infinity": float("inf"), "-infinity": float("-inf")},
}
_LIST_WORD = re.compile(r"[^\s,;\uff0c、(){}\[\]<]+|<")
_OBJECT_WORD = re.compile(r"[^,\uff0c(){}\[\]\n\"“<]+|<")
_KEY_WORD = re.compile(r"([^\s,:=\uff1a\uff0c(){}\[\]\"“<]+|<)[\"'”]?")
_END_OF_VALUE = (
    r"\s*(?:\Z|[,;:\uff1a\uff0c}\])<=`]|//|/\*|[\"'“][^\"'“”\n]{1,80}[\"'”]\s{0,20}[:\uff1a=])"
    r"|\s+[\"“]"
)
_AFTER_VALUE = re.compile(_END_OF_VALUE)
_AFTER_KEY = re.compile(rf"{_END_OF_VALUE}|\s*[\[{{(\"'“\d-]")
_COLON = re.compile(r"\s*[:\uff1a]")
_LOST_END = re.compile(r"\s*[,\uff0c}\]\n]")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|\n|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}


@dataclass(frozen=True)
class Token:
    """A scalar and the position after it."""

    value: Value
    end: int


def read_text(text: str, start: int, is_key: bool) -> Token:
    """The text between quotes that begins at ``start``.

    A quote inside it ("a 12" pipe") is told from its end by what follows. Where the end is
    missing, so that it would run into the next key, it ends at the next comma, bracket or line.
    """
    body = re.compile(rf"[^\\{QUOTES[text[start]]}]*")
    after = _AFTER_KEY if is_key else _AFTER_VALUE
    position = start + 1
    first_inner = -1
    while True:
        matched = body.match(text, position)
        position = matched.end() if matched else position
        if position >= len(text):
            return Token(UNFINISHED, len(text))
        if text[position] == "\\":
            position += 2
            continue
        if after.match(text, position + 1):
            break
        first_inner = position if first_inner < 0 else first_inner
        position += 1
    if not is_key and first_inner >= 0 and _COLON.match(text, position + 1):
        lost = _LOST_END.search(text, start + 1, first_inner)
        if lost is not None:
            return Token(unescaped(text[start + 1 : lost.start()]), lost.start())
    return Token(unescaped(text[start + 1 : position]), position + 1)


def read_word(text: str, start: int, in_object: bool) -> Token:
    """A number, a constant or a text without quotes; in a list it ends at white space."""
    pattern = _OBJECT_WORD if in_object else _LIST_WORD
    matched = pattern.match(text, start)
    if matched is None:
        return Token(None, start + 1)
    word = matched.group().strip()
    value = constant(word)
    if matched.end() >= len(text) and value is not None and not isinstance(value, bool):
        value = UNFINISHED
    return Token(value, matched.end())


def read_key_word(text: str, start: int) -> tuple[str, int]:
    """A key without quotes and the position after it."""
    matched = _KEY_WORD.match(text, start)
    return (matched.group(1), matched.end()) if matched else ("", start + 1)


def constant(word: str) -> Value:
    """The value of a word: a number (017 is 17), a constant in any spelling, or a text."""
    number = number_of(word)
    if number is not None:
        return number
    lower = word.lower()
    return _CONSTANTS[lower] if lower in _CONSTANTS else storable(word)


def number_of(word: str) -> int | float | None:
    """A decimal number that is the whole word; leading zeros mean nothing."""
    if not NUMBER_TEXT.fullmatch(word):
        return None
    if word.lstrip("+-").isdecimal() and len(word) <= MAX_NUMBER_CHARS:
        return int(word)
    return float(word)


def unescaped(raw: str) -> str:
    """The text that its JSON or Python escapes stand for; an unknown escape stands for itself."""

    def character(matched: re.Match[str]) -> str:
        code = matched.group(1)
        if len(code) == 5:
            return chr(int(code[1:], 16))
        return _ESCAPED.get(code, code)

    return storable(_ESCAPE.sub(character, raw) if "\\" in raw else raw)


def storable(text: str) -> str:
    """Without NUL and lone surrogates, which neither SQLite nor a ROS string takes."""
    text = text.replace("\0", " ")
    if text.isascii():
        return text
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return joined.encode("utf-8", "replace").decode("utf-8")
