"""What a text names, and what it only mentions: a poster that says "stairs" is no stairs."""

from __future__ import annotations

import re

_MENTION = re.compile(
    r"""["\u201c\u201e\u00ab:]|(?<!\w)['\u2018]"""
    r"|\b(?:says?|saying|reads|labell?ed|titled|shows|showing|depicts|depicting|about)\b"
    r"|(?<=\bpicture )of\b|(?<=\bphoto )of\b|(?<=\bpainting )of\b|(?<=\bdrawing )of\b"
    r"|(?<=\bimage )of\b|(?<=\bposter )of\b"
    r"|\b(?:next|close) to\b|\b(?:left|right|front) of\b"
    r"|\b(?:near|beside|behind|between|opposite|against|towards?|leading|pointing)\b"
    r"|\b(?:on|in|inside|at|by|above|over|under|underneath|below|beneath)\b"
    r"|\b(?:to|from|for) (?:the|an?)\b",
    re.I,
)
"""What follows is written on a thing or stands beside it, and is something else."""


def naming_part(text: str) -> str:
    """The beginning of a text, in which it says what a thing is and has.

    The whole where it begins with a mention: '"Exit" sign'.
    """
    found = _MENTION.search(text)
    head = text if found is None else text[: found.start()]
    return head if head.strip() else text
