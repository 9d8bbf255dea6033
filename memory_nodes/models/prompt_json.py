"""Data in a prompt: inside JSON, whatever it says, it cannot end where the data ends."""

from __future__ import annotations

import json
from typing import Any


def prompt_json(body: Any, *, is_compact: bool = False) -> str:
    """JSON that every server takes: halves of characters, which models do write, are replaced.

    ``is_compact``: without blanks between values.
    """
    separators = (",", ":") if is_compact else None
    written = json.dumps(body, ensure_ascii=False, separators=separators)
    return without_tags(whole_characters(written))


def without_tags(json_text: str) -> str:
    """The same JSON, without the signs by which some servers know where a message begins or ends:
    ``<|im_end|>``, ``</s>``, ``<tool_call>``.
    """
    return json_text.replace("<", "\\u003c")


def whole_characters(text: str) -> str:
    """A text without lone surrogates, which cannot be sent."""
    return text.encode("utf-8", "replace").decode("utf-8")
