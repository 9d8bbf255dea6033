"""The answer to a question by a plain extractive rule over the context, never the annotation."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from typing import Any

from memory_test_support.model_server.context import Context, ContextObject, parse_context
from memory_test_support.model_server.errors import BadRequestError
from memory_test_support.model_server.language import (
    ADJECTIVES,
    content_words,
    relation_phrases,
)

# Share of the question's weight that the best object must explain.
SMALLEST_COVERAGE = 0.3
MOST_NAMED = 5
_ASKS_FOR_RELATED = re.compile(r"^\s*(what|which|who)\b", re.IGNORECASE)


def answer(payload: dict[str, Any]) -> dict[str, Any]:
    """A short sentence with its objects and keyframes, or that nothing of it was seen."""
    question, text = payload.get("question"), payload.get("context")
    if not isinstance(question, str) or not isinstance(text, str):
        raise BadRequestError("question and context must be strings")
    context = parse_context(text)
    if _ASKS_FOR_RELATED.match(question):
        related = _related(question, context)
        if related:
            return _answer_related(context, related)
    return _answer_direct(question, context)


def doubt(payload: dict[str, Any]) -> dict[str, Any]:
    """Whether what was seen is what was asked for: they share a word."""
    asked, seen = payload.get("asked"), payload.get("seen")
    if not isinstance(asked, str) or not isinstance(seen, str):
        raise BadRequestError("asked and seen must be strings")
    return {"is_it": not set(content_words(asked)).isdisjoint(content_words(seen))}


class _Weights:
    """How much a word tells: rare in the context counts more, adjectives count half."""

    def __init__(self, context: Context) -> None:
        self._count = len(context.objects)
        self._seen: dict[str, int] = defaultdict(int)
        for entry in context.objects.values():
            for word in entry.own_words | entry.affordance_words:
                self._seen[word] += 1

    def of(self, word: str) -> float:
        """Inverse document frequency, halved for adjectives."""
        rarity = math.log(1 + self._count / (1 + self._seen.get(word, 0)))
        return rarity / 2 if word in ADJECTIVES else rarity

    def coverage(self, words: list[str], found: frozenset[str]) -> float:
        """Share of the words' weight that is found."""
        total = sum(self.of(word) for word in words)
        return sum(self.of(word) for word in words if word in found) / total if total else 0.0


def _ordered(context: Context, scores: dict[str, float]) -> list[str]:
    """Best first; of equals, the one in the earliest keyframe, then the earliest line."""
    lines = {object_id: line for line, object_id in enumerate(context.objects)}
    return sorted(scores, key=lambda one: (-round(scores[one], 9), context.rank(one), lines[one]))


def _related(question: str, context: Context) -> list[tuple[str, str, str]]:
    """(subject, predicate, object) triples whose object is what the question points at."""
    weights = _Weights(context)
    phrases = relation_phrases(question)
    pointed_at = {word for _, words in phrases for word in words}
    asked = [word for word in content_words(question) if word not in pointed_at]
    scores: dict[str, float] = defaultdict(float)
    why: dict[str, tuple[float, tuple[str, str, str]]] = {}
    for place, (predicates, words) in enumerate(phrases):
        best = _best_match(context, weights, words)
        for triple in context.triples():
            subject, predicate, other = triple
            match = weights.coverage(words, context.objects[other].own_words)
            if predicate not in predicates or match < max(SMALLEST_COVERAGE, 0.7 * best):
                continue
            # In "inside the crate on the table" the later phrase only tells which crate.
            scores[subject] += match / (1 + place)
            why[subject] = max(why.get(subject, (0.0, triple)), (match, triple))
    for subject in scores:
        scores[subject] += weights.coverage(asked, context.objects[subject].own_words)
    order = _ordered(context, scores)
    close = [one for one in order if scores[one] > 0.8 * scores[order[0]]]
    return [why[one][1] for one in close[:MOST_NAMED]]


def _best_match(context: Context, weights: _Weights, words: list[str]) -> float:
    return max(
        (weights.coverage(words, entry.own_words) for entry in context.objects.values()),
        default=0.0,
    )


def _answer_related(context: Context, triples: list[tuple[str, str, str]]) -> dict[str, Any]:
    _, predicate, other = triples[0]
    subjects = [context.objects[subject] for subject, _, _ in triples]
    named = " and ".join(_noun_phrase(subject) for subject in subjects)
    verb = "is" if len(subjects) == 1 else "are"
    sentence = f"The {named} {verb} {predicate} the {context.objects[other].kind}."
    ids = [subject.object_id for subject in subjects] + [other]
    keyframes = _showing_most(context, ids)
    return _reply(sentence, ids, keyframes, 0.8)


def _showing_most(context: Context, ids: list[str]) -> list[int]:
    """Keyframes that list the first id, those that show more of the answer before the others."""
    shown = [(number, len(set(ids) & set(listed))) for number, listed in context.keyframes]
    with_best = set(context.keyframes_of(ids[0]))
    with_best_shown = [(number, count) for number, count in shown if number in with_best]
    return [number for number, _ in sorted(with_best_shown, key=lambda pair: -pair[1])]


def _answer_direct(question: str, context: Context) -> dict[str, Any]:
    weights = _Weights(context)
    words = content_words(question)
    scores = {
        object_id: _direct_score(words, entry, context, weights)
        for object_id, entry in context.objects.items()
    }
    order = _ordered(context, scores)
    if not order:
        return _not_seen()
    entry = context.objects[order[0]]
    coverage = weights.coverage(words, entry.own_words | entry.affordance_words)
    if coverage < SMALLEST_COVERAGE:
        return _not_seen()
    told = [
        f"{predicate} the {context.objects[other].kind}"
        for predicate, other in entry.relations
        if other in context.objects
    ]
    subject = _noun_phrase(entry)
    sentence = f"The {subject} is {' and '.join(told[:2])}." if told else f"I saw the {subject}."
    keyframes = context.keyframes_of(entry.object_id)
    return _reply(sentence, [entry.object_id], keyframes, round(min(coverage, 0.95), 2))


def _direct_score(
    words: list[str], entry: ContextObject, context: Context, weights: _Weights
) -> float:
    """Own words and uses count fully, the words of related things a little."""
    own = entry.own_words | entry.affordance_words
    others = [context.objects[other] for _, other in entry.relations if other in context.objects]
    beside: frozenset[str] = frozenset().union(*(other.own_words for other in others))
    return weights.coverage(words, own) + 0.2 * weights.coverage(words, beside - own)


def _noun_phrase(entry: ContextObject) -> str:
    return f"{entry.kind} ({entry.description})" if entry.description else entry.kind


def _not_seen() -> dict[str, Any]:
    return _reply("I have not seen that.", [], [], 0.0, found=False)


def _reply(
    sentence: str,
    object_ids: list[str],
    keyframe_ids: list[int],
    confidence: float,
    found: bool = True,
) -> dict[str, Any]:
    return {
        "answer": sentence,
        "found": found,
        "object_ids": object_ids,
        "keyframe_ids": keyframe_ids,
        "confidence": confidence,
    }
