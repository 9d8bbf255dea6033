"""The graph holds what the records say, however it came to hold it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import networkx as nx
import pytest

from memory_nodes.errors import InputError
from memory_nodes.geometry import PointEstimate
from memory_nodes.graph.scene_graph import SceneGraph
from memory_nodes.records import NS_PER_S, ObjectDescriptor, ObjectStatus, Relation
from memory_test_support.records import descriptor, keyframe, point, view
from memory_test_support.scenes import (
    DESK,
    KEYFRAMES,
    KITCHEN,
    LAMP,
    MUG,
    RELATIONS,
    random_records,
)


@pytest.fixture
def kitchen() -> SceneGraph:
    return SceneGraph(KITCHEN, RELATIONS, KEYFRAMES)


def test_object_is_a_node_with_all_that_is_known(kitchen: SceneGraph) -> None:
    assert len(kitchen) == 3
    assert dict(kitchen.graph.nodes["mug_1"]) == {
        "name": "",
        "type": "mug",
        "description": "",
        "attributes": {"color": "red"},
        "attribute_history": {},
        "affordances": (),
        "status": ObjectStatus.PRESENT,
        "position_map_m": (1.0, 2.0, 0.5),
        "covariance_m2": pytest.approx((0.01, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.01)),
        "map_id": "map",
        "map_frame": "map",
        "first_seen_ns": 1 * NS_PER_S,
        "last_seen_ns": 2 * NS_PER_S,
        "view_count": 2,
        "keyframe_ids": (1, 2),
    }


def test_relation_is_an_edge_seen_from_its_first_keyframe_to_its_last(kitchen: SceneGraph) -> None:
    assert kitchen.graph.get_edge_data("mug_1", "desk_1") == {
        "on": {
            "predicate": "on",
            "keyframe_ids": (1, 2),
            "first_seen_ns": 1 * NS_PER_S,
            "last_seen_ns": 2 * NS_PER_S,
        }
    }


def test_two_predicates_between_two_objects_are_two_edges(kitchen: SceneGraph) -> None:
    kitchen.update(relations=[Relation("mug_1", "near", "desk_1", (2,))])
    assert set(kitchen.graph["mug_1"]["desk_1"]) == {"on", "near"}


def test_place_is_on_the_map_of_the_newest_keyframe(kitchen: SceneGraph) -> None:
    moved = replace(MUG, views=(*MUG.views, view(9)))
    kitchen.update([moved], keyframes=[keyframe(9, map_id="upstairs")])
    assert kitchen.graph.nodes["mug_1"]["map_id"] == "upstairs"
    assert kitchen.graph.nodes["desk_1"]["map_id"] == "map"


def test_order_of_views_does_not_matter() -> None:
    turned = SceneGraph([replace(MUG, views=MUG.views[::-1]), DESK, LAMP], RELATIONS, KEYFRAMES)
    assert turned == SceneGraph(KITCHEN, RELATIONS, KEYFRAMES)


def test_object_given_again_replaces_what_was_known(kitchen: SceneGraph) -> None:
    kitchen.update([replace(MUG, description="chipped", attributes={}, views=(view(3),))])
    mug = kitchen.graph.nodes["mug_1"]
    assert (mug["description"], mug["attributes"], mug["keyframe_ids"]) == ("chipped", {}, (3,))
    assert kitchen.co_occurrence("mug_1") == {"desk_1": 1, "lamp_1": 1}
    assert kitchen.co_occurrence("desk_1") == {"mug_1": 1, "lamp_1": 1}
    assert len(kitchen) == 3


def test_keyframes_of_a_relation_add_up(kitchen: SceneGraph) -> None:
    kitchen.update(relations=[Relation("mug_1", "on", "desk_1", (7, 2))], keyframes=[keyframe(7)])
    edge = kitchen.graph.edges["mug_1", "desk_1", "on"]
    assert edge["keyframe_ids"] == (1, 2, 7)
    assert (edge["first_seen_ns"], edge["last_seen_ns"]) == (1 * NS_PER_S, 7 * NS_PER_S)


def test_keyframe_at_time_zero_is_as_good_as_any() -> None:
    start = keyframe(1, stamp_s=0.0)
    made = SceneGraph([MUG, DESK], RELATIONS[:1], [start, *KEYFRAMES[1:]])
    assert made.graph.edges["mug_1", "desk_1", "on"]["first_seen_ns"] == 0


@pytest.mark.parametrize("seed", range(5))
def test_graph_updated_step_by_step_is_the_graph_built_at_once(seed: int) -> None:
    objects, relations, keyframes = random_records(30, 120, 60, 25, seed)
    grown = SceneGraph()
    for now in range(0, 25, 4):
        recent = range(now, now + 4)
        grown.update(
            [seen for item in objects if (seen := _until(item, now + 4)) is not None],
            [
                replace(item, keyframe_ids=tuple(ids))
                for item in relations
                if (ids := [key for key in item.keyframe_ids if key in recent])
            ],
            [item for item in keyframes if item.keyframe_id in recent],
        )
    whole = SceneGraph(objects, relations, keyframes)
    assert grown == whole
    for item in objects:
        assert grown.co_occurrence(item.object_id) == whole.co_occurrence(item.object_id)
    for key in range(25):
        assert grown.keyframe_subgraph(key) == whole.keyframe_subgraph(key)


def _until(item: ObjectDescriptor, keyframe_id: int) -> ObjectDescriptor | None:
    """What the memory knew of an object before a keyframe."""
    views = tuple(seen for seen in item.views if seen.keyframe_id < keyframe_id)
    if not views:
        return None
    return replace(
        item,
        views=views,
        last_seen_ns=views[-1].keyframe_id * NS_PER_S,
        view_count=len(views),
    )


def test_removed_object_leaves_no_trace(kitchen: SceneGraph) -> None:
    kitchen.remove(["desk_1", "never_there_1"])
    assert kitchen == SceneGraph((MUG, LAMP), (), KEYFRAMES)
    assert kitchen.co_occurrence("mug_1") == {}
    assert set(kitchen.keyframe_subgraph(1).graph) == {"mug_1"}
    assert kitchen.keyframe_subgraph(1).graph.number_of_edges() == 0


def test_object_related_to_itself_can_be_removed(kitchen: SceneGraph) -> None:
    kitchen.update(relations=[Relation("mug_1", "near", "mug_1", (1,))])
    kitchen.remove(["mug_1"])
    assert "mug_1" not in kitchen
    kitchen.update([MUG], RELATIONS[:1])
    assert kitchen == SceneGraph(KITCHEN, RELATIONS, KEYFRAMES)


def test_graphs_differ_where_one_attribute_does(kitchen: SceneGraph) -> None:
    other = SceneGraph((replace(MUG, position=point(1.0, 2.1)), DESK, LAMP), RELATIONS, KEYFRAMES)
    assert kitchen != other
    assert kitchen != SceneGraph(KITCHEN, RELATIONS[:1], KEYFRAMES)
    assert kitchen != SceneGraph(KITCHEN, RELATIONS, [*KEYFRAMES, keyframe(4)])


def test_view_of_the_graph_follows_and_cannot_be_changed(kitchen: SceneGraph) -> None:
    seen = kitchen.graph
    kitchen.update([descriptor("cup_1")])
    assert "cup_1" in seen
    with pytest.raises(nx.NetworkXError):
        seen.add_node("cup_2")


BROKEN = [
    ([descriptor("cup_1", view(99))], [], "'cup_1' shows in keyframe 99"),
    ([replace(MUG, views=())], [], "'mug_1' shows in no keyframe"),
    ([replace(MUG, position=point(math.nan, 0.0))], [], "must be finite"),
    ([replace(MUG, position=PointEstimate((0, 0, 0), (math.inf,) * 9))], [], "must be finite"),
    ([], [Relation("mug_1", "on", "cup_1", (1,))], "unknown 'cup_1'"),
    ([], [Relation("mug_1", "on", "desk_1", (99,))], "shows in keyframe 99"),
    ([], [Relation("mug_1", "on", "desk_1")], "shows in no keyframe"),
    ([], [Relation("mug_1", "", "desk_1", (1,))], "no predicate"),
]


@pytest.mark.parametrize(("objects", "relations", "message"), BROKEN)
def test_update_that_cannot_be_used_changes_nothing(
    kitchen: SceneGraph,
    objects: list[ObjectDescriptor],
    relations: list[Relation],
    message: str,
) -> None:
    good = (descriptor("cup_9", view(8)), Relation("mug_1", "near", "desk_1", (8,)))
    with pytest.raises(InputError, match=message):
        kitchen.update([good[0], *objects], [good[1], *relations], [keyframe(8)])
    assert kitchen == SceneGraph(KITCHEN, RELATIONS, KEYFRAMES)


def test_objects_that_show_together_are_counted_once_a_keyframe() -> None:
    twice = replace(MUG, views=(view(1), view(1), view(2)))
    made = SceneGraph([twice, DESK, LAMP], (), KEYFRAMES)
    assert made.co_occurrence("desk_1") == {"mug_1": 2, "lamp_1": 1}
    assert made.co_occurrence("mug_1") == {"desk_1": 2}
    assert list(made.co_occurrence("desk_1")) == ["mug_1", "lamp_1"]


def test_co_occurrence_is_that_of_every_pair_of_views() -> None:
    objects, relations, keyframes = random_records(40, 200, 10, 30)
    made = SceneGraph(objects, relations, keyframes)
    pairs = Counter(
        (one.object_id, other.object_id)
        for one in objects
        for other in objects
        for seen in one.views
        for also in other.views
        if one is not other and seen.keyframe_id == also.keyframe_id
    )
    found = {
        (item.object_id, other): count
        for item in objects
        for other, count in made.co_occurrence(item.object_id).items()
    }
    assert found == pairs


def test_subgraph_of_a_keyframe_is_all_that_it_shows_and_no_more(kitchen: SceneGraph) -> None:
    first, last = kitchen.keyframe_subgraph(1), kitchen.keyframe_subgraph(3)
    assert set(first.graph) == {"mug_1", "desk_1"}
    assert list(first.graph.edges(keys=True)) == [("mug_1", "desk_1", "on")]
    assert set(last.graph) == {"desk_1", "lamp_1"}
    assert list(last.graph.edges(keys=True)) == [("lamp_1", "desk_1", "left of")]


def test_relation_shown_elsewhere_only_is_not_of_the_keyframe(kitchen: SceneGraph) -> None:
    kitchen.update(relations=[Relation("desk_1", "near", "mug_1", (2,))])
    assert kitchen.keyframe_subgraph(1).graph.number_of_edges() == 1
    assert kitchen.keyframe_subgraph(2).graph.number_of_edges() == 2


def test_object_that_only_a_relation_names_is_of_the_keyframe_too(kitchen: SceneGraph) -> None:
    kitchen.update(relations=[Relation("lamp_1", "near", "mug_1", (1,))])
    assert set(kitchen.keyframe_subgraph(1).graph) == {"mug_1", "desk_1", "lamp_1"}


def test_keyframe_that_shows_nothing_is_an_empty_graph(kitchen: SceneGraph) -> None:
    kitchen.update(keyframes=[keyframe(4)])
    assert len(kitchen.keyframe_subgraph(4)) == 0


def test_subgraph_keeps_the_order_of_its_ids_and_their_relations(kitchen: SceneGraph) -> None:
    part = kitchen.subgraph(["lamp_1", "desk_1", "lamp_1"])
    assert list(part.graph) == ["lamp_1", "desk_1"]
    assert part == SceneGraph((LAMP, DESK), RELATIONS[1:], KEYFRAMES)


def test_change_of_a_subgraph_leaves_the_graph_alone(kitchen: SceneGraph) -> None:
    part = kitchen.subgraph(["mug_1", "desk_1"])
    part.update([replace(MUG, description="new"), descriptor("cup_1", view(5))], (), [keyframe(5)])
    part.remove(["desk_1"])
    assert kitchen == SceneGraph(KITCHEN, RELATIONS, KEYFRAMES)


def test_what_is_not_there_is_named(kitchen: SceneGraph) -> None:
    with pytest.raises(InputError, match="'cup_1' is none of the 3"):
        kitchen.neighbours("cup_1")
    with pytest.raises(InputError, match="'cup_1'"):
        kitchen.path("mug_1", "cup_1")
    with pytest.raises(InputError, match="'cup_1'"):
        kitchen.related("on", "cup_1")
    with pytest.raises(InputError, match="'cup_1'"):
        kitchen.co_occurrence("cup_1")
    with pytest.raises(InputError, match="'cup_1'"):
        kitchen.subgraph(["mug_1", "cup_1"])
    with pytest.raises(InputError, match="keyframe 77 is none of the 3"):
        kitchen.keyframe_subgraph(77)
