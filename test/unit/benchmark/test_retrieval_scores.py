"""Figures of retrieval, by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmark.retrieval.scores import Outcome, figures
from memory_test_support.tour import Question

ASKED = Question("q", "object_search", "?", "?", "", (), ("mug_1",), (3, 4), True)
ABSENT = replace(ASKED, kind="unanswerable", ground_truth_frames=(), answerable=False)
OUTCOMES = [
    Outcome(ASKED, (3, 1, 4, 2, 5), True, 1.0, 100),
    Outcome(ASKED, (1, 2, 5, 6, 4), True, 2.0, 300),
    Outcome(replace(ASKED, kind="scene_description"), (1, 2), False, 3.0, 200),
    Outcome(ABSENT, (7,), True, 4.0),
    Outcome(ABSENT, (), False, 5.0),
]


def test_ranks_of_the_first_right_keyframe() -> None:
    assert [item.rank for item in OUTCOMES] == [1, 5, None, None, None]


def test_figures_by_hand() -> None:
    """Of three answerable ones one is right at once, one at the fifth place, one not at all.

    Of their twelve keyframes three are right.
    """
    found = figures(OUTCOMES)
    assert (found["retr_at_1"], found["retr_at_3"], found["retr_at_5"]) == (0.333, 0.333, 0.667)
    assert found["mrr_at_5"] == pytest.approx((1.0 + 0.2) / 3.0, abs=5e-4)
    assert found["precision"] == pytest.approx(3.0 / 12.0)
    assert (found["absent_false_alarms"], found["present_missed"]) == (0.5, 0.333)
    assert (found["ms_p50"], found["prompt_tokens_max"]) == (3.0, 300)


def test_figures_by_type_leave_out_what_has_no_answer() -> None:
    by_type = figures(OUTCOMES)["by_type"]
    assert {kind: found["n"] for kind, found in by_type.items()} == {
        "object_search": 2,
        "scene_description": 1,
    }
    assert by_type["object_search"]["retr_at_1"] == 0.5
