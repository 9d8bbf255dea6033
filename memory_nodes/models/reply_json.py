"""Finds the JSON in what a model wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from memory_nodes.errors import ReplyError

_THINKING = re.compile(r"<think>.*?(</think>|\Z)", re.DOTALL)
_OPENING = re.compile(r"[{\[]")
MAX_FAILURES = 1000
"""Opening brackets that open no JSON; after more of them a reply is noise."""


def parse_json(text: str) -> Any:
    """The longest whole JSON object or array in a reply: bare, fenced, or amid some prose.

    Not the first, since prose like "Frame [0] shows:" holds JSON too. What a model thought aloud
    before its answer does not count.

    Raises ReplyError when there is none.
    """
    values = list(_values(_THINKING.sub("", text)))
    if not values:
        raise ReplyError(f"no JSON in a reply of {len(text)} characters: {text[:80]!r}")
    _, longest = max(values, key=lambda found: found[0])
    return _storable(longest)


def _values(text: str) -> Iterator[tuple[int, Any]]:
    """Each JSON object or array that is inside no other, with its length in characters."""
    decoder = json.JSONDecoder()
    failures, position = 0, 0
    while failures < MAX_FAILURES and (opening := _OPENING.search(text, position)) is not None:
        start = opening.start()
        try:
            value, position = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):  # also a number of thousands of digits
            failures, position = failures + 1, start + 1
            continue
        yield position - start, value


def _storable(value: Any) -> Any:
    """The same without NUL and lone surrogates, which neither SQLite nor a ROS string takes."""
    if isinstance(value, str):
        return value.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in value.items()}
    return value
