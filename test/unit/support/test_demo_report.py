"""The demo's report says what is wrong, and its table fits a terminal."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from memory_test_support.demo.report import Asked, Driven, Report, table

RIGHT = Asked("Where is the mug?", "On the desk.", 4, True, (1.0, 2.0, 0.7), 0.123, 65.0)
WRONG = replace(RIGHT, in_truth=False)
GOOD = Report(
    keyframes=75, chunks=10, objects=90, questions=[RIGHT] * 7 + [WRONG],
    goal=Driven("ARRIVED", 0.0004, 0.0002, 0.0003, 0.0001),
)  # fmt: skip


def test_all_well_is_ok() -> None:
    assert GOOD.verdict() == "demo: ok"


@pytest.mark.parametrize(
    ("report", "why"),
    [
        (replace(GOOD, keyframes=74), "74 of 75 keyframes are stored"),
        (replace(GOOD, questions=[RIGHT] * 6 + [WRONG] * 2), "6 of 8 best keyframes are right"),
        (replace(GOOD, goal=Driven("NAV_ABORTED")), "the drive ended with NAV_ABORTED"),
        (replace(GOOD, goal=Driven("ARRIVED", 0.0011, 0.0, 0.0, 0.0)), "0.0011 m"),
        (replace(GOOD, goal=Driven("ARRIVED", 0.0, 0.0011, 0.0, 0.0)), "0.0011 rad"),
        (replace(GOOD, goal=Driven("ARRIVED", 0.0, 0.0, 0.0011, 0.0)), "off the tour's own pose"),
        (replace(GOOD, goal=Driven("ARRIVED", 0.0, 0.0, 0.0, 0.0011)), "off the tour's own pose"),
        (replace(GOOD, goal=Driven("ARRIVED", 0.0, 0.0)), "off the tour's own pose"),
        (replace(GOOD, goal=Driven("ARRIVED")), "None m"),
        (replace(GOOD, problem="memory ended with code 1\n  | a log line"), "ended with code 1"),
    ],
)
def test_each_shortfall_is_named_in_one_line(report: Report, why: str) -> None:
    verdict = report.verdict()
    assert verdict.startswith("demo: FAILED ")
    assert why in verdict
    assert "\n" not in verdict


def test_saved_report_has_the_agreed_keys(tmp_path: Path) -> None:
    GOOD.save(tmp_path / "report.json")
    saved = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert set(saved) == {
        *("keyframes", "chunks", "objects", "questions", "goal"),
        *("seconds_total", "seconds_setup"),
    }
    assert set(saved["questions"][0]) == {
        *("question", "answer", "keyframe_id", "in_truth", "position_error_m"),
    }
    assert set(saved["goal"]) == {
        *("outcome", "distance_to_keyframe_pose_m", "heading_error_rad"),
        *("distance_to_tour_pose_m", "tour_heading_error_rad"),
    }


def test_table_fits_120_columns_whatever_the_answer() -> None:
    long = replace(RIGHT, question="why " * 40, answer="because " * 60 + "x" * 80)
    nothing = Asked("Where is the yeti?", "I have not seen that.")
    lines = table([RIGHT, long, nothing]).splitlines()
    assert max(map(len, lines)) <= 120
    assert any("4 right" in line and "65 s" in line and "0.12" in line for line in lines)
    assert any("none" in line and "unknown" in line for line in lines)
