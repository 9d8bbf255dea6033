"""The detections of a real robot in an office, its questions, and how an answer is judged.

``GO2_QUESTIONS`` names another file of questions in the same form.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from memory_nodes.answering.naming import asked_name
from memory_nodes.answering.recall import Recall
from memory_nodes.answering.recall_question import Asks, recall_question
from memory_nodes.geometry import Pose, Vector3
from memory_nodes.records import NS_PER_S, Observation

DIRECTORY = Path(__file__).resolve().parents[2] / "data" / "go2_office"
DURATION_NS = 285 * NS_PER_S

Question: TypeAlias = dict[str, Any]
Answer: TypeAlias = bool | int | set[str] | tuple[float, ...] | None


def observations() -> Iterator[Observation]:
    """One for each detection, at the pose of the robot."""
    for item in json.loads((DIRECTORY / "detections.json").read_text(encoding="utf-8")):
        planar = Pose.planar(item["x"], item["y"], item["yaw"])
        yield Observation(
            stamp_ns=round(item["ts"] * NS_PER_S),
            map_id="office",
            map_frame="odom",
            layer="detections",
            text=item["class_name"],
            map_from_base=Pose((item["x"], item["y"], item["z"]), planar.quat_xyzw),
            confidence=item["confidence"],
            source="yolov8m",
        )


def questions() -> list[Question]:
    path = Path(os.environ.get("GO2_QUESTIONS", DIRECTORY / "questions.json"))
    found: list[Question] = json.loads(path.read_text(encoding="utf-8"))
    return found


def answer(recall: Recall, question: str) -> Answer:
    """From the text of a question alone: a time in s, a place in m, a number, names, or yes or no.

    None: such a thing was never seen.
    """
    asked = recall_question(question)
    if asked.asks is Asks.SEEN:
        return set(recall.seen(asked.wanted))
    phrase, _ = asked_name(question, recall.names())
    found = recall.sightings(phrase, asked.wanted)
    if asked.asks is Asks.PRESENCE:
        return bool(found)
    if asked.asks is Asks.SIGHTINGS:
        return len(found)
    if asked.asks is Asks.COUNT:
        return recall.count(phrase)
    if asked.asks is Asks.TOGETHER:
        return set(recall.together_with(phrase))
    if not found:
        return None
    is_first = asked.asks in (Asks.FIRST_TIME, Asks.FIRST_PLACE)
    one = found[0 if is_first else -1]
    if asked.asks in (Asks.FIRST_TIME, Asks.LAST_TIME):
        return (one.stamp_ns / NS_PER_S,)
    place_m: Vector3 = one.position_map_m
    return place_m[:2]


def is_right(question: Question, given: Answer) -> bool:
    """Whether an answer is the one of the file, within its tolerance."""
    if "answer_set" in question:
        return isinstance(given, set) and given == set(question["answer_set"])
    if "answer" in question and isinstance(question["answer"], bool):
        return given is question["answer"]
    if "answer" in question:
        if not isinstance(given, int) or isinstance(given, bool):
            return False
        return bool(abs(given - question["answer"]) <= question["tolerance"])
    if "answer_xy_m" in question:
        wanted, tolerance = question["answer_xy_m"], question["tolerance_m"]
    else:
        wanted, tolerance = [question["answer_s"]], question["tolerance_s"]
    if not isinstance(given, tuple) or len(given) != len(wanted):
        return False
    return bool(math.dist(given, wanted) <= tolerance)
