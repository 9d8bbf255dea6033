"""Names of things: in lists of detections, and when two of them may mean the same thing."""

from __future__ import annotations

import re
from functools import lru_cache

from memory_nodes.words import STOP_WORDS, stem, stems, words

MAX_NAME_CHARS = 80
MAX_NAME_WORDS = 5
_SEPARATOR = re.compile(r"[,;|\n]|\band\b")
_LEADING = re.compile(
    r"[-*\s]+|\d{1,3}\s*[x.)]?\s+|(?:an?|the|some|one|two|three|four|several|many)\s+"
)
_TRAILING = re.compile(
    r"(?:[(\[{][^()\[\]{}]*[)\]}]|[:=]\s?\d+|[\s:=]\d*\.\d+|[\s:=]\d+(?:\.\d+)?\s?%|\sx\s?\d+)$"
)
"""A number or a confidence."""
MAX_PART_CHARS = 2 * MAX_NAME_CHARS
"""With its number; what is longer is prose."""
_WORD = re.compile(r"[^\W_]+")
_NEXT_WORD = re.compile(r"[\s_-]+([^\W_]+)")
_LINKING = frozenset("of with in on for to at".split())
"""Words within a name; what follows them says more of the thing that stands before them."""
_NOUNS = frozenset({"can"})
"""Stop words that are names too: a watering can, a can opener."""
_PROSE = STOP_WORDS - _LINKING - _NOUNS
ATTRIBUTES = frozenset(
    map(
        stem,
        (
            "red orange yellow green blue purple violet pink brown black white grey gray beige "
            "golden silver dark bright pale colorful coloured colored transparent "
            "big large huge small little tiny tall short long wide narrow thick thin round square "
            "old new modern antique broken clean dirty empty full open closed "
            "wooden metal metallic plastic glass leather ceramic paper cardboard steel stone fabric"
        ).split(),
    )
)
"""Stems of words that describe a thing without making it another one."""
_NOTHING = frozenset("nothing none no not null unknown empty".split())


def things(text: str) -> list[str]:
    """Names in a list like 'chair, 2 tables, red mug (0.87)', each once; nothing from prose."""
    names: dict[tuple[str, ...], str] = {}
    for part in _SEPARATOR.split(text.replace("_", " ").lower()):
        if len(part) > MAX_PART_CHARS:
            return []
        name = _bare(" ".join(part.split()))
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
    return following in STOP_WORDS - _NOUNS or following.endswith(("ing", "ed"))


def is_meant(name: str, known: str) -> bool:
    """Whether a name may mean a thing that is known by another one.

    The same but for number, and for words that only describe, of which the known name may have
    more and never less: a mug may be the red mug, but a red mug is not any mug, a key chain no key
    and a bear no teddy bear. Source: eMEM, whose false alarms are such names.
    """
    kind, described = _parts(name)
    known_kind, known_described = _parts(known)
    return bool(kind) and kind == known_kind and described <= known_described


@lru_cache(maxsize=65536)
def _parts(name: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """The stems that say what it is, and those that describe it; the last word never does."""
    key = name_key(name)
    kind = tuple(word for word in key[:-1] if word not in ATTRIBUTES) + key[-1:]
    return kind, frozenset(key[:-1]) & ATTRIBUTES


def _bare(part: str) -> str:
    """Without article, number and confidence; one after the other, so that it takes no time."""
    while (found := _LEADING.match(part)) is not None:
        part = part[found.end() :]
    while (found := _TRAILING.search(part := part.rstrip(" .:="))) is not None:
        part = part[: found.start()]
    return part


def _is_name(name: str) -> bool:
    found = words(name)
    return (
        0 < len(found) <= MAX_NAME_WORDS
        and len(name) <= MAX_NAME_CHARS
        and any(word.isalpha() for word in found)
        and not any(word in _PROSE or word in _NOTHING for word in found)
    )
