"""When things were seen, and where the robot was then, from the views of objects."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from memory_nodes.answering.asked import Asked
from memory_nodes.answering.extractive import last_seen, name
from memory_nodes.answering.locating import called
from memory_nodes.answering.naming import named
from memory_nodes.answering.properties import PlaceAt
from memory_nodes.answering.question_kind import asks_where_robot_was
from memory_nodes.answering.whereabouts import Whereabouts, newest_whereabouts
from memory_nodes.dates import Dates
from memory_nodes.records import Answer, Keyframe, ObjectDescriptor, ObjectView
from memory_nodes.retrieval.context import evidence_line
from memory_nodes.retrieval.question import Question, read_question, terms_of
from memory_nodes.retrieval.ranking import Ranking, retrieved
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.store.search import Search
from memory_nodes.words import age_text, words

_FIRST = re.compile(r"\b(?:first|earliest)\b")


def sighting_answer(
    asked: Asked, snapshot: Snapshot, ranking: Ranking, dates: Dates, place_at: PlaceAt
) -> Answer:
    """When the best object was seen, first or last, and from where."""
    question = read_question(asked.sought)
    best = _meant(question, snapshot, ranking.object_scores)
    views = _views_beside(question, best, snapshot)
    if not views:
        text = f"I never saw {name(best)} there; {last_seen(best, snapshot, asked.now_ns)}."
        return replace(_answer(asked, text, snapshot, None, [best], 0.0), found=False)
    is_first = _FIRST.search(" ".join(words(asked.question))) is not None
    view = views[0 if is_first else -1]
    keyframe = snapshot.keyframes[view.keyframe_id]
    which = "first" if is_first else "last"
    seen = f"{dates.moment(keyframe.stamp_ns)}, {age_text(keyframe.stamp_ns, asked.now_ns)}"
    where = Whereabouts.of(keyframe).said(place_at)
    if asks_where_robot_was(asked.question):
        text = f"When I {which} saw {name(best)}, I was {where}; that was {seen}."
    else:
        text = f"I {which} saw {name(best)} {seen}, when I was {where}."
    surely = min(1.0, ranking.best_score)
    return _answer(asked, text, snapshot, keyframe, [best], surely)


def _meant(question: Question, snapshot: Snapshot, scores: Mapping[str, float]) -> ObjectDescriptor:
    """The best of those that are called so: of "the mug on the desk" a mug."""
    target = named(question.target) if question.anchor else ""
    things = called(target, target, snapshot) if terms_of(target) else ()
    ids = [item.object_id for item in things if item.object_id in scores] or scores
    return snapshot.objects_by_id[max(ids, key=scores.__getitem__)]


def _views_beside(
    question: Question, item: ObjectDescriptor, snapshot: Snapshot
) -> Sequence[ObjectView]:
    """Those that show it as asked: "the mug on the desk"; all where the question names no such
    place, or one that is no object.
    """
    if not question.anchor:
        return item.views
    anchor = named(question.anchor)
    anchors = {each.object_id for each in called(anchor, anchor, snapshot)}
    if not anchors:
        return item.views
    shown = {
        key
        for relation in snapshot.relations
        if (
            relation.subject_id == item.object_id
            and relation.object_id in anchors
            and relation.predicate in question.forward
        )
        or (
            relation.object_id == item.object_id
            and relation.subject_id in anchors
            and relation.predicate in question.backward
        )
        for key in relation.keyframe_ids
    }
    return [view for view in item.views if view.keyframe_id in shown]


def whereabouts_answer(
    asked: Asked, snapshot: Snapshot, search: Search | None, dates: Dates, place_at: PlaceAt
) -> Answer:
    """Where the robot was at the end of the time that was asked for, or last.

    ``snapshot``: of that time only.
    """
    keyframe = snapshot.newest
    found = newest_whereabouts(search, keyframe, asked.wanted)
    if found is None:
        text = f"I do not know where I was{asked.when}."
        return Answer(asked.question, text, False, asked.now_ns, problems=asked.problems)
    text = f"I was {found.said(place_at)} on {dates.moment(found.stamp_ns)}."
    is_seen = keyframe is not None and found.stamp_ns == keyframe.stamp_ns
    return _answer(asked, text, snapshot, keyframe if is_seen else None, [], 1.0)


def _answer(
    asked: Asked,
    text: str,
    snapshot: Snapshot,
    keyframe: Keyframe | None,
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
        keyframes=() if keyframe is None else (retrieved(keyframe, 1.0, objects),),
        objects=tuple(objects),
        evidence=tuple(evidence_line(item, snapshot, asked.now_ns) for item in objects),
    )
