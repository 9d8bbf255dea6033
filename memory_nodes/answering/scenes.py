"""What is seen, what is around and what is known at all, without a language model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memory_nodes.answering.asked import Asked
from memory_nodes.answering.extractive import kind, listed, listed_things, name
from memory_nodes.answering.properties import GONE, PlaceAt, number
from memory_nodes.answering.whereabouts import Whereabouts
from memory_nodes.records import Answer, ObjectDescriptor, RetrievedKeyframe
from memory_nodes.retrieval.context import evidence_line
from memory_nodes.retrieval.ranking import best_views, retrieved
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.words import age_text

MAX_KINDS = 10
"""Of more kinds the most frequent are named, the others counted."""


def newest_picture(asked: Asked, snapshot: Snapshot, place_at: PlaceAt) -> Answer:
    """What the newest keyframe shows."""
    keyframe = snapshot.newest
    if keyframe is None:
        return _nothing(asked, f"I have seen nothing{asked.when}.")
    where = Whereabouts.of(keyframe).said(place_at) if keyframe.is_localized else "somewhere"
    seen = f"{age_text(keyframe.stamp_ns, asked.now_ns)}, when I was {where}"
    shown = snapshot.objects_by_keyframe.get(keyframe.keyframe_id, ())
    if not shown:
        return _nothing(asked, f"In my newest picture, {seen}, I know nothing.")
    text = f"My newest picture shows {listed_things(shown)}; it was taken {seen}."
    return _answer(asked, text, snapshot, shown, (retrieved(keyframe, 1.0, list(shown)),))


def around_robot(asked: Asked, snapshot: Snapshot, near: Sequence[ObjectDescriptor]) -> Answer:
    """What is around it, of which a snapshot knows.

    ``near``: nearest first.
    """
    by_id = snapshot.objects_by_id
    known = [by_id[key] for key in (item.object_id for item in near) if key in by_id]
    known = [item for item in known if item.status not in GONE]
    if not known:
        return _nothing(asked, "I know of nothing around me.")
    text = f"Around me I know of {listed_things(known)}."
    shown = {hit.keyframe.keyframe_id: hit for item in known for hit in best_views(item, snapshot)}
    return _answer(asked, text, snapshot, known, tuple(shown.values())[: asked.max_keyframes])


def all_known(asked: Asked, snapshot: Snapshot) -> Answer:
    """How many things of each kind."""
    known = [item for item in snapshot.objects if item.status not in GONE]
    if not known:
        return _nothing(asked, f"I know of no objects{asked.when}.")
    counts = Counter(map(kind, known)).most_common()
    named = [[item for item in known if kind(item) == each] for each, _ in counts[:MAX_KINDS]]
    texts = [name(group[0]) if len(group) == 1 else number(group) for group in named]
    if len(counts) > MAX_KINDS:
        rest = sum(count for _, count in counts[MAX_KINDS:])
        texts.append(f"{rest} of other kinds")
    many = "1 object" if len(known) == 1 else f"{len(known)} objects"
    text = f"I know of {many}: {listed(texts)}."
    return _answer(asked, text, snapshot, [group[0] for group in named], ())


def _nothing(asked: Asked, text: str) -> Answer:
    return Answer(asked.question, text, False, asked.now_ns, problems=asked.problems)


def _answer(
    asked: Asked,
    text: str,
    snapshot: Snapshot,
    objects: Sequence[ObjectDescriptor],
    keyframes: tuple[RetrievedKeyframe, ...],
) -> Answer:
    told = tuple(objects[:MAX_KINDS])
    return Answer(
        question=asked.question,
        text=text,
        found=True,
        stamp_ns=asked.now_ns,
        confidence=1.0,
        problems=asked.problems,
        keyframes=keyframes,
        objects=told,
        evidence=tuple(evidence_line(item, snapshot, asked.now_ns) for item in told),
    )
