"""The words for relations; what is not among them stays as it was written."""

from __future__ import annotations

PREDICATES = (
    *("on", "under", "inside", "next to", "left of", "right of", "in front of", "behind"),
    *("above", "below", "attached to", "near"),
)
_SYNONYMS = {
    "in": "inside",
    "within": "inside",
    "contained in": "inside",
    "inside of": "inside",
    "sitting on": "on",
    "placed on": "on",
    "left": "left of",
    "to left of": "left of",
    "on the left of": "left of",
    "on the left side of": "left of",
    "right": "right of",
    "to right of": "right of",
    "on the right of": "right of",
    "on the right side of": "right of",
    "hanging from": "attached to",
    "nearby": "near",
    "on top of": "on",
    "resting on": "on",
    "standing on": "on",
    "lying on": "on",
    "beneath": "under",
    "underneath": "under",
    "over": "above",
    "beside": "next to",
    "adjacent to": "next to",
    "to the left of": "left of",
    "to the right of": "right of",
    "at the back of": "behind",
    "close to": "near",
    "mounted on": "attached to",
    "fixed to": "attached to",
    "hanging on": "attached to",
}


def predicate_of(written: str) -> str:
    """The known word for a relation; "ON_TOP_OF" and "is on top of" are "on"."""
    words = " ".join(written.lower().replace("_", " ").replace("-", " ").split())
    words = words.removeprefix("is ").removeprefix("are ")
    return words if words in PREDICATES else _SYNONYMS.get(words, words)
