"""Which objects a question is about, and which keyframes show them best.

Source: VL-KnG, section 6.3: lexical overlap of the question with each object's name,
attributes and spatial phrases. Unlike the paper a keyframe is ranked by its best object, not by
the sum over all: on crowded keyframes many half-matching objects would win over the one meant.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from memory_nodes.records import Keyframe, ObjectDescriptor, ObjectView, RetrievedKeyframe
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.words import STOP_WORDS, stem, stems, words

TYPE_WEIGHT = 1.3
DEED_WEIGHT = 1.2
NEIGHBOUR_WEIGHT = 0.4
RELATION_BOOST = 0.15
SIDE_OBJECT_WEIGHT = 0.1
RELEVANT_SHARE = 0.6
"""Objects of at least this share of the best score speak for a keyframe."""
GOOD_AREA_SHARE = 0.08
"""From this share of the picture on, a larger view is no better."""

SPATIAL_WORDS = frozenset(
    "on in inside under above below behind beside between next near left right front top".split()
)


@dataclass(frozen=True)
class Ranking:
    """Scores of objects, 0 to about 1, and keyframes, best first."""

    object_scores: Mapping[str, float]
    keyframes: tuple[RetrievedKeyframe, ...]

    @property
    def best_score(self) -> float:
        return max(self.object_scores.values(), default=0.0)


def rank(question: str, snapshot: Snapshot, max_keyframes: int) -> Ranking:
    """Ranks what the memory holds by how well it fits a question."""
    scores = score_objects(question, snapshot)
    best = max(scores.values(), default=0.0)
    relevant = {key: score for key, score in scores.items() if score >= RELEVANT_SHARE * best > 0.0}
    is_spatial = not SPATIAL_WORDS.isdisjoint(words(question))
    frame_scores = _score_keyframes(snapshot, relevant)
    if is_spatial:
        _boost_relations(snapshot, relevant, frame_scores, best)
    order = sorted(frame_scores, key=lambda key: (-frame_scores[key], -key))
    return Ranking(
        scores,
        tuple(
            _retrieved(snapshot, key, frame_scores[key], scores, relevant)
            for key in order[:max_keyframes]
        ),
    )


def score_objects(question: str, snapshot: Snapshot) -> dict[str, float]:
    """How much of a question's weight each object's words carry; objects without any left out.

    Rare words weigh more (inverse document frequency). A word that no object has weighs most:
    a question about something never seen scores low everywhere.
    """
    terms = {stem(word) for word in words(question) if word not in STOP_WORDS}
    own = {item.object_id: set(stems(" ".join(_texts(item)))) for item in snapshot.objects}
    types = {item.object_id: set(stems(f"{item.name} {item.type}")) for item in snapshot.objects}
    deeds = {item.object_id: _deeds(item) for item in snapshot.objects}
    frequency = Counter(word for texts in own.values() for word in texts & terms)
    count = len(own)
    weight = {term: math.log(1.0 + (count + 1) / (frequency[term] + 1)) for term in terms}
    total = sum(weight.values())
    scores = {}
    for item in snapshot.objects:
        key = item.object_id
        neighbours = {
            word
            for relation in snapshot.relations_by_subject.get(key, ())
            for word in types.get(relation.object_id, ())
        }
        score = sum(
            weight[term]
            * (
                TYPE_WEIGHT
                if term in types[key]
                else DEED_WEIGHT
                if term in deeds[key]
                else 1.0
                if term in own[key]
                else NEIGHBOUR_WEIGHT * (term in neighbours)
            )
            for term in terms
        )
        if score > 0.0:
            scores[key] = score / total
    return scores


def view_quality(view: ObjectView, keyframe: Keyframe) -> float:
    """How well a keyframe shows an object, 0 to 1: large, and whole in the picture."""
    share = view.box.area_px2 / (keyframe.width_px * keyframe.height_px)
    size = math.sqrt(min(1.0, share / GOOD_AREA_SHARE))
    whole = 0.8 if view.box.touches_border(keyframe.width_px, keyframe.height_px) else 1.0
    return (0.5 + 0.5 * size) * whole * view.confidence


def _texts(descriptor: ObjectDescriptor) -> tuple[str, ...]:
    return (
        *(descriptor.type, descriptor.description),
        *(*descriptor.attributes.values(), *descriptor.affordances, *descriptor.wordings),
    )


def _deeds(descriptor: ObjectDescriptor) -> set[str]:
    """What can be done to something with an object: "heat food", but not just "heat"."""
    phrases = [stems(phrase) for phrase in descriptor.affordances]
    return {word for phrase in phrases if len(phrase) > 1 for word in phrase}


def _score_keyframes(snapshot: Snapshot, relevant: Mapping[str, float]) -> dict[int, float]:
    """The best object counts, others only a little."""
    parts: dict[int, list[float]] = {}
    for object_id, score in relevant.items():
        for view in snapshot.objects_by_id[object_id].views:
            quality = view_quality(view, snapshot.keyframes[view.keyframe_id])
            parts.setdefault(view.keyframe_id, []).append(score * quality)
    return {
        key: max(values) + SIDE_OBJECT_WEIGHT * (sum(values) - max(values))
        for key, values in parts.items()
    }


def _boost_relations(
    snapshot: Snapshot,
    relevant: Mapping[str, float],
    frame_scores: dict[int, float],
    best: float,
) -> None:
    """Prefers keyframes that show much in relation to what was asked about.

    "What is on the table?" is best answered by the keyframe with most on the table; each
    further neighbour counts half of the one before.
    """
    neighbours: dict[int, set[str]] = {}
    for relation in snapshot.relations:
        if relation.object_id in relevant:
            for key in relation.keyframe_ids:
                neighbours.setdefault(key, set()).add(relation.subject_id)
    for key, subjects in neighbours.items():
        if key in frame_scores:
            frame_scores[key] += RELATION_BOOST * best * (1.0 - 0.5 ** len(subjects))


def _retrieved(
    snapshot: Snapshot,
    keyframe_id: int,
    score: float,
    scores: Mapping[str, float],
    relevant: Mapping[str, float],
) -> RetrievedKeyframe:
    shown = [
        item for item in snapshot.objects_by_keyframe[keyframe_id] if item.object_id in relevant
    ]
    shown.sort(key=lambda item: -scores[item.object_id])
    return retrieved(snapshot.keyframes[keyframe_id], score, shown)


def retrieved(keyframe: Keyframe, score: float, shown: list[ObjectDescriptor]) -> RetrievedKeyframe:
    """A keyframe with the objects for which it was chosen, all of which it must show."""
    views = tuple(
        next(view for view in item.views if view.keyframe_id == keyframe.keyframe_id)
        for item in shown
    )
    return RetrievedKeyframe(
        keyframe=keyframe,
        score=score,
        object_ids=tuple(item.object_id for item in shown),
        views=views,
        why="shows " + ", ".join(item.type for item in shown[:3]),
    )


def best_views(descriptor: ObjectDescriptor, snapshot: Snapshot) -> list[RetrievedKeyframe]:
    """The keyframes that show an object, best first, the newest first among equals."""
    hits = [
        retrieved(
            snapshot.keyframes[view.keyframe_id],
            view_quality(view, snapshot.keyframes[view.keyframe_id]),
            [descriptor],
        )
        for view in descriptor.views
    ]
    return sorted(hits, key=lambda hit: (-hit.score, -hit.keyframe.keyframe_id))
