"""Of texts that fit a query equally well the newer one first: things change."""

from __future__ import annotations

from collections.abc import Sequence

from memory_nodes.retrieval.question import terms_of
from memory_nodes.store.hits import Hit
from memory_nodes.words import stems, words

EQUAL_SHARE = 0.85
"""Of the best score of a group: reciprocal ranks of neighbours differ by little, and which of the
texts that name a thing stands first is decided by what else they name."""


def newest_of_equals(query: str, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, best first, but by time those that nearly tie, say all words of the query, and
    come from one source.

    Where a word is not said, meaning alone tells how well a text fits, and their order stays. A
    summary says much, and is no equal of what it was made of; nor is an ironing board one of an
    iron.
    """
    terms = terms_of(query)
    ordered, left = [], list(hits)
    while left:
        equal = _equals_of_first(query, left, terms)
        ordered += sorted(equal, key=lambda hit: -hit.end_ns)
        left = [hit for hit in left if hit not in equal]
    return ordered


def _equals_of_first(query: str, hits: Sequence[Hit], terms: frozenset[str]) -> list[Hit]:
    best = hits[0]
    if not terms or not _says(best, terms):
        return [best]
    asked, said = _singular(query), _singular(best.text)
    return [
        hit
        for hit in hits
        if hit.score >= EQUAL_SHARE * best.score
        and (hit.kind, hit.layer) == (best.kind, best.layer)
        and _says(hit, terms)
        and asked & said <= _singular(hit.text)
    ]


def _says(hit: Hit, terms: frozenset[str]) -> bool:
    return terms <= set(stems(hit.text))


def _singular(text: str) -> set[str]:
    """Its words as they stand, but for the s of a plural."""
    return {word.removesuffix("s") for word in words(text)}
