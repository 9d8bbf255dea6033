"""The attributes of nodes and edges of the scene graph, from records."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from memory_nodes.errors import InputError
from memory_nodes.records import Keyframe, ObjectDescriptor, Relation

Attributes: TypeAlias = dict[str, Any]
"""Of a node or an edge; plain values and tuples of them, so that two may be compared."""


class Moment(NamedTuple):
    """When a keyframe was taken, and on which map."""

    stamp_ns: int
    map_id: str
    map_frame: str


def moments_of(keyframes: Iterable[Keyframe]) -> dict[int, Moment]:
    return {
        keyframe.keyframe_id: Moment(keyframe.stamp_ns, keyframe.map_id, keyframe.map_frame)
        for keyframe in keyframes
    }


def object_attributes(descriptor: ObjectDescriptor, moments: Mapping[int, Moment]) -> Attributes:
    """Of an object's node. Its place is in the map frame of its newest keyframe."""
    keyframe_ids = tuple(sorted({view.keyframe_id for view in descriptor.views}))
    newest = moments[keyframe_ids[-1]]
    position = descriptor.position
    return {
        "name": descriptor.name,
        "type": descriptor.type,
        "description": descriptor.description,
        "attributes": dict(descriptor.attributes),
        "attribute_history": dict(descriptor.attribute_history),
        "affordances": descriptor.affordances,
        "status": descriptor.status,
        "position_map_m": None if position is None else _floats(position.point_m),
        "covariance_m2": None if position is None else _floats(position.covariance_m2),
        "map_id": newest.map_id,
        "map_frame": newest.map_frame,
        "first_seen_ns": descriptor.first_seen_ns,
        "last_seen_ns": descriptor.last_seen_ns,
        "view_count": descriptor.view_count,
        "keyframe_ids": keyframe_ids,
    }


def relation_attributes(
    relation: Relation, known: Attributes | None, moments: Mapping[int, Moment]
) -> Attributes:
    """Of a relation's edge; ``known`` are those of before, to which its keyframes are added."""
    before = () if known is None else known["keyframe_ids"]
    keyframe_ids = tuple(sorted({*before, *relation.keyframe_ids}))
    stamps_ns = [moments[keyframe_id].stamp_ns for keyframe_id in keyframe_ids]
    return {
        "predicate": relation.predicate,
        "keyframe_ids": keyframe_ids,
        "first_seen_ns": min(stamps_ns),
        "last_seen_ns": max(stamps_ns),
    }


def check(
    objects: Iterable[ObjectDescriptor],
    relations: Iterable[Relation],
    known_ids: Collection[str],
    moments: Mapping[int, Moment],
) -> None:
    """Raises InputError for a record that needs others which are not there, or is not finite."""
    given_ids = set()
    for descriptor in objects:
        given_ids.add(descriptor.object_id)
        shown = [view.keyframe_id for view in descriptor.views]
        _require_keyframes(f"object {descriptor.object_id!r}", shown, moments)
        _require_finite(descriptor)
    for relation in relations:
        ends = (relation.subject_id, relation.object_id)
        label = f"relation {' '.join((ends[0], relation.predicate, ends[1]))!r}"
        _require_keyframes(label, relation.keyframe_ids, moments)
        if not relation.predicate:
            raise InputError(f"{label} has no predicate: say what the one is to the other")
        unknown = [end for end in ends if end not in given_ids and end not in known_ids]
        if unknown:
            raise InputError(f"{label} is of unknown {unknown[0]!r}: give that object too")


def _floats(numbers: Iterable[float]) -> tuple[float, ...]:
    """Plain ones: numbers of numpy have another form in a file."""
    return tuple(map(float, numbers))


def _require_keyframes(
    label: str, keyframe_ids: Collection[int], moments: Mapping[int, Moment]
) -> None:
    if not keyframe_ids:
        raise InputError(f"{label} shows in no keyframe, but needs one: give its views")
    unknown = [keyframe_id for keyframe_id in keyframe_ids if keyframe_id not in moments]
    if unknown:
        raise InputError(
            f"{label} shows in keyframe {unknown[0]}, which is none of the {len(moments)} known:"
            " give that keyframe too"
        )


def _require_finite(descriptor: ObjectDescriptor) -> None:
    position = descriptor.position
    if position is not None and not all(
        map(math.isfinite, (*position.point_m, *position.covariance_m2))
    ):
        raise InputError(
            f"object {descriptor.object_id!r} is at {position.point_m}: numbers must be finite,"
            " give no position where none is known"
        )
