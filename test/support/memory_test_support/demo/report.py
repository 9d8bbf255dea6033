"""What the demo found: as report.json, as a table, and as a verdict."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

FRAMES = 75
LEAST_RIGHT = 7
MOST_DISTANCE_M = 0.001
MOST_HEADING_RAD = 0.001

COLUMNS = (  # title and width; with two blanks between them 118 characters
    ("question", 27),
    ("answer", 38),
    ("keyframe", 10),
    ("age", 5),
    ("position [m]", 18),
    ("off [m]", 7),
)


@dataclass
class Asked:
    """One question, its answer, and how right it is."""

    question: str
    answer: str
    keyframe_id: int | None = None
    in_truth: bool = False
    """Whether the best keyframe is one of those that answer the question."""
    position_m: tuple[float, float, float] | None = None
    position_error_m: float | None = None
    age_s: float = 0.0

    def as_json(self) -> dict[str, object]:
        keys = ("question", "answer", "keyframe_id", "in_truth", "position_error_m")
        return {key: getattr(self, key) for key in keys}

    def as_row(self) -> tuple[str, ...]:
        place = self.position_m
        verdict = "right" if self.in_truth else "WRONG"
        return (
            self.question,
            self.answer,
            "none" if self.keyframe_id is None else f"{self.keyframe_id} {verdict}",
            f"{self.age_s:.0f} s" if self.keyframe_id is not None else "",
            "unknown" if place is None else ", ".join(f"{value:.2f}" for value in place),
            "" if self.position_error_m is None else f"{self.position_error_m:.2f}",
        )


@dataclass
class Driven:
    """How a drive ended, and how far from where it should; None where it did not arrive.

    The keyframe's pose comes from the memory, the tour's pose from the recording itself.
    """

    outcome: str
    distance_to_keyframe_pose_m: float | None = None
    heading_error_rad: float | None = None
    distance_to_tour_pose_m: float | None = None
    tour_heading_error_rad: float | None = None

    @property
    def is_exact(self) -> bool:
        return not self.shortfalls()

    def shortfalls(self) -> list[str]:
        """In words, which of the two poses the base is not at."""
        keyframe = (self.distance_to_keyframe_pose_m, self.heading_error_rad, "keyframe's pose")
        tour = (self.distance_to_tour_pose_m, self.tour_heading_error_rad, "tour's own pose")
        return [
            f"the base stands {off_m} m and {off_rad} rad off the {what}"
            for off_m, off_rad, what in (keyframe, tour)
            if off_m is None
            or off_rad is None
            or off_m > MOST_DISTANCE_M
            or off_rad > MOST_HEADING_RAD
        ]


@dataclass
class Report:
    """Filled as the demo goes on; `problem` says what ended it early, first in one line."""

    keyframes: int = 0
    chunks: int = 0
    objects: int = 0
    questions: list[Asked] = field(default_factory=list)
    goal: Driven = field(default_factory=lambda: Driven("NOT_SENT"))
    seconds_total: float = 0.0
    """With the set-up."""
    seconds_setup: float = 0.0
    problem: str = ""

    def failures(self) -> list[str]:
        """Everything that keeps the demo from being ok."""
        if self.problem:
            return [self.problem.splitlines()[0]]
        found = []
        right = sum(asked.in_truth for asked in self.questions)
        if self.keyframes < FRAMES:
            found.append(f"{self.keyframes} of {FRAMES} keyframes are stored")
        if right < LEAST_RIGHT:
            found.append(f"{right} of {len(self.questions)} best keyframes are right")
        if self.goal.outcome != "ARRIVED":
            found.append(f"the drive ended with {self.goal.outcome}")
        else:
            found += self.goal.shortfalls()
        return found

    def verdict(self) -> str:
        """The last line of the demo."""
        failures = self.failures()
        return f"demo: FAILED {'; '.join(failures)}" if failures else "demo: ok"

    def save(self, path: Path) -> None:
        content = {
            "keyframes": self.keyframes,
            "chunks": self.chunks,
            "objects": self.objects,
            "questions": [asked.as_json() for asked in self.questions],
            "goal": vars(self.goal),
            "seconds_total": round(self.seconds_total, 1),
            "seconds_setup": round(self.seconds_setup, 1),
        }
        path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def table(questions: Sequence[Asked]) -> str:
    """The questions as a table of at most 120 columns."""
    titles = tuple(title for title, _ in COLUMNS)
    rule = "  ".join("-" * width for _, width in COLUMNS)
    lines = [*_row(titles), rule]
    for asked in questions:
        lines += _row(asked.as_row())
    return "\n".join([*lines, rule])


def _row(cells: Sequence[str]) -> list[str]:
    """One row, its long cells on several lines."""
    wrapped = [textwrap.wrap(cell, width) for cell, (_, width) in zip(cells, COLUMNS, strict=True)]
    height = max(map(len, wrapped))
    padded = [lines + [""] * (height - len(lines)) for lines in wrapped]
    widths = [width for _, width in COLUMNS]
    return [
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in zip(*padded, strict=True)
    ]
