"""Which known names a phrase means, so that a bear is not found where a teddy bear was seen."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memory_nodes.episodic.things import is_meant
from memory_nodes.words import STOP_WORDS, stem, words

_POSSESSIVE = re.compile("['\u2019]s\\b")
_FRAME = frozenset(
    map(
        stem,
        (
            "ever already once twice come came across notice spot encounter observe observation "
            "detect detection remember recall record appear appearance sighting view visible "
            "present exist pass walk look know first last latest early earliest recent recently "
            "often many much time second minute hour day today yesterday ago run tour moment "
            "start point position place location somewhere anywhere around within between near "
            "close next nearby beside together along during while whole entire before after since "
            "until about meter metre robot memory you"
        ).split(),
    )
)
"""Stems of words that ask, and name no thing."""


def phrases(question: str) -> list[str]:
    """The parts of a question that may name a thing, longest first: 'Where did you last see the
    red fire extinguisher?' has 'red fire extinguisher'.
    """
    found: list[list[str]] = [[]]
    for word in words(_POSSESSIVE.sub(" ", question)):
        if word in STOP_WORDS or stem(word) in _FRAME or word.isdecimal():
            found.append([])
        else:
            found[-1].append(word)
    return sorted((" ".join(part) for part in found if part), key=len, reverse=True)


def named(phrase: str) -> str:
    """The longest part of a phrase that may name a thing: 'blue vase' of 'the blue vase'."""
    return next(iter(phrases(phrase)), phrase)


def meant(phrase: str, known: Iterable[str]) -> list[str]:
    """The known names of what a phrase names."""
    return [name for name in known if is_meant(phrase, name)]
