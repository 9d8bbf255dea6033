"""How well each object fits a question: by its words, by its meaning, by what it stands beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from memory_nodes.geometry import Array
from memory_nodes.retrieval.graph_index import GraphIndex
from memory_nodes.retrieval.question import Question, terms_of
from memory_nodes.words import is_id, words

Meaning: TypeAlias = Mapping[str, Array]
"""For each phrase of a question its cosine with each object, shape (N,); empty: words only."""

MEANING_WEIGHT = 1.0
UNSAID_WEIGHT = 0.5
"""Meaning counts so much more where no object has any of the words."""
MEANING_FLOOR = 0.2
"""Texts that have nothing to do with each other reach this cosine."""
BESIDE_WEIGHT = 0.5
"""For the thing looked for that stands as asked to the one named."""
HEADLESS_WEIGHT = 0.5
"""Of the words of a thing that lacks the very word that tells most."""
HEARSAY_WEIGHT = 0.25
"""Of a thing that only mentions what is looked for: too little to count as seen, enough to ask."""
OTHER_RELATION = 0.25
"""What a relation counts that was not asked for."""
ASKED_BONUS = 0.3
"""For a thing that has what was asked for on, under or beside it."""


@dataclass(frozen=True)
class ObjectScores:
    """Row i is of the i-th object."""

    total: Array
    target: Array
    """How well it fits what is looked for, 0 to 1; ones where only a relation is asked for."""
    anchor: Array
    """How well it fits what that stands beside, 0 to 1; zeros where no relation is asked for."""
    fit: Array
    """How well each row of the relation table fits the relation, 0 to 1."""
    evidence: float
    """How surely the best object is what is looked for; a red mug is none of a red bicycle."""


def object_scores(question: Question, index: GraphIndex, meaning: Meaning) -> ObjectScores:
    """Scores of all objects. Source: VL-KnG, section 6.3, with meaning and directed relations."""
    total = _without_hearsay(question, index, _similarity(question.text, index, meaning))
    evidence = _evidence(question, index, meaning)
    table = index.relations
    if not question.anchor:
        nothing = np.zeros_like(total)
        return ObjectScores(total, nothing, nothing, np.zeros(len(table.near)), evidence)
    fit = table.fit(question.forward, question.backward, OTHER_RELATION)
    anchor = _scaled(_similarity(question.anchor, index, meaning))
    if question.target:
        target = _scaled(_similarity(question.target, index, meaning))
        beside = np.zeros_like(total)
        np.maximum.at(beside, table.near, fit * anchor[table.far] ** 2)
        total = total + BESIDE_WEIGHT * target * beside
    else:
        target = np.ones_like(total)
        asked = np.zeros(len(total), bool)
        asked[table.far[fit == 1.0]] = True
        total = np.where(asked, (1.0 + ASKED_BONUS) * total, total)
    return ObjectScores(total, target, anchor, fit, evidence)


def _evidence(question: Question, index: GraphIndex, meaning: Meaning) -> float:
    said = index.words.scores(terms_of(question.sought))
    if question.head:
        is_named = index.words.scores((question.head,)) > 0.0
        said = np.where(is_named, said, HEADLESS_WEIGHT * said)
    sure = _with_meaning(said, question.sought, meaning)
    return float(_without_hearsay(question, index, sure).max(initial=0.0))


def _without_hearsay(question: Question, index: GraphIndex, scores: Array) -> Array:
    """Less for what is not called by the word that names the thing, but only mentions it."""
    if question.is_of_deed:
        return scores
    scores[index.words.only_mention(question.head)] *= HEARSAY_WEIGHT
    return scores


def _similarity(phrase: str, index: GraphIndex, meaning: Meaning) -> Array:
    """By words, and by meaning where it is known."""
    return _with_meaning(index.words.scores(terms_of(phrase)), phrase, meaning)


def _with_meaning(said: Array, phrase: str, meaning: Meaning) -> Array:
    if phrase not in meaning or any(map(is_id, words(phrase))):  # what an id means, no model knows
        return said
    meant = np.clip((meaning[phrase] - MEANING_FLOOR) / (1.0 - MEANING_FLOOR), 0.0, None)
    unsaid = 1.0 - min(1.0, float(said.max(initial=0.0)))
    return said + (MEANING_WEIGHT + UNSAID_WEIGHT * unsaid) * meant


def _scaled(scores: Array) -> Array:
    """The best at 1."""
    best = float(scores.max(initial=0.0))
    return scores / best if best > 0.0 else scores
