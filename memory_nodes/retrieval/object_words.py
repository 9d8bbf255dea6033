"""Which objects have the words of a question, and how much these words tell."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory_nodes.geometry import Array
from memory_nodes.records import ObjectDescriptor, Relation
from memory_nodes.retrieval.mentions import naming_part
from memory_nodes.words import stems

TYPE_WEIGHT = 1.3
"""Of a word in the name or type of an object; a word anywhere in its description weighs 1."""
DEED_WEIGHT = 1.2
"""Of a word in what can be done to something with it: "heat food", but not just "heat"."""
NEIGHBOUR_WEIGHT = 0.4
"""Of a word in the type of what it stands in relation to."""

Rows: TypeAlias = NDArray[np.int64]
_NO_ROWS: Rows = np.array([], np.int64)


class ObjectWords:
    """An inverted index of objects; row i is ``objects[i]``."""

    def __init__(self, objects: Sequence[ObjectDescriptor], relations: Iterable[Relation]) -> None:
        self._size = len(objects)
        self._counts: Counter[str] = Counter()
        neighbours = _types_of_neighbours(objects, relations)
        rows: dict[str, list[int]] = defaultdict(list)
        weights: dict[str, list[float]] = defaultdict(list)
        mentioned: dict[str, list[int]] = defaultdict(list)
        for row, item in enumerate(objects):
            own, only_mentioned = _own_weights(_named(item), _said(item), item.affordances)
            self._counts.update(own.keys())
            for word in neighbours[item.object_id].difference(own):
                rows[word].append(row)
                weights[word].append(NEIGHBOUR_WEIGHT)
            for word, weight in own.items():
                rows[word].append(row)
                weights[word].append(weight)
            for word in only_mentioned:
                mentioned[word].append(row)
        self._mentioned = {word: np.array(found) for word, found in mentioned.items()}
        self._found = {word: (np.array(rows[word]), np.array(weights[word])) for word in rows}

    def rarity(self, term: str) -> float:
        """Inverse document frequency; a word that no object has weighs most."""
        return math.log(1.0 + (self._size + 1) / (self._counts[term] + 1))

    def scores(self, terms: Collection[str]) -> Array:
        """The share of the terms' weight that each object has, 0 to TYPE_WEIGHT, shape (N,).

        A question about something that was never seen scores low everywhere.
        """
        scores = np.zeros(self._size)
        total = 0.0
        for term in terms:
            rarity = self.rarity(term)
            total += rarity
            if term in self._found:
                rows, weights = self._found[term]
                scores[rows] += rarity * weights
        return scores / total if total else scores

    def only_mention(self, term: str) -> Rows:
        """Rows of the objects that have a term, but are not called by it (``naming_part``)."""
        return self._mentioned.get(term, _NO_ROWS)


def _named(item: ObjectDescriptor) -> str:
    """By its ids it is called too, and no other is."""
    return " ".join((item.name, item.type, item.object_id, *item.aliases))


def _said(item: ObjectDescriptor) -> tuple[str, ...]:
    return (item.description, *item.attributes.values(), *item.wordings)


@lru_cache(maxsize=32768)
def _own_weights(
    named: str, said: tuple[str, ...], affordances: tuple[str, ...]
) -> tuple[Mapping[str, float], frozenset[str]]:
    """The weight of each word of an object, and the words that it only mentions: kept, since most
    objects are the same next time.
    """
    weights = dict.fromkeys(stems(" ".join(said)), 1.0)
    for phrase in map(stems, affordances):
        weights.update(dict.fromkeys(phrase, DEED_WEIGHT if len(phrase) > 1 else 1.0))
    weights.update(dict.fromkeys(stems(named), TYPE_WEIGHT))
    called = stems(" ".join((named, *map(naming_part, said), *affordances)))
    return weights, frozenset(weights).difference(called)


def _types_of_neighbours(
    objects: Iterable[ObjectDescriptor], relations: Iterable[Relation]
) -> Mapping[str, set[str]]:
    types = {item.object_id: stems(f"{item.name} {item.type}") for item in objects}
    found: dict[str, set[str]] = defaultdict(set)
    for relation in relations:
        found[relation.subject_id].update(types.get(relation.object_id, ()))
    return found
