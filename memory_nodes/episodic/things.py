"""Names of things: in lists of detections, and when two of them may mean the same thing."""

from __future__ import annotations

import re
from functools import lru_cache

from memory_nodes.words import STOP_WORDS, stem, stems, words

MAX_NAME_CHARS = 80
MAX_NAME_WORDS = 5
_SEPARATOR = re.compile(r"[,;|\n]|\band\b")
_LEADING = re.compile(
    r"^(?:[-*\s]+|\d{1,3}\s*[x.)]?\s+|(?:a|an|the|some|one|two|three|four|several|many)\s+)+"
)
_TRAILING = re.compile(r"(?:\s*[(\[{][^()\[\]{}]*[)\]}]|[\s:=]+\d*\.?\d+\s*%?|\s+x\s*\d+)+\s*$")
_WORD = re.compile(r"[^\W_]+")
_NEXT_WORD = re.compile(r"[\s_-]+([^\W_]+)")
_LINKING = frozenset("of with in on for to at".split())
"""Words within a name; what follows them says more of the thing that stands before them."""
_NOTHING = frozenset("nothing none no not null unknown empty".split())


def things(text: str) -> list[str]:
    """Names in a list like 'chair, 2 tables, red mug (0.87)', each once; nothing from prose."""
    names: dict[tuple[str, ...], str] = {}
    for part in _SEPARATOR.split(text.replace("_", " ").lower()):
        name = " ".join(_TRAILING.sub("", _LEADING.sub("", part.strip())).strip(" .").split())
        if not name:
            continue
        if not _is_name(name):
            return []
        names.setdefault(name_key(name), name)
    return list(names.values())


@lru_cache(maxsize=65536)
def name_key(name: str) -> tuple[str, ...]:
    """What names have in common that differ in number and case only: their stems."""
    return tuple(stems(name))


@lru_cache(maxsize=65536)
def head_noun(name: str) -> str:
    """The stem of the word that says what it is: 'chain' of a key chain, 'cup' of a cup of tea."""
    found = words(name)
    end = next((place for place, word in enumerate(found) if word in _LINKING and place), None)
    before = found[:end]
    return stems(before[-1])[0] if before else ""


def is_said_in(name: str, text: str) -> bool:
    """Whether a text says a name, in whatever number; 'a key chain' says no key."""
    key = name_key(name)
    said = [(stem(found[0].lower()), found) for found in _WORD.finditer(text)]
    return bool(key) and any(
        tuple(own for own, _ in said[place : place + len(key)]) == key
        and _is_end_of_name(text, said[place + len(key) - 1][1])
        for place in range(len(said) - len(key) + 1)
    )


def _is_end_of_name(text: str, word: re.Match[str]) -> bool:
    """Whether what follows a word cannot be the noun that it only describes."""
    after = _NEXT_WORD.match(text, word.end())
    if after is None:
        return True
    following = after[1].lower()
    return following in STOP_WORDS or following.endswith(("ing", "ed"))


def may_be_one(name: str, other: str) -> bool:
    """Whether two names may be of one thing, where they mean almost the same.

    Both must have the same head noun, and one of them no word that the other lacks: a key chain
    is no key, and a red mug no blue one. Meaning alone takes them for one. Source: eMEM, whose
    false alarms are such names.
    """
    key, other_key = set(name_key(name)), set(name_key(other))
    return head_noun(name) == head_noun(other) and (key <= other_key or other_key <= key)


def _is_name(name: str) -> bool:
    found = words(name)
    return (
        0 < len(found) <= MAX_NAME_WORDS
        and len(name) <= MAX_NAME_CHARS
        and any(word.isalpha() for word in found)
        and not any(word in STOP_WORDS - _LINKING or word in _NOTHING for word in found)
    )
