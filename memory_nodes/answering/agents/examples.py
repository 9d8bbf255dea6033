"""Examples of how questions of the same kind were answered at the console."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from memory_nodes.models.prompt_files import prompt_text
from memory_nodes.words import STOP_WORDS, words

EXAMPLES_VERSION = "examples_v1"
_TIMES = frozenset(
    "today yesterday ago before after last first next week weeks day days month months hour hours "
    "minute minutes morning afternoon evening night times often many long during".split()
)
_KIND_WORDS = STOP_WORDS | _TIMES
_OTHER = "_"
"""Stands for the words that name tasks and things."""


@dataclass(frozen=True)
class Example:
    """A question, and a console in which it was answered."""

    question: str
    text: str


def similar_examples(question: str, count: int) -> list[Example]:
    """Those whose questions are most of the same kind, the best first.

    What a question is about is crossed out first, so that its kind decides: when, how often, what
    after. Source: H-EMV, section IV-A (few-shot samples).
    """
    asked = _kind(question)
    return sorted(_examples(), key=lambda each: -_likeness(asked, _kind(each.question)))[:count]


@cache
def _examples() -> tuple[Example, ...]:
    """In the file divided by lines of dashes; each begins with its question."""
    blocks = prompt_text(__package__, EXAMPLES_VERSION).split("\n---\n")
    return tuple(
        Example(block.strip().partition("\n")[0].removeprefix("Question: "), block.strip())
        for block in blocks
    )


def _kind(question: str) -> frozenset[tuple[str, ...]]:
    """Words and pairs of words of a question, names of things crossed out."""
    crossed = [word if word in _KIND_WORDS else _OTHER for word in words(question)]
    plain = ["", *crossed]
    pairs = {(plain[n], plain[n + 1]) for n in range(len(plain) - 1)}
    return frozenset(pairs | {(word,) for word in crossed if word != _OTHER})


def _likeness(first: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]]) -> float:
    """Shared part of all that either has (Jaccard)."""
    return len(first & other) / max(1, len(first | other))
