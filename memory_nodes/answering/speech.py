"""What is spoken of an answer."""

from __future__ import annotations

import re

MAX_SPOKEN_CHARS = 200
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^a-z])|\n")


def spoken(text: str) -> str:
    """The first sentence, cut between words where it is long."""
    first = _SENTENCE_END.split(text.strip(), maxsplit=1)[0].strip()
    if len(first) <= MAX_SPOKEN_CHARS:
        return first
    cut = first[: MAX_SPOKEN_CHARS - 3].rsplit(" ", 1)[0]
    return f"{cut.rstrip(',;: ')}..."
