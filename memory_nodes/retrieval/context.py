"""The retrieved part of the graph as text for a prompt, within a budget."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory_nodes.errors import InputError
from memory_nodes.graph.phrases import earlier_values
from memory_nodes.graph.scene_graph import SceneGraph
from memory_nodes.records import Keyframe, ObjectDescriptor, Relation
from memory_nodes.retrieval.ranking import Ranking
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.words import age_text

CHARS_PER_TOKEN = 4
"""Of English text, roughly: the model's own tokens are known only to its server."""
MAX_RELATIONS = 20
"""Of one object, in a prompt, besides those that the keyframes show."""


@dataclass(frozen=True)
class ContextLimits:
    """How much a context may hold."""

    max_chars: int
    """As it is written in a prompt (``written``)."""
    max_objects: int = 60
    max_described: int = 12
    """Of them told with all that is known; the others by looks and relations alone."""


def shown_relations(
    scene: SceneGraph, snapshot: Snapshot, ranking: Ranking
) -> tuple[Relation, ...]:
    """All relations between objects of a snapshot that the keyframes of a ranking show."""
    keys = (hit.keyframe.keyframe_id for hit in ranking.keyframes)
    shown = (scene.keyframe_subgraph(key).relations() for key in keys if key in scene.keyframes)
    known = snapshot.objects_by_id
    return tuple(
        dict.fromkeys(
            relation
            for relations in shown
            for relation in relations
            if relation.subject_id in known and relation.object_id in known
        )
    )


def serialise(
    snapshot: Snapshot,
    ranking: Ranking,
    now_ns: int,
    limits: ContextLimits,
    relations: Sequence[Relation] = (),
    first: Iterable[str] = (),
) -> str:
    """Each keyframe with its complete local subgraph, objects that match the question first.

    What the budget has no room for is left out from the end, whole objects at a time, and a last
    line says how many. Source: VL-KnG, section 6.3: not only the matched objects but all that a
    keyframe shows.

    Args:
        relations: that the keyframes show (``shown_relations``): none of them is left out.
        first: ids of objects that come before all others.

    Raises InputError when not even the best object and its keyframes fit.
    """
    shown = _shown_objects(snapshot, ranking, relations)
    by_score = sorted(shown, key=lambda key: -ranking.object_scores.get(key, 0.0))
    told = list(dict.fromkeys((*(key for key in first if key in shown), *by_score)))
    lines = [
        object_line(shown[key], snapshot, now_ns, relations)
        if number < limits.max_described
        else _brief_line(shown[key], snapshot, relations)
        for number, key in enumerate(told[: limits.max_objects])
    ]
    while True:
        kept = told[: len(lines)]
        text = "\n".join(
            [
                *lines,
                *(
                    _keyframe_line(hit.keyframe, snapshot, set(kept), now_ns)
                    for hit in ranking.keyframes
                ),
                *_left_out(len(told) - len(kept)),
            ]
        )
        excess = written(text) - limits.max_chars
        if excess <= 0:
            return text
        if len(lines) <= 1:
            raise InputError(
                f"the best object and its keyframes take {written(text)} characters, "
                f"{limits.max_chars} are left: raise max_prompt_tokens"
            )
        while len(lines) > 1 and excess > 0:
            excess -= len(lines.pop()) + 1


def serialise_whole(snapshot: Snapshot, now_ns: int, max_chars: int) -> str:
    """The whole graph: all objects, and all keyframes by time. Nothing is ever left out.

    Raises InputError where it takes more than that.
    """
    known = set(snapshot.objects_by_id)
    text = "\n".join(
        [
            *(object_line(item, snapshot, now_ns) for item in snapshot.objects),
            *(
                _keyframe_line(item, snapshot, known, now_ns)
                for item in snapshot.keyframes.values()
            ),
        ]
    )
    size = written(text)
    if size > max_chars:
        raise InputError(
            f"the whole graph takes about {-(-size // CHARS_PER_TOKEN)} tokens of a prompt, "
            f"{max(0, max_chars) // CHARS_PER_TOKEN} are left: raise max_full_prompt_tokens, or "
            "ask in mode graph"
        )
    return text


