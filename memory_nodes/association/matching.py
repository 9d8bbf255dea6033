"""Identity without a model: how alike two descriptions are, and how near."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.optimize import linear_sum_assignment

from memory_nodes.geometry import Array, PointEstimate
from memory_nodes.records import ObjectDescriptor
from memory_nodes.words import STOP_WORDS, stem, words

NEAR_M = 0.4
"""Positions of one object differ by about this between chunks; more with their uncertainty."""
FAR_SIGMAS = 3.0
MATCH_SCORE = 0.5
TEXT_ONLY_SCORE = 0.75


def match(local: Sequence[ObjectDescriptor], known: Sequence[ObjectDescriptor]) -> dict[str, str]:
    """The known object that each local one is; those left out are new.

    One to one: two objects of a chunk are two objects.
    """
    if not local or not known:
        return {}
    scores = np.array([[likeness(seen, candidate) for candidate in known] for seen in local])
    rows, columns = linear_sum_assignment(scores, maximize=True)
    return {
        local[row].object_id: known[column].object_id
        for row, column in zip(rows, columns, strict=True)
        if scores[row, column] >= MATCH_SCORE
    }


def likeness(one: ObjectDescriptor, other: ObjectDescriptor) -> float:
    """How likely two descriptors are of one object, 0 to 1."""
    alike = text_likeness(one, other)
    by_text = alike if alike >= TEXT_ONLY_SCORE else 0.0
    if one.position is None or other.position is None:
        return by_text
    near = nearness(one.position, other.position)
    if near == 0.0:
        return 0.0
    # A rough position is near everything on its line of sight: it can only speak against.
    is_rough = one.position.is_rough or other.position.is_rough
    return by_text if is_rough else 0.5 * alike + 0.5 * near


def could_be_one(one: ObjectDescriptor, other: ObjectDescriptor) -> bool:
    """Whether anything speaks for one object: a word in common, or places that do not differ."""
    if text_likeness(one, other) > 0.0 or one.position is None or other.position is None:
        return True
    return nearness(one.position, other.position) > 0.0


def text_likeness(one: ObjectDescriptor, other: ObjectDescriptor) -> float:
    """Share of words that two objects have in common, their types counting most, 0 to 1."""
    types = _overlap(_word_set(one.type), _word_set(" ".join((other.type, *other.wordings))))
    texts = _overlap(_word_set(_text(one)), _word_set(_text(other)))
    return 0.6 * types + 0.4 * texts


def nearness(one: PointEstimate, other: PointEstimate) -> float:
    """1 at the same place, 0 beyond what the uncertainties explain (Mahalanobis distance)."""
    gap_m = np.subtract(one.point_m, other.point_m)
    covariance_m2 = np.reshape(np.add(one.covariance_m2, other.covariance_m2), (3, 3))
    spread_m2 = covariance_m2 + NEAR_M**2 * np.eye(3)
    distance2 = float(gap_m @ np.linalg.solve(spread_m2, gap_m))
    return math.exp(-distance2) if distance2 < FAR_SIGMAS**2 else 0.0


def shortlist(
    local: Sequence[ObjectDescriptor], known: Sequence[ObjectDescriptor], per_object: int
) -> list[ObjectDescriptor]:
    """The known objects worth asking about: for each local one the most alike and the nearest."""
    chosen: set[int] = set()
    for seen in local:
        by_text: Array = np.array([text_likeness(seen, candidate) for candidate in known])
        by_place: Array = np.array([_closeness(seen, candidate) for candidate in known])
        for ranking in (by_text, by_place):
            best = np.argsort(-ranking, kind="stable")[:per_object]
            chosen.update(int(index) for index in best if ranking[index] > 0.0)
    return [known[index] for index in sorted(chosen)]


def _closeness(one: ObjectDescriptor, other: ObjectDescriptor) -> float:
    positions = (one.position, other.position)
    if positions[0] is None or positions[1] is None or any(p and p.is_rough for p in positions):
        return 0.0
    return nearness(positions[0], positions[1])


def _text(descriptor: ObjectDescriptor) -> str:
    known = descriptor.wordings or (descriptor.description, *descriptor.attributes.values())
    return " ".join(known)


@lru_cache(maxsize=65536)
def _word_set(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in STOP_WORDS)


def _overlap(few: frozenset[str], many: frozenset[str]) -> float:
    """The share of the smaller set that the larger one has too."""
    smaller = min(len(few), len(many))
    return len(few & many) / smaller if smaller else 0.0
