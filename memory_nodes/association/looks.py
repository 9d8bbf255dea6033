"""What objects look like, in words, and how much that speaks for one object or for two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from memory_nodes.records import ObjectDescriptor
from memory_nodes.store.object_changes import KnownObject
from memory_nodes.words import STOP_WORDS, stem, words

# Logarithms of how much more often two descriptors of one object agree so than those of two.
SAME_TYPE = 3.0
ALIKE_TYPE = 0.5
OTHER_TYPE = -3.0
SAME_TEXT = 2.0
OTHER_TEXT = -0.5
SAME_ATTRIBUTE: Mapping[str, float] = {"color": 1.5, "material": 0.5}
OTHER_ATTRIBUTE: Mapping[str, float] = {"color": -3.0, "material": -1.5}
SYNONYM_COSINE = 0.75
"""Texts above it may be of one object though their types have no word in common."""
MIN_PREFIX_CHARS = 4
"""Words that begin alike mean alike: wood, wooden."""

_SYNONYMS = (
    *("sofa couch settee", "tv television monitor screen display", "fridge refrigerator"),
    *("mug cup", "cupboard cabinet", "wardrobe closet", "shelf bookshelf bookcase", "rug carpet"),
    *("cushion pillow", "backpack rucksack", "tap faucet", "stove cooker hob", "laptop notebook"),
    *("phone telephone smartphone", "picture painting poster", "curtain drape", "socket outlet"),
)
"""Nouns for things of a house that a model uses by turns; vectors of texts know many more."""
_SYNONYM_STEMS = tuple(frozenset(map(stem, group.split())) for group in _SYNONYMS)


@dataclass(frozen=True)
class Looks:
    """Stems of words."""

    types: frozenset[str]
    heads: frozenset[str]
    """What the types name: the chair of a dining chair, the chest of a chest of drawers."""
    texts: frozenset[str]
    attributes: Mapping[str, frozenset[str]]
    """The newest ones; earlier ones are among ``texts``."""

    @property
    def words(self) -> frozenset[str]:
        """Of types and texts."""
        return self.types | self.texts


def looks_of(seen: ObjectDescriptor | KnownObject) -> Looks:
    """Of an object of a chunk, or of a known one with all that was ever said of it."""
    types = seen.types if isinstance(seen, KnownObject) else (seen.type,)
    texts = (
        seen.texts
        if isinstance(seen, KnownObject)
        else (seen.description, *seen.attributes.values(), *seen.affordances)
    )
    return Looks(
        types=_stems(types),
        heads=frozenset(filter(None, map(_head, types))),
        texts=_stems(texts),
        attributes={key: _stem_set(text) for key, text in seen.attributes.items()},
    )


def looks_score(seen: Looks, known: Looks, cosine: float = 0.0) -> float:
    """How much looks speak for one object: above 0 for it, below 0 against it, in nats.

    ``cosine``: of the vectors of the two texts, 0 where there are none.
    """
    by_type = _type_score(seen, known, cosine >= SYNONYM_COSINE)
    return by_type + _text_score(seen, known) + _attribute_score(seen, known)


def is_other_kind(seen: Looks, known: Looks, cosine: float = 0.0) -> bool:
    """Whether words tell things of two kinds: neither the types nor what else is said agree.

    Then no word of a model makes them one. ``cosine``: as for ``looks_score``.
    """
    by_type = _type_score(seen, known, cosine >= SYNONYM_COSINE)
    if by_type != OTHER_TYPE or _are_synonyms(seen.heads, known.heads):
        return False
    return _text_score(seen, known) + _attribute_score(seen, known) <= 0.0


def _type_score(seen: Looks, known: Looks, mean_the_same: bool) -> float:
    if not seen.types or not known.types:
        return 0.0
    if seen.heads & known.heads:
        return SAME_TYPE
    is_alike = mean_the_same or seen.types & known.words or known.types & seen.words
    return ALIKE_TYPE if is_alike else OTHER_TYPE


def _are_synonyms(some: frozenset[str], others: frozenset[str]) -> bool:
    return any(some & group and others & group for group in _SYNONYM_STEMS)


def _text_score(seen: Looks, known: Looks) -> float:
    """By the share of the shorter text that the longer one has too."""
    shorter = min(len(seen.texts), len(known.texts))
    if not shorter:
        return 0.0
    share = len(seen.texts & known.texts) / shorter
    return OTHER_TEXT + share * (SAME_TEXT - OTHER_TEXT)


def _attribute_score(seen: Looks, known: Looks) -> float:
    """What differs, but was said of the other one too, is no contradiction: words vary."""
    score = 0.0
    for key, same in SAME_ATTRIBUTE.items():
        one = seen.attributes.get(key, frozenset())
        other = known.attributes.get(key, frozenset())
        if not one or not other:
            continue
        if _has_alike(one, other):
            score += same
        elif not _has_alike(one, known.texts) and not _has_alike(other, seen.texts):
            score += OTHER_ATTRIBUTE[key]
    return score


def _has_alike(some: frozenset[str], others: frozenset[str]) -> bool:
    if some & others:
        return True
    return any(
        min(len(one), len(other)) >= MIN_PREFIX_CHARS
        and (one.startswith(other) or other.startswith(one))
        for one in some
        for other in others
    )


@lru_cache(maxsize=16384)
def _head(type_name: str) -> str:
    """The stem of the noun that a type turns on: the last one before an "of", "with", "for"."""
    named = words(type_name)
    before = next((index for index, word in enumerate(named) if word in STOP_WORDS), len(named))
    return stem(named[before - 1]) if before else ""


def _stems(texts: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*map(_stem_set, texts))


@lru_cache(maxsize=65536)
def _stem_set(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in STOP_WORDS)
