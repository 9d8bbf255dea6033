"""The graph at one commit, and the part of it that a question is about."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.errors import StoreMissing
from memory_nodes.records import NS_PER_S, AttributeValue, Relation
from memory_nodes.retrieval.snapshot import Snapshot, SnapshotCache
from memory_nodes.store.filters import Filter
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, point, view

MUG = descriptor("mug_1", view(1), view(3), position=point(1.0, 0.0))
DESK = descriptor("desk_1", view(1), view(2), position=point(5.0, 0.0))
LAMP = descriptor("lamp_1", view(3))
ON = Relation("mug_1", "on", "desk_1", (1,))


@pytest.fixture
def snapshot() -> Snapshot:
    """Keyframes 1 and 2 downstairs, 3 upstairs; the mug was carried there."""
    keyframes = [keyframe(1), keyframe(2), keyframe(3, map_id="upstairs")]
    return Snapshot((MUG, DESK, LAMP), (ON,), {item.keyframe_id: item for item in keyframes})


def _ids(snapshot: Snapshot) -> list[str]:
    return [item.object_id for item in snapshot.objects]


def test_objects_are_found_by_keyframe_and_relations_by_subject(snapshot: Snapshot) -> None:
    assert snapshot.objects_by_keyframe[1] == (MUG, DESK)
    assert snapshot.relations_by_subject == {"mug_1": (ON,)}
    assert snapshot.objects_by_id["lamp_1"] == LAMP


def test_graph_of_a_part_has_only_what_the_filter_leaves(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    keyframes = [keyframe(1), keyframe(2)]
    writer.commit_chunk(graph(1, keyframes, [DESK, descriptor("cup_1", view(2))]))
    writer.close()
    cache = SnapshotCache(Reader(tmp_path))
    with cache.graph(Filter(until_ns=1 * NS_PER_S)) as part, cache.graph(Filter()) as whole:
        assert ("cup_1" in part, "cup_1" in whole) == (False, True)
        assert list(part.keyframes) == [1]
    with cache.graph() as again:
        assert again is whole


def test_no_wish_keeps_everything(snapshot: Snapshot) -> None:
    assert snapshot.filtered(Filter()) is snapshot


@pytest.mark.parametrize(
    ("wanted", "objects", "keyframes"),
    [
        (Filter(since_ns=2 * NS_PER_S), ["mug_1", "desk_1", "lamp_1"], [2, 3]),
        (Filter(until_ns=1 * NS_PER_S), ["mug_1", "desk_1"], [1]),
        (Filter(until_ns=0), [], []),
        (Filter(since_ns=2 * NS_PER_S, until_ns=2 * NS_PER_S), ["desk_1"], [2]),
        (Filter(map_id="upstairs"), ["mug_1", "lamp_1"], [3]),
        (Filter(map_id="cellar"), [], []),
        (Filter(center_map_m=(1.5, 0.0, 0.5), radius_m=0.5), ["mug_1"], [1, 2, 3]),
        (Filter(center_map_m=(1.5, 0.0, 0.5), radius_m=0.4), [], [1, 2, 3]),
    ],
    ids=["since", "until", "until zero", "both", "map", "no such map", "on the rim", "outside"],
)
def test_filter_keeps_what_it_says(
    snapshot: Snapshot, wanted: Filter, objects: list[str], keyframes: list[int]
) -> None:
    found = snapshot.filtered(wanted)
    assert _ids(found) == objects
    assert sorted(found.keyframes) == keyframes


def test_filtered_object_is_as_if_only_those_views_were_known(snapshot: Snapshot) -> None:
    mug = snapshot.filtered(Filter(until_ns=2 * NS_PER_S)).objects_by_id["mug_1"]
    assert (mug.views, mug.view_count) == ((view(1),), 1)
    assert (mug.first_seen_ns, mug.last_seen_ns) == (NS_PER_S, NS_PER_S)


def test_filtered_object_is_what_it_was_then() -> None:
    values = AttributeValue("red", None), AttributeValue("blue", 2 * NS_PER_S)
    mug = replace(
        descriptor("mug_1", view(1), view(3), color="blue"), attribute_history={"color": values}
    )
    whole = Snapshot((mug,), (), {number: keyframe(number) for number in (1, 3)})
    (then,) = whole.filtered(Filter(until_ns=2 * NS_PER_S)).objects
    assert (then.attributes, then.attribute_history) == ({"color": "red"}, {"color": values[:1]})
    (now,) = whole.filtered(Filter(since_ns=2 * NS_PER_S)).objects
    assert (now.attributes, now.attribute_history) == ({"color": "blue"}, {"color": values})


def test_position_on_another_map_is_left_out(snapshot: Snapshot) -> None:
    downstairs = snapshot.filtered(Filter(map_id="map"))
    assert downstairs.objects_by_id["mug_1"].position is None
    assert downstairs.objects_by_id["desk_1"].position == DESK.position
    near = Filter(map_id="map", center_map_m=(1.0, 0.0, 0.5), radius_m=1.0)
    assert _ids(snapshot.filtered(near)) == []


def test_relation_goes_with_its_ends_and_its_keyframes(snapshot: Snapshot) -> None:
    assert snapshot.filtered(Filter(map_id="map")).relations == (ON,)
    assert snapshot.filtered(Filter(since_ns=2 * NS_PER_S)).relations == ()
    near = Filter(center_map_m=(1.0, 0.0, 0.5), radius_m=1.0)
    assert snapshot.filtered(near).relations == ()


def test_snapshot_is_another_one_only_after_a_commit(tmp_path: Path) -> None:
    writer, snapshots = Writer(tmp_path), SnapshotCache(Reader(tmp_path))
    assert snapshots.current() is snapshots.current()
    writer.commit_chunk(graph(1, [keyframe(1)], [descriptor("mug_1", view(1))]))
    assert _ids(snapshots.current()) == ["mug_1"]
    assert snapshots.current() is snapshots.current()


def test_no_memory_is_no_snapshot(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        SnapshotCache(Reader(tmp_path)).current()
