"""What a text names, and what it only mentions: a poster that says "stairs" is no stairs."""

from __future__ import annotations

import re

from memory_nodes.words import STOP_WORDS, words

_MENTION = re.compile(
    r"""["\u201c\u201e\u00ab:]|(?<!\w)['\u2018]"""
    r"|\b(?:says?|saying|reads|labell?ed|titled|shows|showing|depicts|depicting|about)\b"
    r"|(?<=\bpicture )of\b|(?<=\bphoto )of\b|(?<=\bpainting )of\b|(?<=\bdrawing )of\b"
    r"|(?<=\bimage )of\b|(?<=\bposter )of\b"
    r"|\b(?:next|close) to\b|\b(?:left|right|front) of\b"
    r"|\b(?:near|beside|behind|between|opposite|against|towards?|leading|pointing)\b"
    r"|\b(?:on|in|inside|at|by|above|over|under|underneath|below|beneath)\b"
    r"|\b(?:to|from|for) (?:the|an?)\b|\bfor \w+ing\b",
    re.I,
)
"""What follows is written on a thing or stands beside it, and is something else."""


_MARK = r"""["\u201c\u201d\u201e\u00ab\u00bb]"""
_QUOTED = re.compile(
    rf"{_MARK}.*?(?:{_MARK}|$)"
    r"|(?<!\w)['\u2018].*?(?:['\u2019](?!\w)|$)"
    rf"|(?::|\b(?:says?|saying|reads|labell?ed|titled)\b(?! *(?:{_MARK}|['\u2018])))[^.!?\n]*",
    re.I | re.S,
)
"""What is written on a thing or said by somebody, not what is there."""


def without_quotes(text: str) -> str:
    """A text without what it only quotes: of 'a poster: mind the stairs' it is 'a poster'."""
    return " ".join(_QUOTED.sub(" ", text).split())


def naming_part(text: str) -> str:
    """The beginning of a text, in which it says what a thing is and has: something at least, so
    that of "go to the sheet about the fleet" it is "go to the sheet".
    """
    for found in _MENTION.finditer(text):
        part = text[: found.start()]
        if any(word not in STOP_WORDS for word in words(part)):
            return part
    return text
