"""Objects and relations of a chunk under the ids that they were found to have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from memory_nodes.records import ObjectDescriptor, Relation
from memory_nodes.store.joining import joined


def each_once(objects: Iterable[ObjectDescriptor]) -> tuple[ObjectDescriptor, ...]:
    """What the detector took for two, as one."""
    found: dict[str, ObjectDescriptor] = {}
    for item in objects:
        known = found.get(item.object_id)
        found[item.object_id] = item if known is None else joined(known, item)
    return tuple(found.values())


def with_ids(
    relations: Sequence[Relation], ids: Mapping[str, str]
) -> tuple[tuple[Relation, ...], list[str]]:
    """Relations between objects that the chunk has, and a problem line for each other one."""
    kept, lost = [], []
    for relation in relations:
        ends = (relation.subject_id, relation.object_id)
        if set(ends) <= set(ids):
            subject_id, object_id = (ids[end] for end in ends)
            kept.append(replace(relation, subject_id=subject_id, object_id=object_id))
        else:
            lost.append(f"relation_without_object:{','.join(ends)}")
    return tuple(kept), lost
