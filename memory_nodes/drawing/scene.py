"""What of a memory is shown in space: a bounded part of it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from memory_nodes.geometry import Vector3
from memory_nodes.parameters import parameter
from memory_nodes.records import NS_PER_S, ObjectDescriptor, ObjectStatus
from memory_nodes.retrieval.snapshot import Snapshot

GONE = (ObjectStatus.MISSING, ObjectStatus.EXPIRED)


@dataclass(frozen=True)
class SceneConfig:
    """How much of the memory is shown, and how often it is drawn anew."""

    redraw_period_s: float = parameter(
        1.0,
        "least time from one drawing to the next",
        unit="s",
        low=0.1,
        high=60.0,
        is_dynamic=True,
    )
    max_objects: int = parameter(
        300,
        "objects shown, half of them the nearest to the robot",
        low=1,
        high=5000,
        is_dynamic=True,
    )
    max_gists: int = parameter(50, "gists shown, the newest", low=0, high=1000, is_dynamic=True)
    max_trail: int = parameter(
        5000, "poses of the trail, the newest", low=0, high=100_000, is_dynamic=True
    )
    max_relation_m: float = parameter(
        1.5,
        "longer relations are shown of the objects of the last answer only",
        unit="m",
        low=0.0,
        high=100.0,
        is_dynamic=True,
    )
    stale_after_s: float = parameter(
        86_400.0,
        "objects are dimmed that were not seen for so long; 0 = never",
        unit="s",
        low=0.0,
        is_dynamic=True,
    )
    clicked_point_topic: str = parameter(
        "/clicked_point", "a point in the map frame, to be told what is there"
    )
    clicked_radius_m: float = parameter(
        1.0, "what is so near to a clicked point is told", unit="m", low=0.01, high=100.0
    )
    interactive_markers: bool = parameter(
        True, "menus at the objects, where the package interactive_markers is installed"
    )


def shown_objects(
    snapshot: Snapshot, map_id: str, limit: int, wanted_ids: Collection[str] = ()
) -> dict[str, ObjectDescriptor]:
    """Objects with a place on a map by their ids, at most so many.

    First those that are wanted, then the nearest to where the robot was last, up to half of them,
    then the newest.
    """
    here = {
        item.object_id: item
        for item in snapshot.objects
        if item.position is not None
        and snapshot.keyframes[item.views[-1].keyframe_id].map_id == map_id
    }
    last = snapshot.last_place(map_id)
    robot_m = last.map_from_base.position_m if last is not None else None
    nearest = sorted(here, key=lambda key: (_distance_m(here[key], robot_m), key))
    newest = sorted(here, key=lambda key: (-here[key].last_seen_ns, key))
    wanted = [key for key in wanted_ids if key in here]
    chosen = dict.fromkeys((*wanted, *nearest[: limit // 2], *newest))
    return {key: here[key] for key in list(chosen)[:limit]}


def is_dimmed(descriptor: ObjectDescriptor, now_ns: int, stale_after_s: float) -> bool:
    """Whether it may well not be there: gone, not seen for long, or its place is a guess."""
    age_ns = now_ns - descriptor.last_seen_ns
    is_stale = stale_after_s > 0.0 and age_ns > stale_after_s * NS_PER_S
    is_rough = descriptor.position is not None and descriptor.position.is_rough
    return descriptor.status in GONE or is_stale or is_rough


def near_relations(
    snapshot: Snapshot,
    shown: Mapping[str, ObjectDescriptor],
    limit_m: float,
    wanted_ids: Collection[str] = (),
) -> Iterator[tuple[Vector3, Vector3]]:
    """The ends of each relation between two objects that are shown and near each other.

    Of those that are wanted all are given, however far the other end is.
    """
    for subject_id in shown:
        for relation in snapshot.relations_by_subject.get(subject_id, ()):
            ends = [shown.get(key) for key in (subject_id, relation.object_id)]
            places = [end.position.point_m for end in ends if end is not None and end.position]
            is_wanted = subject_id in wanted_ids or relation.object_id in wanted_ids
            if len(places) == 2 and (is_wanted or math.dist(*places) <= limit_m):
                yield places[0], places[1]


def _distance_m(descriptor: ObjectDescriptor, place_m: Vector3 | None) -> float:
    if place_m is None or descriptor.position is None:
        return math.inf
    return math.dist(descriptor.position.point_m, place_m)
