"""Where an object is, by words or by id."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_nodes.errors import InputError
from memory_nodes.records import ObjectDescriptor, RetrievedKeyframe
from memory_nodes.retrieval.ranking import best_views, score_objects
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.words import stems


@dataclass(frozen=True)
class Located:
    """An object, and the keyframe that shows it best."""

    descriptor: ObjectDescriptor
    keyframe: RetrievedKeyframe


def locate_objects(
    snapshot: Snapshot, text: str, object_id: str, min_score: float, max_objects: int
) -> list[Located]:
    """The objects that fit, best first, the latest seen first among equals; empty: never seen.

    Raises InputError when neither a text nor an id is given.
    """
    if object_id:
        known = snapshot.objects_by_id.get(object_id)
        chosen = [known] if known is not None else []
    elif text.strip():
        scores = score_objects(text, snapshot)
        fitting = [
            snapshot.objects_by_id[key] for key, score in scores.items() if score >= min_score
        ]
        chosen = sorted(fitting, key=lambda item: (-scores[item.object_id], -item.last_seen_ns))[
            :max_objects
        ]
    else:
        raise InputError("give a text or an object_id")
    return [Located(item, best_views(item, snapshot)[0]) for item in chosen]


def called(named: str, question: str, snapshot: Snapshot) -> list[ObjectDescriptor]:
    """The objects whose id stands in the question, else those that have all words of the name:
    of these the ones that are of that type, where there are any.
    """
    by_id = snapshot.objects_by_id
    meant = {by_id[word].object_id for word in re.findall(r"\w+", question) if word in by_id}
    if meant:
        return [item for item in snapshot.objects if item.object_id in meant]
    wanted = stems(named)
    fitting = [item for item in snapshot.objects if _said_of(item).issuperset(wanted)]
    typed = [item for item in fitting if wanted[-1] in stems(f"{item.name} {item.type}")]
    return typed or fitting


def is_called(item: ObjectDescriptor, phrase: str) -> bool:
    """Whether the last word of a phrase is its id, or the last of its type or given name."""
    ids = (item.object_id, *item.aliases)
    return stems(phrase)[-1] in (
        *ids,
        *(own[-1] for own in map(stems, (item.type, item.name)) if own),
    )


def _said_of(item: ObjectDescriptor) -> set[str]:
    texts = (item.name, item.type, item.description, *item.attributes.values(), *item.wordings)
    return set(stems(" ".join(texts)))
