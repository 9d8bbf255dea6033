"""How well keyframes were found, over many questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from memory_test_support.tour import Question

MAX_KEYFRAMES = 5


@dataclass(frozen=True)
class Outcome:
    """What one system gave for one question, best first."""

    question: Question
    keyframe_ids: tuple[int, ...]
    is_seen: bool
    """False: it would have said that it has not seen that."""
    ms: float
    prompt_tokens: int = 0
    """Estimated; 0 for a system that makes no prompt."""

    @property
    def right(self) -> tuple[bool, ...]:
        return tuple(key in self.question.ground_truth_frames for key in self.keyframe_ids)

    @property
    def rank(self) -> int | None:
        """Of the first right keyframe, from 1 on."""
        return self.right.index(True) + 1 if True in self.right else None


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Retrieval over the answerable questions; false alarms over the others.

    retr_at_k: share with a right keyframe among the first k. precision: share of right ones among
    those returned. present_missed: share of answerable questions that got "not seen".
    """
    answerable = [item for item in outcomes if item.question.answerable]
    absent = [item for item in outcomes if not item.question.answerable]
    times_ms = np.array([item.ms for item in outcomes])
    tokens = [item.prompt_tokens for item in outcomes]
    return {
        **_retrieval(answerable),
        "by_type": _by_type(answerable),
        "absent_false_alarms": _share([item.is_seen for item in absent]),
        "present_missed": _share([not item.is_seen for item in answerable]),
        "ms_p50": round(float(np.percentile(times_ms, 50)), 2),
        "ms_p95": round(float(np.percentile(times_ms, 95)), 2),
        "prompt_tokens_p50": int(np.percentile(tokens, 50)),
        "prompt_tokens_max": max(tokens),
    }


def _retrieval(outcomes: Sequence[Outcome]) -> dict[str, float]:
    ranks = [item.rank for item in outcomes]
    within = {
        f"retr_at_{k}": _share([rank is not None and rank <= k for rank in ranks])
        for k in (1, 3, MAX_KEYFRAMES)
    }
    right = [is_right for item in outcomes for is_right in item.right]
    reciprocal = [1.0 / rank if rank else 0.0 for rank in ranks]
    return {
        **within,
        "precision": _share(right),
        "mrr_at_5": round(sum(reciprocal) / max(1, len(ranks)), 3),
    }


def _by_type(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for item in outcomes:
        groups[item.question.kind].append(item)
    return {kind: {"n": len(items), **_retrieval(items)} for kind, items in groups.items()}


def _share(values: Sequence[bool]) -> float:
    return round(sum(values) / max(1, len(values)), 3)
