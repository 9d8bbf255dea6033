"""How things stand to each other, from the scene graph, with the sentence that says it.

Source: VL-KnG, section 6.3.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from memory_nodes.answering.extractive import MAX_NAMED, last_seen, listed, listed_things, name
from memory_nodes.answering.locating import called, is_called
from memory_nodes.answering.related import RelationFacts
from memory_nodes.answering.relation_question import Relating, RelationQuestion
from memory_nodes.graph.phrases import name as written
from memory_nodes.graph.scene_graph import SceneGraph
from memory_nodes.graph.search import Step
from memory_nodes.perception.predicates import inverse_of
from memory_nodes.records import ObjectDescriptor, Relation
from memory_nodes.retrieval.ranking import best_views
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.words import age_text

MAX_ENDS = 5
"""Things of one name from which a way is looked for."""
_VERBS = ("supports", "contains")
"""Predicates that are verbs themselves."""


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
    if asked.asks == Relating.NEAREST:
        return _nearest(asked.kind, anchors, snapshot, now_ns)
    if asked.asks == Relating.WHETHER:
        return _whether(asked, anchors, snapshot, scene, now_ns)
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
    text = f"{predicate.capitalize()} {where} I saw {listed_things(things)}."
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
    text = f"I saw nothing {asked.predicates[0]} {name(anchor)}; {seen}."
    return RelationFacts(text, (anchor,), _best_shown(anchor, snapshot), is_found=False)


def _whether(
    asked: RelationQuestion,
    anchors: Sequence[ObjectDescriptor],
    snapshot: Snapshot,
    scene: SceneGraph,
    now_ns: int,
) -> RelationFacts | None:
    """'Yes: the lamp was seen on the desk, 2 minutes ago.' None where no thing is called so."""
    things = {item.object_id: item for item in _meant(asked.kind, snapshot, scene)}
    for predicate in asked.predicates:
        for anchor in anchors:
            for key, relation in scene.related(predicate, anchor.object_id).items():
                if key in things and snapshot.holds(relation):
                    shown = _most_shown((relation,), snapshot)
                    age = age_text(snapshot.keyframes[max(shown)].stamp_ns, now_ns)
                    text = f"Yes: {name(things[key])} was seen {predicate} {name(anchor)}, {age}."
                    return RelationFacts(text, (things[key], anchor), shown, (relation,))
    named = [item for item in things.values() if is_called(item, asked.kind)]
    if not named or not any(is_called(item, asked.anchor) for item in anchors):
        return None
    last = max(named, key=lambda item: item.last_seen_ns)
    text = f"No, as far as I know: {last_seen(last, snapshot, now_ns)}."
    return RelationFacts(text, (last,), _best_shown(last, snapshot))


def _nearest(
    kind: str, anchors: Sequence[ObjectDescriptor], snapshot: Snapshot, now_ns: int
) -> RelationFacts | None:
    """'Nearest to the door, 1.2 m away: the chair was last seen next to the desk, 1 minute ago.'

    None where the places are not known.
    """
    things = called(kind, kind, snapshot) if kind else snapshot.objects
    pairs = [
        (math.dist(thing.position.point_m, anchor.position.point_m), thing, anchor)
        for anchor in anchors
        for thing in things
        if thing.position is not None
        and anchor.position is not None
        and thing.object_id != anchor.object_id
        and _map_of(thing, snapshot) == _map_of(anchor, snapshot)
    ]
    if not pairs:
        return None
    distance_m, thing, anchor = min(pairs, key=lambda pair: pair[0])
    seen = last_seen(thing, snapshot, now_ns)
    text = f"Nearest to {name(anchor)}, {distance_m:.1f} m away: {seen}."
    return RelationFacts(text, (thing, anchor), _best_shown(thing, snapshot))


def _map_of(item: ObjectDescriptor, snapshot: Snapshot) -> str:
    """That of its position, which is of the newest view."""
    return snapshot.keyframes[item.views[-1].keyframe_id].map_id


def _best_shown(item: ObjectDescriptor, snapshot: Snapshot) -> tuple[int, ...]:
    return tuple(hit.keyframe.keyframe_id for hit in best_views(item, snapshot))


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


def _most_shown(relations: Sequence[Relation], snapshot: Snapshot) -> tuple[int, ...]:
    """The keyframes that show most of the relations first."""
    shown = Counter(key for item in relations for key in item.keyframe_ids)
    return _most_first(Counter({key: n for key, n in shown.items() if key in snapshot.keyframes}))


def _most_first(shown: Counter[int]) -> tuple[int, ...]:
    """The newest first among equals."""
    return tuple(sorted(shown, key=lambda key: (-shown[key], -key)))
