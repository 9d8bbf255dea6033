"""How things stand to each other, from the scene graph, with the sentence that says it.

Source: VL-KnG, section 6.3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memory_nodes.answering.asked import Asked
from memory_nodes.answering.extractive import last_seen, listed, name
from memory_nodes.answering.locating import called, is_called
from memory_nodes.answering.relation_question import Relating, RelationQuestion
from memory_nodes.graph.phrases import name as written
from memory_nodes.graph.scene_graph import SceneGraph
from memory_nodes.graph.search import Step
from memory_nodes.perception.predicates import inverse_of
from memory_nodes.records import Answer, ObjectDescriptor, Relation, RetrievedKeyframe
from memory_nodes.retrieval.context import evidence_line
from memory_nodes.retrieval.ranking import Ranking, best_views, retrieved
from memory_nodes.retrieval.snapshot import Snapshot

MAX_ENDS = 5
"""Things of one name from which a way is looked for."""
MAX_NAMED = 5
"""Of more things these are named, the others counted."""
CONFIDENCE = 0.5
"""Of a sentence out of the graph: which thing was meant is told by words alone."""
_VERBS = ("supports", "contains")
"""Predicates that are verbs themselves."""


@dataclass(frozen=True)
class RelationFacts:
    """What the graph knows of a question about relations."""

    text: str
    objects: tuple[ObjectDescriptor, ...]
    """What was asked for first, then what the question named."""
    keyframe_ids: tuple[int, ...]
    """Those that show most of it first."""
    relations: tuple[Relation, ...] = ()
    counts: str = ""
    """For a prompt, where it is no relation: what shows with what, and how often."""
    is_found: bool = True
    """False: the objects are known, but nothing that stands to them as asked."""

    def ranking(self, snapshot: Snapshot, max_keyframes: int) -> Ranking:
        """For a context, where a search by words found nothing sure."""
        shown = tuple(self._shown(key, snapshot) for key in self.keyframe_ids[:max_keyframes])
        return Ranking({item.object_id: 1.0 for item in self.objects}, shown, 1.0)

    def answer(self, asked: Asked, snapshot: Snapshot, problem: str) -> Answer:
        """The answer without a model, and why it is without one."""
        return Answer(
            question=asked.question,
            text=self.text,
            found=self.is_found,
            stamp_ns=asked.now_ns,
            confidence=CONFIDENCE if self.is_found else 0.0,
            degraded=True,
            problems=(problem,),
            keyframes=self.ranking(snapshot, asked.max_keyframes).keyframes
            if self.is_found
            else (),
            objects=self.objects if self.is_found else (),
            evidence=tuple(evidence_line(item, snapshot, asked.now_ns) for item in self.objects),
        )

    def _shown(self, keyframe_id: int, snapshot: Snapshot) -> RetrievedKeyframe:
        in_it = {item.object_id for item in snapshot.objects_by_keyframe.get(keyframe_id, ())}
        shown = [item for item in self.objects if item.object_id in in_it]
        share = len(shown) / len(self.objects)
        return retrieved(snapshot.keyframes[keyframe_id], share, shown)


@dataclass(frozen=True)
class Related:
    """What the scene graph adds to what was found."""

    relations: tuple[Relation, ...] = ()
    """For a context: those that were asked for, then all that the keyframes show."""
    facts: RelationFacts | None = None
    """Of a question about relations."""

    @property
    def note(self) -> str:
        """A line for a context, or empty."""
        return f"{self.facts.counts}\n" if self.facts is not None and self.facts.counts else ""


def relation_facts(
    asked: RelationQuestion, snapshot: Snapshot, scene: SceneGraph, now_ns: int, best_id: str = ""
) -> RelationFacts | None:
    """None where the things are not known by these words, or no way leads between them.

    Args:
        scene: the graph of the snapshot; what it has beyond that is not told.
        best_id: the object that fits the question best, for "what is on the couch" where it is
            known as a sofa.
    """
    anchors = _meant(asked.anchor, snapshot, scene)
    if not anchors and best_id in scene and asked.asks == Relating.PLACED and not asked.kind:
        best = snapshot.objects_by_id[best_id]
        alone = asked.anchor_alone
        anchors = [best] if not alone or best in _meant(alone, snapshot, scene) else []
    if not anchors:
        return None
    if asked.asks == Relating.TOGETHER:
        return _together(anchors, snapshot, scene)
    if asked.asks == Relating.WAY:
        return _way(anchors, _meant(asked.other, snapshot, scene), snapshot, scene)
    for predicate in asked.predicates:
        if found := _placed(predicate, asked.kind, anchors, snapshot, scene):
            return found
    return None if asked.kind else _nothing(asked, anchors, snapshot, now_ns)


def _meant(phrase: str, snapshot: Snapshot, scene: SceneGraph) -> list[ObjectDescriptor]:
    """The things that a phrase names, by words or by an id."""
    return [item for item in called(phrase, phrase, snapshot) if item.object_id in scene]


def _placed(
    predicate: str,
    kind: str,
    anchors: Sequence[ObjectDescriptor],
    snapshot: Snapshot,
    scene: SceneGraph,
) -> RelationFacts | None:
    """'On the desk I saw the laptop and the mug.'; of several desks what is on any."""
    known = snapshot.objects_by_id
    fitting = {item.object_id for item in called(kind, kind, snapshot)} if kind else known.keys()
    found: dict[str, Relation] = {}
    used: dict[str, ObjectDescriptor] = {}
    for anchor in anchors:
        for other, relation in scene.related(predicate, anchor.object_id).items():
            if other in known and other in fitting and snapshot.holds(relation):
                found.setdefault(other, relation)
                used[anchor.object_id] = anchor
    if not found:
        return None
    things = [known[other] for other in found]
    where = listed(list(dict.fromkeys(map(name, used.values()))))
    text = f"{predicate.capitalize()} {where} I saw {_listed(things)}."
    relations = tuple(found.values())
    objects = (*things, *used.values())
    return RelationFacts(text, objects, _most_shown(relations, snapshot), relations)


def _nothing(
    asked: RelationQuestion, anchors: Sequence[ObjectDescriptor], snapshot: Snapshot, now_ns: int
) -> RelationFacts | None:
    """'I saw nothing under the desk; the desk was last seen next to the lamp, 2 minutes ago.'

    None where none of the things is what was named: in the kitchen is more than in its sink.
    """
    anchor = next((item for item in anchors if is_called(item, asked.anchor)), None)
    if anchor is None:
        return None
    seen = last_seen(anchor, snapshot, now_ns)
    shown = tuple(hit.keyframe.keyframe_id for hit in best_views(anchor, snapshot))
    text = f"I saw nothing {asked.predicates[0]} {name(anchor)}; {seen}."
    return RelationFacts(text, (anchor,), shown, is_found=False)


def _together(
    anchors: Sequence[ObjectDescriptor], snapshot: Snapshot, scene: SceneGraph
) -> RelationFacts | None:
    """'Together with the laptop I saw the desk (in 3 of 4 pictures) and the mug (2).'"""
    known = snapshot.objects_by_id
    ids = {item.object_id for item in anchors}
    counts: Counter[str] = Counter()
    for anchor in anchors:
        counts.update(scene.co_occurrence(anchor.object_id))
    often = [(other, n) for other, n in counts.most_common() if other in known.keys() - ids]
    if not often:
        return None
    shown = Counter(view.keyframe_id for item in anchors for view in item.views)
    named = often[:MAX_NAMED]
    texts = [f"{name(known[other])} ({n})" for other, n in named]
    first, most = named[0]
    texts[0] = f"{name(known[first])} (in {most} of {len(shown)} pictures)"
    if len(often) > len(named):
        texts.append(f"{len(often) - len(named)} more")
    with_what = listed(list(dict.fromkeys(map(name, anchors))))
    things = [known[other] for other, _ in named]
    for thing in things:
        shown.update(view.keyframe_id for view in thing.views if view.keyframe_id in shown)
    said = ", ".join(f"{written(other)} in {n}" for other, n in named)
    return RelationFacts(
        text=f"Together with {with_what} I saw {listed(texts)}.",
        objects=(*things, *anchors[:MAX_NAMED]),
        keyframe_ids=_most_first(shown),
        counts=f"shown with {', '.join(map(written, sorted(ids)[:MAX_NAMED]))}: {said} keyframes",
    )


def _way(
    starts: Sequence[ObjectDescriptor],
    goals: Sequence[ObjectDescriptor],
    snapshot: Snapshot,
    scene: SceneGraph,
) -> RelationFacts | None:
    """'From the mug to the sofa: the mug is on the desk, the desk is next to the sofa.'

    The shortest between any two things of these names.
    """
    pairs = [(one, other) for one in starts[:MAX_ENDS] for other in goals[:MAX_ENDS]]
    paths = [
        (one, other, path)
        for one, other in pairs
        if (path := scene.path(one.object_id, other.object_id))
    ]
    if not paths:
        return None
    start, goal, path = min(paths, key=lambda item: len(item[2]))
    relations = tuple(step.relation for step in path)
    passed = [start.object_id]
    for relation in relations:
        passed.append(_other_end(relation, passed[-1]))
    if not snapshot.objects_by_id.keys() >= set(passed):
        return None
    steps = [_said(step, near, snapshot) for step, near in zip(path, passed, strict=False)]
    return RelationFacts(
        text=f"From {name(start)} to {name(goal)}: {', '.join(steps)}.",
        objects=tuple(snapshot.objects_by_id[key] for key in passed),
        keyframe_ids=_most_shown(relations, snapshot),
        relations=relations,
    )


def _other_end(relation: Relation, end: str) -> str:
    return relation.object_id if relation.subject_id == end else relation.subject_id


def _said(step: Step, near: str, snapshot: Snapshot) -> str:
    """A relation as a clause, beginning at the near end where there is a word for that."""
    relation = step.relation
    ends, predicate = (relation.subject_id, relation.object_id), relation.predicate
    inverse = inverse_of(predicate)
    if near != relation.subject_id and inverse is not None:
        ends, predicate = (relation.object_id, relation.subject_id), inverse
    one, other = (name(snapshot.objects_by_id[end]) for end in ends)
    return f"{one} {'' if predicate in _VERBS else 'is '}{predicate} {other}"


def _listed(things: Sequence[ObjectDescriptor]) -> str:
    """Each name once, and how many more there are."""
    names = list(dict.fromkeys(map(name, things)))
    if len(names) > MAX_NAMED:
        names = [*names[:MAX_NAMED], f"{len(names) - MAX_NAMED} more"]
    return listed(names)


def _most_shown(relations: Sequence[Relation], snapshot: Snapshot) -> tuple[int, ...]:
    """The keyframes that show most of the relations first."""
    shown = Counter(key for item in relations for key in item.keyframe_ids)
    return _most_first(Counter({key: n for key, n in shown.items() if key in snapshot.keyframes}))


def _most_first(shown: Counter[int]) -> tuple[int, ...]:
    """The newest first among equals."""
    return tuple(sorted(shown, key=lambda key: (-shown[key], -key)))
