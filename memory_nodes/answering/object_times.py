"""When things were seen, and where the robot was then, from the views of objects."""

from __future__ import annotations

import re

from memory_nodes.answering.asked import Asked
from memory_nodes.answering.extractive import name
from memory_nodes.answering.properties import PlaceAt
from memory_nodes.answering.question_kind import asks_where_robot_was
from memory_nodes.dates import Dates
from memory_nodes.records import Answer, Keyframe, ObjectDescriptor
from memory_nodes.retrieval.context import evidence_line
from memory_nodes.retrieval.ranking import Ranking, retrieved
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.words import age_text, words

_FIRST = re.compile(r"\b(?:first|earliest)\b")


def sighting_answer(
    asked: Asked, snapshot: Snapshot, ranking: Ranking, dates: Dates, place_at: PlaceAt
) -> Answer:
    """When the best object was seen, first or last, and from where."""
    scores = ranking.object_scores
    best = snapshot.objects_by_id[max(scores, key=scores.__getitem__)]
    is_first = _FIRST.search(" ".join(words(asked.question))) is not None
    view = best.views[0 if is_first else -1]
    keyframe = snapshot.keyframes[view.keyframe_id]
    which = "first" if is_first else "last"
    seen = f"{dates.moment(keyframe.stamp_ns)}, {age_text(keyframe.stamp_ns, asked.now_ns)}"
    where = _where(keyframe, place_at)
    if asks_where_robot_was(asked.question):
        text = f"When I {which} saw {name(best)}, I was {where}; that was {seen}."
    else:
        text = f"I {which} saw {name(best)} {seen}, when I was {where}."
    surely = min(1.0, ranking.best_score)
    return _answer(asked, text, snapshot, keyframe, [best], surely)


def whereabouts_answer(
    asked: Asked, snapshot: Snapshot, dates: Dates, place_at: PlaceAt
) -> Answer | None:
    """Where the robot was at the end of the time that was asked for; None: nobody knows.

    ``snapshot``: of that time only.
    """
    if not snapshot.keyframes:
        return None
    keyframe = max(snapshot.keyframes.values(), key=lambda item: item.stamp_ns)
    text = f"I was {_where(keyframe, place_at)} on {dates.moment(keyframe.stamp_ns)}."
    return _answer(asked, text, snapshot, keyframe, [], 1.0)


def _where(keyframe: Keyframe, place_at: PlaceAt) -> str:
    x_m, y_m, _ = keyframe.map_from_base.position_m
    point = f"at ({x_m:.1f}, {y_m:.1f}) m on map {keyframe.map_id}"
    place = place_at(keyframe.stamp_ns)
    return f"in {place}, {point}" if place else point


def _answer(
    asked: Asked,
    text: str,
    snapshot: Snapshot,
    keyframe: Keyframe,
    objects: list[ObjectDescriptor],
    confidence: float,
) -> Answer:
    return Answer(
        question=asked.question,
        text=text,
        found=True,
        stamp_ns=asked.now_ns,
        confidence=confidence,
        problems=asked.problems,
        keyframes=(retrieved(keyframe, 1.0, objects),),
        objects=tuple(objects),
        evidence=tuple(evidence_line(item, snapshot, asked.now_ns) for item in objects),
    )
