"""What a look on arrival says of an object, told by a robot that drove there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.errors import InputError
from memory_nodes.geometry import Pose, Vector3
from memory_nodes.mapping.pose_graph import PoseGraph
from memory_nodes.records import (
    NS_PER_S,
    ArrivalLook,
    ChangeKind,
    Keyframe,
    ObjectDescriptor,
    ObjectStatus,
)
from memory_nodes.store.changes import ChangesConfig
from memory_nodes.store.editing.edits import Mark, Merge, Pin
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, measured, view

PLACE: Vector3 = (4.0, 0.0, 0.5)
SIDES = (Pose.planar(0.0, 0.0, 0.0), Pose.planar(0.0, 1.0, -0.2), Pose.planar(0.0, -1.0, 0.2))
"""A metre apart, the mug in the picture of each."""
SEEN = [keyframe(number, base=base) for number, base in enumerate(SIDES, start=1)]
LATER_S = 100.0


class Memory:
    """One mug, measured from three sides; the robot comes back later."""

    def __init__(self, memory_dir: Path) -> None:
        self.writer = Writer(memory_dir)
        self.reader = Reader(memory_dir)
        self.see(SEEN, PLACE)

    def close(self) -> None:
        self.reader.close()
        self.writer.close()

    def see(self, taken: list[Keyframe], place: Vector3, name: str = "mug_1") -> None:
        seen = descriptor(name, *(measured(item, place) for item in taken))
        seen = replace(seen, first_seen_ns=taken[0].stamp_ns, last_seen_ns=taken[-1].stamp_ns)
        chunk_id = self.writer.counts().last_chunk_id + 1
        self.writer.commit_chunk(graph(chunk_id, taken, [seen]))

    def look(self, keyframe_id: int, *, is_there: bool, **other: Any) -> ArrivalLook:
        stamp_ns = round((LATER_S + keyframe_id) * NS_PER_S)
        look = ArrivalLook("mug_1", keyframe_id, stamp_ns, "map", is_there)
        look = replace(look, **other)
        self.writer.note_look(look)
        return look

    @property
    def mug(self) -> ObjectDescriptor:
        return self.reader.objects(["mug_1"])[0]

    def kinds(self) -> list[ChangeKind]:
        return [change.kind for change in self.reader.changes(0, 2**62)]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    made = Memory(tmp_path)
    yield made
    made.close()


def test_object_is_missing_after_vain_looks_from_three_sides_and_not_before(
    memory: Memory,
) -> None:
    for number in (1, 2):
        memory.look(number, is_there=False)
        assert memory.mug.status == ObjectStatus.PRESENT
    last = memory.look(3, is_there=False)
    assert memory.mug.status == ObjectStatus.MISSING
    (change,) = memory.reader.changes(0, 2**62)
    assert (change.kind, change.stamp_ns) == (ChangeKind.MISSING, last.stamp_ns)


def test_look_that_is_told_again_or_made_again_from_one_side_counts_once(memory: Memory) -> None:
    for stamp_s in (LATER_S, LATER_S, 2 * LATER_S, 3 * LATER_S):
        memory.look(1, is_there=False, stamp_ns=round(stamp_s * NS_PER_S))
    memory.look(2, is_there=False)
    assert memory.mug.status == ObjectStatus.PRESENT


def test_views_that_never_differ_enough_do_not_matter_to_a_look_that_is_told_again(
    tmp_path: Path,
) -> None:
    writer = Writer(tmp_path, changes=ChangesConfig(look_apart_m=0.0, look_apart_deg=0.0))
    mug = descriptor("mug_1", *(measured(item, PLACE) for item in SEEN))
    writer.commit_chunk(graph(1, SEEN, [mug]))
    for _ in range(4):
        writer.note_look(ArrivalLook("mug_1", 1, 100 * NS_PER_S, "map", is_there=False))
    assert Reader(tmp_path).objects(["mug_1"])[0].status == ObjectStatus.PRESENT
    writer.close()


def test_object_that_is_there_was_seen_last_then(memory: Memory) -> None:
    memory.look(1, is_there=False)
    memory.look(2, is_there=False)
    look = memory.look(3, is_there=True)
    assert memory.mug.last_seen_ns == look.stamp_ns
    memory.look(1, is_there=False, stamp_ns=look.stamp_ns + 1)  # the looks before count no more
    assert memory.mug.status == ObjectStatus.PRESENT
    assert memory.kinds() == []


def test_missing_object_that_is_there_is_found_once(memory: Memory) -> None:
    for number in (1, 2, 3):
        memory.look(number, is_there=False)
    look = memory.look(1, is_there=True, stamp_ns=200 * NS_PER_S)
    memory.writer.note_look(look)
    assert memory.mug.status == ObjectStatus.PRESENT
    assert sorted(kind.value for kind in memory.kinds()) == ["found", "missing"]


def test_vain_look_that_is_told_again_after_the_object_was_seen_says_nothing(
    memory: Memory,
) -> None:
    looks = [memory.look(number, is_there=False) for number in (1, 2, 3)]
    memory.look(1, is_there=True, stamp_ns=200 * NS_PER_S)
    for look in looks:
        memory.writer.note_look(look)
    assert memory.mug.status == ObjectStatus.PRESENT


def test_pinned_object_does_not_go_missing(memory: Memory) -> None:
    memory.writer.edit(Pin("mug_1", is_pinned=True), 0)
    for number in (1, 2, 3):
        memory.look(number, is_there=False)
    assert (memory.mug.status, memory.kinds()) == (ObjectStatus.PRESENT, [])


def test_old_id_of_a_merged_object_means_what_it_was_merged_into(memory: Memory) -> None:
    memory.see([keyframe(4, base=Pose.planar(0.5, 0.0, 0.0))], PLACE, name="cup_1")
    memory.writer.edit(Merge("cup_1", ("mug_1",)), 0)
    for number in (1, 2, 3):
        memory.look(number, is_there=False)
    assert memory.reader.objects(["cup_1"])[0].status == ObjectStatus.MISSING


@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize(
    "other",
    [
        {"object_id": "piano_1"},
        {"keyframe_id": 99},
        {"map_id": "cellar"},
        {"stamp_ns": NS_PER_S},
    ],
    ids=["unknown object", "unknown keyframe", "another map", "seen since"],
)
def test_look_that_says_nothing_changes_nothing(
    other: dict[str, Any], is_there: bool, memory: Memory
) -> None:
    before = memory.mug
    for number in (1, 2, 3):
        memory.look(is_there=is_there, **{"keyframe_id": number, **other})
    assert (memory.mug, memory.kinds()) == (before, [])


def test_forgotten_object_is_passed_over(memory: Memory) -> None:
    memory.writer.forget(Forget(ids=("mug_1",)))
    memory.look(1, is_there=True)
    assert memory.writer.counts().objects == 0


@pytest.mark.parametrize("is_there", [True, False])
@pytest.mark.parametrize(
    ("place", "yaw_rad"),
    [((0.0, 4.0, 0.5), 1.57), ((4.0, 1.8, 0.5), 0.0)],
    ids=["out of the old pictures", "within them"],
)
def test_look_from_where_the_object_was_seen_before_it_moved_says_nothing_of_it(
    place: Vector3, yaw_rad: float, is_there: bool, memory: Memory
) -> None:
    taken = [
        keyframe(number, base=Pose.planar(x_m, 0.0, yaw_rad), stamp_s=50.0 + number)
        for number, x_m in ((4, 0.0), (5, 0.4))
    ]
    memory.see(taken, place)
    before = memory.mug
    assert before.status == ObjectStatus.MOVED
    for number in (1, 2, 3):
        memory.look(number, is_there=is_there)
    assert memory.mug == before


@pytest.mark.parametrize("is_there", [True, False])
def test_look_on_a_map_says_nothing_of_an_object_that_was_seen_on_another_one_since(
    is_there: bool, memory: Memory
) -> None:
    memory.see([keyframe(4, base=SIDES[0], map_id="cellar", stamp_s=50.0)], PLACE)
    before = memory.mug
    for number in (1, 2, 3):
        memory.look(number, is_there=is_there)
    assert memory.mug == before


def test_what_a_person_marked_missing_is_found_where_it_is(memory: Memory) -> None:
    memory.writer.edit(Mark("mug_1", ObjectStatus.MISSING), 0)
    memory.look(1, is_there=True)
    assert memory.mug.status == ObjectStatus.PRESENT


def test_object_that_was_seen_on_arrival_follows_its_map_with_its_views(memory: Memory) -> None:
    """The closure was before the look, and is heard of after it."""
    line = {number: (0.25 * number, 0.0) for number in range(24)}
    shifted = {number: (x_m, 0.4) for number, (x_m, _) in line.items()}
    memory.writer.follow_map("map", "map", PoseGraph.heard(line, 0), 0, 0.05)
    assert memory.mug.position is not None
    y_m = memory.mug.position.point_m[1]
    memory.look(1, is_there=True)
    memory.writer.follow_map("map", "map", PoseGraph.heard(shifted, 0), 50 * NS_PER_S, 0.05)
    assert memory.mug.position is not None
    assert memory.mug.position.point_m[1] == pytest.approx(y_m + 0.4, abs=0.01)


def test_stamp_that_is_none_is_refused(memory: Memory) -> None:
    with pytest.raises(InputError, match="stamp"):
        memory.look(1, is_there=True, stamp_ns=-1)


def test_look_where_one_rough_sighting_had_shown_the_object_says_nothing_of_its_place(
    memory: Memory,
) -> None:
    aside = keyframe(4, base=Pose.planar(0.0, 0.0, 1.57), stamp_s=50.0)
    memory.writer.commit_chunk(graph(2, [aside], [descriptor("mug_1", view(4))]))
    assert memory.mug.position is not None
    assert memory.mug.position.point_m == pytest.approx(PLACE, abs=0.2)
    for number in (1, 2, 4):
        memory.look(number, is_there=False)
    assert memory.mug.status == ObjectStatus.PRESENT
