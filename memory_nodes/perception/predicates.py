"""The words for relations; what is not among them stays as it was written."""

from __future__ import annotations

from collections.abc import Mapping

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
_INVERSES: Mapping[str, tuple[str, ...]] = {
    "on": ("under", "supports"),
    "supports": ("on",),
    # Not "on": a bed is above the box that lies under it.
    "under": ("above",),
    "below": ("above",),
    "above": ("below", "under"),
    "inside": ("contains",),
    "contains": ("inside",),
    "left of": ("right of",),
    "right of": ("left of",),
    "in front of": ("behind",),
    "behind": ("in front of",),
    "next to": ("next to",),
    "near": ("near",),
}
"""What B is to A where A is this to B, the most usual word first."""
_NARROWER: Mapping[str, tuple[str, ...]] = {
    "under": ("below", "supports"),
    "below": ("under", "supports"),
    "near": ("next to",),
}
"""Other words that say the same, or more."""


def predicate_of(written: str) -> str:
    """The known word for a relation; "ON_TOP_OF" and "is on top of" are "on"."""
    words = " ".join(written.lower().replace("_", " ").replace("-", " ").split())
    words = words.removeprefix("is ").removeprefix("are ")
    return words if words in PREDICATES else _SYNONYMS.get(words, words)


def inverse_of(predicate: str) -> str | None:
    """The word for a relation seen from its other end: "on" gives "under"; None: there is none."""
    return _INVERSES[predicate][0] if predicate in _INVERSES else None


def implying(asked: str) -> tuple[frozenset[str], frozenset[str]]:
    """The predicates p, with which "A p B" says "A asked B", and those with which "B p A" does."""
    same = frozenset((asked, *_NARROWER.get(asked, ())))
    return same, frozenset(word for word, turned in _INVERSES.items() if same & set(turned))
