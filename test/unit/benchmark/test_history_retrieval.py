"""Retrieval F1 is that of H-EMV, section IV-D."""

from __future__ import annotations

import pytest

from benchmark.history.retrieval import retrieval_f1

ROOT = (0, 100)


def test_f1_by_hand() -> None:
    # The question asks for 10 to 20: b = 10 / 100. Visible: the root, two days below it, and of the
    # first day the goals 10 to 20 and 20 to 50.
    # n of the goal 10-20: (10/10 - 0.1) / 0.9 = 1; of 20-50: 0; of the day 50-100: 0
    # recall: the best of all is 1. precision: leaves 10-20, 20-50, 50-100: (1 + 0 + 0) / 3
    visible = {
        "root": ROOT,
        "day 1": (0, 50),
        "day 2": (50, 100),
        "goal 1": (10, 20),
        "goal 2": (20, 50),
    }
    parents = {"day 1": "root", "day 2": "root", "goal 1": "day 1", "goal 2": "day 1"}
    f1 = retrieval_f1(ROOT, visible, parents, [(10, 20)])
    assert f1 == pytest.approx(2 * (1 / 3) * 1 / (1 / 3 + 1))  # 0.5


def test_a_node_that_is_too_wide_counts_by_its_share() -> None:
    # n of the day 0-50: (10/50 - 0.1) / 0.9 = 1/9, and it is the only leaf: p = r = 1/9
    visible = {"root": ROOT, "day": (0, 50)}
    f1 = retrieval_f1(ROOT, visible, {"day": "root"}, [(10, 20)])
    assert f1 == pytest.approx(1 / 9)


def test_recall_is_the_mean_over_the_spans_that_are_asked_for() -> None:
    # Of 10-20 and 60-80 only the first is found. n(10-20) = 1, and for 60-80 the best is the root:
    # (20/100 - 0.2) / 0.8 = 0. r = 1/2, p = 1, f1 = 2/3
    visible = {"root": ROOT, "goal": (10, 20)}
    f1 = retrieval_f1(ROOT, visible, {"goal": "root"}, [(10, 20), (60, 80)])
    assert f1 == pytest.approx(2 / 3)


def test_the_root_alone_finds_nothing() -> None:
    assert retrieval_f1(ROOT, {"root": ROOT}, {}, [(10, 20)]) == 0.0
