"""The few words of English that the extractive answer rule needs."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS = _words(
    """a an and are at be been bring can could did do does find for from get go had has have
    how i in is it its leave left like look lot many me moment much my nearest of on one or our
    please put robot see seen show somebody someone something stand stands lie lies hang hangs
    than that the their there these they thing things this those to top up us was we what when
    where which who with you your take lead drive come right just directly big large small
    colour color kind sort"""
)
# Words that tell little about what a thing is: they count half.
ADJECTIVES = _words(
    """beige black blue brown clear cream dark green grey light orange pink red salmon silver
    white yellow plastic wooden wood metal steel paper fabric glass long round tall low"""
)
# Different words for the same thing, as any dictionary has them; the first one stands for all.
_SYNONYMS = (
    "sofa couch settee",
    "backpack rucksack",
    "coffee espresso",
    "cup mug teacup",
    "machine maker",
    "foosball football",
    "robot robotic",
    "radiator heater",
    "tap faucet",
    "cupboard cabinet",
    "socket outlet",
    "food lunch meal dinner",
    "mat placemat",
    "carton box",
    "picture print",
    "grey gray",
    "bin crate",
    "basin sink",
    "basket bowl",
    "heat warm",
)
_CANONICAL = {word: group.split()[0] for group in _SYNONYMS for word in group.split()}

# Spoken relation -> predicates that state it; longer phrases are tried first.
RELATIONS: dict[str, tuple[str, ...]] = {
    "in front of": ("in front of",),
    "to the left of": ("left of",),
    "to the right of": ("right of",),
    "left of": ("left of",),
    "right of": ("right of",),
    "on top of": ("on",),
    "next to": ("next to", "near", "left of", "right of"),
    "attached to": ("attached to",),
    "close to": ("near", "next to"),
    "between": ("next to", "near", "left of", "right of"),
    "beside": ("next to", "near", "left of", "right of"),
    "behind": ("behind",),
    "inside": ("inside", "in"),
    "above": ("above", "over"),
    "below": ("under", "below"),
    "under": ("under", "below"),
    "over": ("above", "over"),
    "near": ("near", "next to"),
    "on": ("on",),
    # A thing "in the window corner" is told as being by the window.
    "in": ("inside", "in", "in front of", "next to", "near"),
}
INVERSES = {
    "above": "under",
    "under": "above",
    "left of": "right of",
    "right of": "left of",
    "in front of": "behind",
    "behind": "in front of",
    "next to": "next to",
    "near": "near",
}


def stem(word: str) -> str:
    """The word without a plural ending, synonyms brought to one word."""
    word = _CANONICAL.get(word, word)
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif re.search(r"(x|ch|sh|ss)es$", word):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word[:-1]
    return _CANONICAL.get(word, word)


def content_words(text: str) -> list[str]:
    """Stems of the words that carry meaning, in order, each once."""
    words = re.findall(r"[a-z]+", text.lower())
    return list(dict.fromkeys(stem(word) for word in words if word not in STOP_WORDS))


def relation_phrases(question: str) -> list[tuple[tuple[str, ...], list[str]]]:
    """(predicates, content words of what they point at) for each relation in a question."""
    names = "|".join(sorted(RELATIONS, key=len, reverse=True))
    pieces = re.split(rf"\b({names})\b", question.lower())
    phrases = zip(pieces[1::2], pieces[2::2], strict=True)
    asked = [(RELATIONS[name], content_words(rest)) for name, rest in phrases]
    return [(predicates, words) for predicates, words in asked if words]
