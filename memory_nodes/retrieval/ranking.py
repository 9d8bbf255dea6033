"""Which objects a question is about, and which keyframes show them best.

Source: VL-KnG, section 6.3: overlap of the question with each object's name, attributes and
relations. Unlike the paper a keyframe is ranked by its best object, not by the sum over all: on
crowded keyframes many half-matching objects would win over the one meant.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from memory_nodes.geometry import Array
from memory_nodes.records import Keyframe, ObjectDescriptor, ObjectView, RetrievedKeyframe
from memory_nodes.retrieval.object_scores import Meaning, ObjectScores, object_scores
from memory_nodes.retrieval.question import Question, read_question
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.retrieval.visual import Sightings

RELATION_BOOST = 0.3
SIGHTING_WEIGHT = 0.5
"""Of the picture that looks most like the question."""
RELEVANT_SHARE = 0.6
"""Objects of at least this share of the best score speak for a keyframe."""
MAX_RELEVANT = 64
NEGLIGIBLE = 0.05
UNSEEN_SHARE = 0.5
"""What a neighbour counts that its keyframe hardly shows."""
GOOD_AREA_SHARE = 0.08
"""From this share of the picture on, a larger view is no better."""


@dataclass(frozen=True)
class Ranking:
    """Scores of objects, and keyframes, best first."""

    object_scores: Mapping[str, float]
    keyframes: tuple[RetrievedKeyframe, ...]
    best_score: float
    """How surely the best object is what is looked for, by words and meaning alone: some picture
    is always the most like."""


def rank(
    question: str,
    snapshot: Snapshot,
    max_keyframes: int,
    meaning: Meaning | None = None,
    seen: Sightings | None = None,
) -> Ranking:
    """Ranks what the memory holds by how well it fits a question.

    Args:
        meaning: of the question's phrases (``read_question``); without it words alone count.
        seen: pictures that look like it; they are added to what words and meaning found.
    """
    asked = read_question(question)
    said = object_scores(asked, snapshot.index, meaning or {})
    scores = _with_sightings(said, snapshot, seen) if seen else said
    keyframes = _Keyframes(asked, snapshot, scores, seen or {})
    return Ranking(
        _by_id(snapshot, scores),
        tuple(keyframes.retrieved(key) for key in keyframes.best(max_keyframes)),
        said.evidence,
    )


def score_objects(
    question: str, snapshot: Snapshot, meaning: Meaning | None = None
) -> dict[str, float]:
    """How well each object fits a question; those that do not fit at all are left out."""
    return _by_id(snapshot, object_scores(read_question(question), snapshot.index, meaning or {}))


def _by_id(snapshot: Snapshot, scores: ObjectScores) -> dict[str, float]:
    scored = zip(snapshot.index.object_ids, scores.total.tolist(), strict=True)
    return {object_id: score for object_id, score in scored if score > 0.0}


def _with_sightings(scores: ObjectScores, snapshot: Snapshot, seen: Sightings) -> ObjectScores:
    """An object that looks like what was asked for is a candidate too."""
    total = scores.total.copy()
    for object_id, shares in seen.items():
        if object_id in snapshot.index.row_of:
            total[snapshot.index.row_of[object_id]] += SIGHTING_WEIGHT * max(shares.values())
    return replace(scores, total=total)


def _relevant(total: Array, best: float) -> list[int]:
    """Rows of the objects that a keyframe may be chosen for, best first."""
    rows = np.flatnonzero(total >= RELEVANT_SHARE * best) if best > 0.0 else np.array([], int)
    return [int(row) for row in rows[np.argsort(-total[rows], kind="stable")[:MAX_RELEVANT]]]


class _Keyframes:
    """The keyframes that show relevant objects, and their scores."""

    def __init__(
        self, asked: Question, snapshot: Snapshot, scores: ObjectScores, seen: Sightings
    ) -> None:
        self._snapshot = snapshot
        self._total = scores.total
        self._qualities: dict[int, dict[int, float]] = {}
        best = float(scores.total.max(initial=0.0))
        self._relevant = _relevant(scores.total, best)
        self._scores: dict[int, float] = {}
        for row in self._relevant:
            shares = seen.get(snapshot.index.object_ids[row], {})
            for key, quality in self._quality_of(row).items():
                score = float(scores.total[row]) * quality + SIGHTING_WEIGHT * shares.get(key, 0.0)
                self._scores[key] = max(score, self._scores.get(key, 0.0))
        if asked.anchor and self._relevant:
            shares = self._asked_pairs(scores) if asked.target else self._neighbours(scores)
            for key in self._scores.keys() & shares.keys():
                self._scores[key] += RELATION_BOOST * best * shares[key]

    def best(self, count: int) -> list[int]:
        """Ids of the best keyframes, the newest first among equals."""
        return sorted(self._scores, key=lambda key: (-self._scores[key], -key))[:count]

    def retrieved(self, keyframe_id: int) -> RetrievedKeyframe:
        """A keyframe with the relevant objects that it shows, the best first."""
        shown = [row for row in self._relevant if keyframe_id in self._quality_of(row)]
        objects = [self._snapshot.objects[row] for row in shown]
        score = self._scores[keyframe_id]
        return retrieved(self._snapshot.keyframes[keyframe_id], score, objects)

    def _asked_pairs(self, scores: ObjectScores) -> dict[int, float]:
        """How well a keyframe shows the thing looked for with the one that it stands beside."""
        table = self._snapshot.index.relations
        fits = scores.fit * scores.target[table.near] * scores.anchor[table.far] ** 2
        shares: dict[int, float] = {}
        for row in np.flatnonzero(np.isin(table.near, self._relevant) & (fits > NEGLIGIBLE)):
            for key in table.keyframe_ids(row):
                share = float(fits[row]) * self._visibility(int(table.far[row]), key)
                shares[key] = max(share, shares.get(key, 0.0))
        return shares

    def _neighbours(self, scores: ObjectScores) -> dict[int, float]:
        """How much a keyframe shows of all that stands as asked to a relevant object.

        "What is on the table?" is best answered by the keyframe with most on the table.
        """
        table = self._snapshot.index.relations
        total: dict[int, float] = defaultdict(float)
        parts: dict[tuple[int, int], float] = defaultdict(float)
        for row in np.flatnonzero(np.isin(table.far, self._relevant)):
            anchor, weight = int(table.far[row]), float(scores.fit[row]) ** 2
            total[anchor] += weight
            for key in table.keyframe_ids(row):
                parts[anchor, key] += weight * self._visibility(int(table.near[row]), key)
        shares: dict[int, float] = {}
        for (anchor, key), part in parts.items():
            share = part / total[anchor] * float(self._total[anchor] / self._total.max())
            shares[key] = max(share, shares.get(key, 0.0))
        return shares

    def _visibility(self, row: int, keyframe_id: int) -> float:
        quality = self._quality_of(row).get(keyframe_id, 0.0)
        return UNSEEN_SHARE + (1.0 - UNSEEN_SHARE) * quality

    def _quality_of(self, row: int) -> dict[int, float]:
        """How well each keyframe shows an object."""
        if row not in self._qualities:
            keyframes = self._snapshot.keyframes
            self._qualities[row] = {
                view.keyframe_id: view_quality(view, keyframes[view.keyframe_id])
                for view in self._snapshot.objects[row].views
            }
        return self._qualities[row]


def view_quality(view: ObjectView, keyframe: Keyframe) -> float:
    """How well a keyframe shows an object, 0 to 1: large, and whole in the picture."""
    share = view.box.area_px2 / (keyframe.width_px * keyframe.height_px)
    size = math.sqrt(min(1.0, share / GOOD_AREA_SHARE))
    whole = 0.8 if view.box.touches_border(keyframe.width_px, keyframe.height_px) else 1.0
    return (0.5 + 0.5 * size) * whole * view.confidence


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
