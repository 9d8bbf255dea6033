"""The detections of a real robot in an office, its questions, and how an answer is judged.

``GO2_QUESTIONS`` names another file of questions in the same form.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from memory_nodes.answering.naming import meant, phrases
from memory_nodes.answering.recall import Recall
from memory_nodes.geometry import Pose, Vector3
from memory_nodes.records import NS_PER_S, Observation
from memory_nodes.words import stem, words
from memory_test_support.recall_question import Asks, recall_question

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
        return {group[0].name for group in recall.things(asked.wanted)}
    phrase, _ = asked_name(question, recall.names())
    found = recall.sightings(phrase, asked.wanted)
    if asked.asks is Asks.PRESENCE:
        return bool(found)
    if asked.asks is Asks.SIGHTINGS:
        return len(found)
    if asked.asks is Asks.COUNT:
        return _count(recall, phrase)
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


def asked_name(question: str, known: Iterable[str]) -> tuple[str, list[str]]:
    """The phrase that a question is about, and the known names that it means.

    Of several phrases the one that is known, else the longest; empty where there is none.
    """
    names = list(known)
    in_whole = _known_in(question, names)
    for phrase in (*in_whole, *phrases(question)):
        if found := meant(phrase, names):
            return phrase, found
    return next(iter(phrases(question)), ""), []


def _known_in(question: str, names: Iterable[str]) -> list[str]:
    """Known names of several words that stand in a question, though a word of them asks: 'first
    aid kit'. Longest first.
    """
    said = f" {' '.join(map(stem, words(question)))} "
    whole = [name for name in names if f" {' '.join(map(stem, words(name)))} " in said]
    return sorted((name for name in whole if len(words(name)) > 1), key=len, reverse=True)


def _count(recall: Recall, phrase: str) -> int:
    """How many things of this name are told apart."""
    found = recall.sightings(phrase)
    consolidated = {item.entity_id for item in found if item.entity_id}
    return max(len(consolidated), 1) if found else 0


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
