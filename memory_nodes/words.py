"""Words of a text in the form in which they are compared, and words for an age."""

from __future__ import annotations

import re
from functools import lru_cache

import snowballstemmer

from memory_nodes.records import NS_PER_S

_ID = r"[^\W\d_][^\W_]*(?:_[^\W_]+){0,5}_\d+(?!\w)"
_WORD = re.compile(rf"{_ID}|[^\W_]+")
_ONLY_ID = re.compile(_ID)
_STEMMER = snowballstemmer.stemmer("english")

STOP_WORDS = frozenset(
    "a an the this that these those some any it its i me my we our you your he she they them "
    "is are was were be been am do does did done have has had can could would should will shall "
    "may might must what which who whom whose where when why how there here "
    "of to in on at by for from with without into onto over under between and or not no but if "
    "as so than then too very just please tell show find see seen saw take bring lead go get "
    "put up make lies lie stand stands stood hang hangs know about one thing something "
    "anything".split()
)


def words(text: str) -> list[str]:
    """Lower-case words, in order; an id, "coffee_table_3", is one word."""
    return _WORD.findall(text.lower())


def is_id(word: str) -> bool:
    """Whether it has the form of an object's id."""
    return _ONLY_ID.fullmatch(word) is not None


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem that inflected forms of a word share (Snowball, English)."""
    return str(_STEMMER.stemWord(word))


def stems(text: str) -> list[str]:
    """Stems of all words of a text, in order."""
    return [stem(word) for word in words(text)]


def age_text(stamp_ns: int, now_ns: int) -> str:
    """How long ago, in words."""
    seconds = max(0, (now_ns - stamp_ns) // NS_PER_S)
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length:
            count = seconds // length
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return f"{seconds} seconds ago"


def shortened(text: str, max_chars: int) -> str:
    """On one line and of no more characters, cut at a word."""
    line = " ".join(text.split())
    if len(line) <= max_chars:
        return line
    return line[: max_chars - 1].rpartition(" ")[0] + "…"
