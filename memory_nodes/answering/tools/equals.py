"""Of texts that fit a query equally well the newer one first: things change."""

from __future__ import annotations

from collections.abc import Sequence

from memory_nodes.retrieval.question import terms_of
from memory_nodes.store.hits import Hit
from memory_nodes.words import stems

EQUAL_SHARE = 0.85
"""Of the best score of a group: reciprocal ranks of neighbours differ by little, and which of the
texts that name a thing stands first is decided by what else they name."""


def newest_of_equals(query: str, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, best first, but by time those that nearly tie, say all words of the query, and
    come from one source.

    Where a word is not said, meaning alone tells how well a text fits, and their order stays. A
    summary says much, and is no equal of what it was made of.
    """
    terms = terms_of(query)
    ordered, left = [], list(hits)
    while left:
        equal = _equals_of_first(left, terms)
        ordered += sorted(equal, key=lambda hit: -hit.end_ns)
        left = [hit for hit in left if hit not in equal]
    return ordered


def _equals_of_first(hits: Sequence[Hit], terms: frozenset[str]) -> list[Hit]:
    best = hits[0]
    if not terms or not _says(best, terms):
        return [best]
    return [
        hit
        for hit in hits
        if hit.score >= EQUAL_SHARE * best.score
        and (hit.kind, hit.layer) == (best.kind, best.layer)
        and _says(hit, terms)
    ]


def _says(hit: Hit, terms: frozenset[str]) -> bool:
    return terms <= set(stems(hit.text))
