"""Whether an answer is right: it says one of the key words, or that the thing was not seen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmark.answers.metered import NO_USE, Use
from memory_nodes.words import stems
from memory_test_support.tour import Question


@dataclass(frozen=True)
class Reply:
    """What was answered to one question, and what it took."""

    question: Question
    text: str
    found: bool
    degraded: bool
    """There was a model, and the answer came about without it, or unfinished."""
    seconds: float
    use: Use = NO_USE
    """Of the model."""
    problems: tuple[str, ...] = ()


def is_right(reply: Reply) -> bool:
    """By the key words of the question; what was never seen must not be found."""
    if not reply.question.answerable:
        return not reply.found
    return reply.found and any(says(reply.text, word) for word in reply.question.answer_keywords)


def says(text: str, keyword: str) -> bool:
    """Whether the words of a key word stand in a text one after the other."""
    return f" {' '.join(stems(keyword))} " in f" {' '.join(stems(text))} "


def figures(replies: Sequence[Reply]) -> dict[str, Any]:
    """accuracy: share of right answers among those to answerable questions, by_type the same of
    each kind; not_seen: share of the others for which nothing was found; right: of all.

    parsed: share of the questions asked of a model that it answered in a form that could be read.
    Tokens and calls are means over all questions.
    """
    answerable = [item for item in replies if item.question.answerable]
    absent = [item for item in replies if not item.question.answerable]
    asked = [item for item in replies if item.use.calls]
    seconds = [item.seconds for item in replies]
    kinds: dict[str, list[bool]] = defaultdict(list)
    for item in answerable:
        kinds[item.question.kind].append(is_right(item))
    return {
        "questions": len(replies),
        "accuracy": _share(map(is_right, answerable)),
        "not_seen": _share(map(is_right, absent)),
        "right": _share(map(is_right, replies)),
        "by_type": {kind: _share(right) for kind, right in kinds.items()},
        "parsed": _share(not item.degraded for item in asked),
        "calls": _mean([item.use.calls for item in replies]),
        "prompt_tokens": _mean([item.use.prompt_tokens for item in replies]),
        "completion_tokens": _mean([item.use.completion_tokens for item in replies]),
        "seconds_p50": round(float(np.percentile(seconds, 50)), 3),
        "seconds_p95": round(float(np.percentile(seconds, 95)), 3),
        "wrong": {item.question.question_id: item.text for item in replies if not is_right(item)},
        "problems": {item.question.question_id: item.problems for item in asked if item.problems},
    }


def _share(values: Iterable[bool]) -> float | None:
    """None: of nothing."""
    listed = list(values)
    return round(sum(listed) / len(listed), 3) if listed else None


def _mean(values: Sequence[int]) -> float:
    return round(sum(values) / len(values), 1)