def object_line(
    descriptor: ObjectDescriptor,
    snapshot: Snapshot,
    now_ns: int,
    first: Iterable[Relation] = (),
) -> str:
    """One object: what it is and was, what it can be used for, what it stands in relation to.

    Args:
        first: relations of which those of this object are named before all others.
    """
    parts = [descriptor.name, descriptor.type, descriptor.description]
    parts += [f"{name} {value}" for name, value in descriptor.attributes.items() if value]
    parts += [
        f"{name} was {value}{until}"
        for name, value, until in earlier_values(descriptor.attribute_history, now_ns)
    ]
    if descriptor.affordances:
        parts.append("can: " + ", ".join(descriptor.affordances))
    own = (item for item in first if item.subject_id == descriptor.object_id)
    said = {_said(item, snapshot): None for item in own}
    known = snapshot.relations_by_subject.get(descriptor.object_id, ())
    others = [words for item in known if (words := _said(item, snapshot)) not in said]
    parts += [*said, *others[-MAX_RELATIONS:]]
    if len(others) > MAX_RELATIONS:
        parts.append(f"and {len(others) - MAX_RELATIONS} earlier relations")
    return f"object {descriptor.object_id}: " + "; ".join(_plain(parts))


def _brief_line(
    descriptor: ObjectDescriptor, snapshot: Snapshot, relations: Iterable[Relation]
) -> str:
    """One object by its looks, and those of some relations that are its own."""
    looks = (descriptor.attributes.get("color", ""), descriptor.name or descriptor.type)
    own = (item for item in relations if item.subject_id == descriptor.object_id)
    said = dict.fromkeys(_said(item, snapshot) for item in own)
    parts = _plain([" ".join(filter(None, looks)), *said])
    return f"object {descriptor.object_id}: " + "; ".join(parts)


def evidence_line(descriptor: ObjectDescriptor, snapshot: Snapshot, now_ns: int) -> str:
    """The same with when it was last seen, and the keyframes that show it."""
    shown = ", ".join(str(view.keyframe_id) for view in descriptor.views)
    seen = age_text(descriptor.last_seen_ns, now_ns)
    return f"{object_line(descriptor, snapshot, now_ns)}; last seen {seen}; keyframes {shown}"


def _shown_objects(
    snapshot: Snapshot, ranking: Ranking, relations: Iterable[Relation]
) -> dict[str, ObjectDescriptor]:
    """The objects that these relations name, and all that the keyframes of a ranking show."""
    ends = (end for item in relations for end in (item.subject_id, item.object_id))
    shown = {end: snapshot.objects_by_id[end] for end in ends}
    for hit in ranking.keyframes:
        for item in snapshot.objects_by_keyframe[hit.keyframe.keyframe_id]:
            shown.setdefault(item.object_id, item)
    return shown


def _said(relation: Relation, snapshot: Snapshot) -> str:
    """Of what was moved since it is told what was."""
    words = f"{relation.predicate} {relation.object_id}"
    return words if snapshot.holds(relation) else f"before it was moved {words}"


def written(text: str) -> int:
    """Characters that a text takes in a prompt: there it stands as a JSON string."""
    return len(json.dumps(text, ensure_ascii=False)) - len('""')


def _left_out(count: int) -> list[str]:
    return [f"{count} more objects in these keyframes are left out"] if count else []


def _keyframe_line(keyframe: Keyframe, snapshot: Snapshot, kept: set[str], now_ns: int) -> str:
    ids = [
        item.object_id
        for item in snapshot.objects_by_keyframe.get(keyframe.keyframe_id, ())
        if item.object_id in kept
    ]
    seen = age_text(keyframe.stamp_ns, now_ns)
    return f"keyframe {keyframe.keyframe_id} at {seen}: {', '.join(ids)}"


def _plain(parts: Iterable[str]) -> list[str]:
    """Without the characters that structure the text: what was seen cannot forge a line."""
    flat = (" ".join(part.replace(";", ",").split()) for part in parts)
    return [part for part in flat if part]
