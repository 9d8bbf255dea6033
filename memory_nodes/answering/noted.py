"""Things that observations speak of and no object stands for: told by people, seen in a scene."""

from __future__ import annotations

import math
from collections.abc import Collection

from memory_nodes.answering.asked import Asked
from memory_nodes.answering.naming import named
from memory_nodes.answering.properties import PlaceAt
from memory_nodes.answering.question_kind import QuestionKind
from memory_nodes.answering.recall import Recall
from memory_nodes.episodic.lines import SPOKEN_LAYERS
from memory_nodes.episodic.things import name_key
from memory_nodes.records import NS_PER_S, Answer, Keyframe, RetrievedKeyframe
from memory_nodes.retrieval.question import read_question, terms_of
from memory_nodes.store.sightings import Sighting
from memory_nodes.words import age_text

_OF_THINGS = frozenset((QuestionKind.OBJECT, QuestionKind.TEMPORAL))
SAME_NAME, OTHER_NAME = 0.5, 0.4
"""Confidence; where only words tell of a thing, nobody has looked at it."""
SAME_TIME_NS, SAME_PLACE_M = 10 * NS_PER_S, 1.0
"""Within these a keyframe shows what there was to be noted."""


def noted_answer(
    asked: Asked, recall: Recall, place_at: PlaceAt, keyframes: Collection[Keyframe]
) -> Answer | None:
    """When a thing was noted last, and where the robot was; None where it never was.

    Of a thing that stands in a relation, or is not named, nothing is told.

    Args:
        keyframes: one of them shows what the robot saw where and when it noted the thing.
    """
    if asked.kind not in _OF_THINGS:
        return None
    question = read_question(asked.sought)
    if question.is_open or question.anchor or not terms_of(question.text):
        return None
    thing = named(question.sought)
    seen = recall.sightings(thing, asked.wanted)
    if not seen:
        return None
    last = seen[-1]
    place = place_at(last.stamp_ns)
    where = f", when I was in the {place}" if place else ""
    is_same = name_key(last.name) == name_key(thing)
    return Answer(
        question=asked.question,
        text=f"The {last.name} was last noted {age_text(last.stamp_ns, asked.now_ns)}{where}.",
        found=True,
        stamp_ns=asked.now_ns,
        confidence=SAME_NAME if is_same else OTHER_NAME,
        problems=asked.problems,
        keyframes=taken_at(last, keyframes),
        evidence=(f"{last.observation_id} on layer {last.layer}",),
    )


def taken_at(seen: Sighting, keyframes: Collection[Keyframe]) -> tuple[RetrievedKeyframe, ...]:
    """The nearest in time that was taken from there; none for what was only spoken of."""
    if seen.layer in SPOKEN_LAYERS:
        return ()
    near = [
        item
        for item in keyframes
        if item.is_localized
        and item.map_from_base.is_valid
        and item.map_id == seen.map_id
        and abs(item.stamp_ns - seen.stamp_ns) <= SAME_TIME_NS
        and math.dist(item.map_from_base.position_m, seen.position_map_m) <= SAME_PLACE_M
    ]
    best = min(near, key=lambda item: abs(item.stamp_ns - seen.stamp_ns), default=None)
    return () if best is None else (RetrievedKeyframe(best, SAME_NAME, why="taken when noted"),)
