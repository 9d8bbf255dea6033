"""The retrieved part of the graph as text for a prompt."""

from __future__ import annotations

from collections.abc import Iterable

from memory_nodes.records import ObjectDescriptor, RetrievedKeyframe
from memory_nodes.retrieval.ranking import Ranking
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.words import age_text


def serialise(snapshot: Snapshot, ranking: Ranking, now_ns: int, max_objects: int) -> str:
    """Each keyframe with its complete local subgraph, objects that match the question first.

    Source: VL-KnG, section 6.3: not only the matched objects but all that a keyframe shows.
    """
    shown: dict[str, ObjectDescriptor] = {}
    for hit in ranking.keyframes:
        for item in snapshot.objects_by_keyframe[hit.keyframe.keyframe_id]:
            shown.setdefault(item.object_id, item)
    by_score = sorted(shown, key=lambda key: -ranking.object_scores.get(key, 0.0))
    kept = by_score[:max_objects]
    lines = [object_line(shown[key], snapshot) for key in kept]
    lines += [_keyframe_line(hit, snapshot, set(kept), now_ns) for hit in ranking.keyframes]
    return "\n".join(lines)


def object_line(descriptor: ObjectDescriptor, snapshot: Snapshot) -> str:
    """One object: what it is, what it can be used for, and what it stands in relation to."""
    parts = [descriptor.name, descriptor.type, descriptor.description]
    parts += [f"{name} {value}" for name, value in descriptor.attributes.items() if value]
    if descriptor.affordances:
        parts.append("can: " + ", ".join(descriptor.affordances))
    relations = snapshot.relations_by_subject.get(descriptor.object_id, ())
    parts += [f"{relation.predicate} {relation.object_id}" for relation in relations]
    return f"object {descriptor.object_id}: " + "; ".join(_plain(parts))


def evidence_line(descriptor: ObjectDescriptor, snapshot: Snapshot, now_ns: int) -> str:
    """The same with when it was last seen, and the keyframes that show it."""
    shown = ", ".join(str(view.keyframe_id) for view in descriptor.views)
    seen = age_text(descriptor.last_seen_ns, now_ns)
    return f"{object_line(descriptor, snapshot)}; last seen {seen}; keyframes {shown}"


def _keyframe_line(hit: RetrievedKeyframe, snapshot: Snapshot, kept: set[str], now_ns: int) -> str:
    keyframe = hit.keyframe
    ids = [
        item.object_id
        for item in snapshot.objects_by_keyframe[keyframe.keyframe_id]
        if item.object_id in kept
    ]
    seen = age_text(keyframe.stamp_ns, now_ns)
    return f"keyframe {keyframe.keyframe_id} at {seen}: {', '.join(ids)}"


def _plain(parts: Iterable[str]) -> list[str]:
    """Without the characters that structure the text: what was seen cannot forge a line."""
    flat = (" ".join(part.replace(";", ",").split()) for part in parts)
    return [part for part in flat if part]
