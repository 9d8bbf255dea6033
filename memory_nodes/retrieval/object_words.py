"""Which objects have the words of a question, and how much these words tell."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from memory_nodes.geometry import Array
from memory_nodes.records import ObjectDescriptor, Relation
from memory_nodes.words import stems

TYPE_WEIGHT = 1.3
"""Of a word in the name or type of an object; a word anywhere in its description weighs 1."""
DEED_WEIGHT = 1.2
"""Of a word in what can be done to something with it: "heat food", but not just "heat"."""
NEIGHBOUR_WEIGHT = 0.4
"""Of a word in the type of what it stands in relation to."""


class ObjectWords:
    """An inverted index of objects; row i is ``objects[i]``."""

    def __init__(self, objects: Sequence[ObjectDescriptor], relations: Iterable[Relation]) -> None:
        self._size = len(objects)
        self._counts: Counter[str] = Counter()
        neighbours = _types_of_neighbours(objects, relations)
        rows: dict[str, list[int]] = defaultdict(list)
        weights: dict[str, list[float]] = defaultdict(list)
        for row, item in enumerate(objects):
            own = _own_weights(_named(item), _said(item), item.affordances)
            self._counts.update(own.keys())
            for word in neighbours[item.object_id].difference(own):
                rows[word].append(row)
                weights[word].append(NEIGHBOUR_WEIGHT)
            for word, weight in own.items():
                rows[word].append(row)
                weights[word].append(weight)
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


def _named(item: ObjectDescriptor) -> str:
    return f"{item.name} {item.type}"


def _said(item: ObjectDescriptor) -> str:
    return " ".join((item.description, *item.attributes.values(), *item.wordings))


@lru_cache(maxsize=32768)
def _own_weights(named: str, said: str, affordances: tuple[str, ...]) -> Mapping[str, float]:
    """The weight of each word of an object: kept, since most objects are the same next time."""
    weights = dict.fromkeys(stems(said), 1.0)
    for phrase in map(stems, affordances):
        weights.update(dict.fromkeys(phrase, DEED_WEIGHT if len(phrase) > 1 else 1.0))
    weights.update(dict.fromkeys(stems(named), TYPE_WEIGHT))
    return weights


def _types_of_neighbours(
    objects: Iterable[ObjectDescriptor], relations: Iterable[Relation]
) -> Mapping[str, set[str]]:
    types = {item.object_id: stems(_named(item)) for item in objects}
    found: dict[str, set[str]] = defaultdict(set)
    for relation in relations:
        found[relation.subject_id].update(types.get(relation.object_id, ()))
    return found
