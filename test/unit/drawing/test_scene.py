"""Which part of a memory is shown in space."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_nodes.drawing.scene import is_dimmed, near_relations, shown_objects
from memory_nodes.geometry import Pose
from memory_nodes.records import NS_PER_S, ObjectDescriptor, ObjectStatus, Relation
from memory_nodes.retrieval.snapshot import Snapshot
from memory_test_support.records import descriptor, keyframe, point, view

KEYFRAMES = {key: keyframe(key, base=Pose.planar(10.0, 0.0, 0.0)) for key in range(1, 10)}
"""The robot stands at x = 10 m."""


def snapshot(*objects: ObjectDescriptor, relations: tuple[Relation, ...] = ()) -> Snapshot:
    return Snapshot(objects, relations, KEYFRAMES)


def at(object_id: str, x_m: float, seen_in: int = 1) -> ObjectDescriptor:
    return descriptor(object_id, view(seen_in), position=point(x_m, 0.0))


def test_half_are_the_nearest_to_the_robot_and_the_rest_the_newest() -> None:
    near, nearer = at("near_1", 8.0), at("near_2", 9.0)
    new, newer = at("new_1", 99.0, seen_in=8), at("new_2", 99.0, seen_in=9)
    far_and_old = at("old_1", 50.0, seen_in=2)
    shown = shown_objects(snapshot(far_and_old, near, new, nearer, newer), "map", 4)
    assert list(shown) == ["near_2", "near_1", "new_2", "new_1"]


def test_what_is_wanted_is_shown_before_all_others() -> None:
    objects = snapshot(at("far_1", 99.0), at("near_1", 9.0))
    assert list(shown_objects(objects, "map", 1, ["far_1"])) == ["far_1"]


def test_objects_without_a_place_or_of_another_map_are_not_shown() -> None:
    objects = snapshot(descriptor("lamp_1", view(1)), at("mug_1", 1.0))
    assert list(shown_objects(objects, "map", 9)) == ["mug_1"]
    assert shown_objects(objects, "upstairs", 9) == {}


@pytest.mark.parametrize(
    ("changed", "is_dim"),
    [
        ({}, False),
        ({"status": ObjectStatus.MOVED}, False),
        ({"status": ObjectStatus.MISSING}, True),
        ({"last_seen_ns": 900 * NS_PER_S}, False),
        ({"last_seen_ns": 899 * NS_PER_S}, True),
        ({"position": point(1.0, 0.0, sigma_m=1.5)}, True),
    ],
)
def test_what_may_well_not_be_there_is_dimmed(changed: dict[str, object], is_dim: bool) -> None:
    """At second 1000, where 100 s are long."""
    item = replace(at("mug_1", 1.0), last_seen_ns=1000 * NS_PER_S)
    changed_item = replace(item, **changed)  # type: ignore[arg-type]
    assert is_dimmed(changed_item, 1000 * NS_PER_S, 100.0) is is_dim


def test_nothing_becomes_stale_where_that_is_off() -> None:
    assert not is_dimmed(at("mug_1", 1.0), 10**9 * NS_PER_S, 0.0)


def test_relations_join_near_objects_that_are_shown() -> None:
    objects = (at("mug_1", 1.0), at("desk_1", 2.0), at("lamp_1", 9.0), at("cup_1", 1.1))
    relations = tuple(
        Relation("mug_1", "near", other, (1,)) for other in ("desk_1", "lamp_1", "cup_1")
    )
    seen = snapshot(*objects, relations=relations)
    shown = {item.object_id: item for item in objects[:3]}
    lines = list(near_relations(seen, shown, 1.5))
    assert lines == [((1.0, 0.0, 0.5), (2.0, 0.0, 0.5))]
    of_lamp = list(near_relations(seen, shown, 1.5, ["lamp_1"]))
    assert of_lamp == [*lines, ((1.0, 0.0, 0.5), (9.0, 0.0, 0.5))]
