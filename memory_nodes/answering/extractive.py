"""An answer without a language model: a sentence out of the graph."""

from __future__ import annotations

from memory_nodes.records import ObjectDescriptor
from memory_nodes.retrieval.ranking import Ranking
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.words import age_text

NOT_SEEN = "I have not seen that."

_PLACING = ("on", "inside", "attached to", "next to", "in front of", "under", "near")


def extractive_answer(snapshot: Snapshot, ranking: Ranking, now_ns: int) -> str:
    """Where the best object is."""
    best = snapshot.objects_by_id[max(ranking.object_scores, key=ranking.object_scores.__getitem__)]
    seen = age_text(best.last_seen_ns, now_ns)
    place = _place(best, snapshot)
    called = name(best)
    return f"{called[:1].upper()}{called[1:]} was last seen {place}{seen}."


def name(descriptor: ObjectDescriptor) -> str:
    """'the red backpack': colour and type, as one would say it, or the name it was given."""
    if descriptor.name:
        return descriptor.name
    color = descriptor.attributes.get("color", "")
    spoken = descriptor.type.replace("_", " ")
    return f"the {spoken}" if not color or color in spoken else f"the {color} {spoken}"


def _place(descriptor: ObjectDescriptor, snapshot: Snapshot) -> str:
    """'on the sofa, ' for the most telling relation that holds; empty where none is known."""
    relations = snapshot.relations_by_subject.get(descriptor.object_id, ())
    newest_first = sorted(filter(snapshot.holds, relations), key=lambda it: -max(it.keyframe_ids))
    for predicate in _PLACING:
        for relation in newest_first:
            if relation.predicate == predicate:
                return f"{predicate} {name(snapshot.objects_by_id[relation.object_id])}, "
    return ""


def listed(items: list[str]) -> str:
    """'the mug, the lamp and the desk'."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
