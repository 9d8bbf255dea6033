"""An answer without a language model: a sentence out of the graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memory_nodes.records import ObjectDescriptor, Relation
from memory_nodes.retrieval.ranking import Ranking
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.words import age_text

NOT_SEEN = "I have not seen that."
MAX_NAMED = 5
"""Of more things these are named, the others counted."""

_PLACING = ("on", "inside", "attached to", "next to", "in front of", "under", "near")


def extractive_answer(snapshot: Snapshot, ranking: Ranking, now_ns: int) -> str:
    """Where the best object is."""
    best = snapshot.objects_by_id[max(ranking.object_scores, key=ranking.object_scores.__getitem__)]
    return sentence(last_seen(best, snapshot, now_ns))


def last_seen(descriptor: ObjectDescriptor, snapshot: Snapshot, now_ns: int) -> str:
    """'the mug was last seen on the desk, 3 minutes ago'"""
    seen = age_text(descriptor.last_seen_ns, now_ns)
    relations = snapshot.relations_by_subject.get(descriptor.object_id, ())
    where = place(filter(snapshot.holds, relations), snapshot)
    return f"{name(descriptor)} was last seen {where}{seen}"


def sentence(clause: str) -> str:
    return f"{clause[:1].upper()}{clause[1:]}."


def name(descriptor: ObjectDescriptor) -> str:
    """'the red backpack': colour and type, as one would say it, or the name it was given."""
    color = descriptor.attributes.get("color", "")
    if descriptor.name or not color or color in kind(descriptor):
        return bare_name(descriptor)
    return f"the {color} {kind(descriptor)}"


def bare_name(descriptor: ObjectDescriptor) -> str:
    """'the backpack', or the name it was given."""
    return descriptor.name or f"the {kind(descriptor)}"


def kind(descriptor: ObjectDescriptor) -> str:
    """'coffee cup': its type, as one would say it."""
    return descriptor.type.replace("_", " ")


def place(relations: Iterable[Relation], snapshot: Snapshot) -> str:
    """'on the sofa, ' for the most telling of these relations; empty where none tells a place."""
    newest_first = sorted(relations, key=lambda it: -max(it.keyframe_ids))
    for predicate in _PLACING:
        for relation in newest_first:
            if relation.predicate == predicate:
                return f"{predicate} {name(snapshot.objects_by_id[relation.object_id])}, "
    return ""


def listed(items: list[str]) -> str:
    """'the mug, the lamp and the desk'."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def listed_things(things: Sequence[ObjectDescriptor]) -> str:
    """Each name once, and how many more there are."""
    names = list(dict.fromkeys(map(name, things)))
    if len(names) > MAX_NAMED:
        names = [*names[:MAX_NAMED], f"{len(names) - MAX_NAMED} more"]
    return listed(names)
