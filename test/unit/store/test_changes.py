"""New, moved, missing, found and expired: what chunks prove, and no more.

The camera is one metre above the floor. Measured points make places certain to some decimetres.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.errors import InputError
from memory_nodes.geometry import Pose, Vector3
from memory_nodes.records import (
    NS_PER_S,
    Box,
    Change,
    ChangeKind,
    ClearLook,
    Keyframe,
    ObjectDescriptor,
    ObjectStatus,
)
from memory_nodes.store.changes import ChangesConfig
from memory_nodes.store.editing.edits import Mark, Merge, Pin, Split, Undo
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.records import box, descriptor, graph, keyframe, point, view

DAY_S = 86_400
EVER_NS = 2**62
HERE: Vector3 = (3.0, 0.0, 0.5)
THERE: Vector3 = (3.0, 2.0, 0.5)
PRESENT, MOVED, MISSING = ObjectStatus.PRESENT, ObjectStatus.MOVED, ObjectStatus.MISSING
PROVISIONAL = ObjectStatus.PROVISIONAL


class Memory:
    """A writer to which chunks of one keyframe are told one after another."""

    def __init__(self, memory_dir: Path, config: ChangesConfig | None = None) -> None:
        self.writer = Writer(memory_dir, changes=config)
        self.reader = Reader(memory_dir)
        self._next = 1

    def close(self) -> None:
        self.reader.close()
        self.writer.close()

    def see(
        self,
        *places: Vector3,
        stamp_s: float | None = None,
        name: str = "mug_1",
        is_measured: bool = True,
        status: ObjectStatus = PRESENT,
        map_id: str = "map",
    ) -> None:
        """A chunk that shows one object at a place in each of its keyframes."""
        taken = [
            replace(self._keyframe(stamp_s, 0.1 * index), map_id=map_id)
            for index, _ in enumerate(places)
        ]
        views = [
            view(item.keyframe_id, _around(item, place), place if is_measured else None)
            for item, place in zip(taken, places, strict=True)
        ]
        seen = replace(
            descriptor(name, *views, status=status, position=point(*places[0])),
            first_seen_ns=taken[0].stamp_ns,
            last_seen_ns=taken[-1].stamp_ns,
        )
        self.commit(taken, seen)

    def miss(self, *cameras: Pose, stamp_s: float | None = None, name: str = "mug_1") -> None:
        """A chunk of clear looks from these places."""
        taken = [
            replace(self._keyframe(stamp_s), map_from_base=base, map_from_camera=base)
            for base in cameras
        ]
        looks = tuple(ClearLook(name, item.keyframe_id) for item in taken)
        self.commit(taken, looks=looks)

    def commit(
        self,
        taken: list[Keyframe],
        *objects: ObjectDescriptor,
        looks: tuple[ClearLook, ...] = (),
    ) -> None:
        chunk_id = self.writer.counts().last_chunk_id + 1
        chunk = graph(chunk_id, taken, objects)
        self.writer.commit_chunk(replace(chunk, clear_looks=looks))

    @property
    def mug(self) -> ObjectDescriptor:
        return self.reader.objects(["mug_1"])[0]

    def changes(self, *kinds: ChangeKind) -> list[Change]:
        found = self.reader.changes(0, EVER_NS)
        return [change for change in found if not kinds or change.kind in kinds]

    def kinds(self) -> list[str]:
        return [change.kind.value for change in self.changes()]

    def _keyframe(self, stamp_s: float | None, y_m: float = 0.0) -> Keyframe:
        number, self._next = self._next, self._next + 1
        at_s = float(number) if stamp_s is None else stamp_s
        return keyframe(number, stamp_s=at_s, base=Pose.planar(0.0, y_m, 0.0))


def _around(taken: Keyframe, place: Vector3) -> Box:
    """The box of 50 px about the pixel of a place that the camera looks at along x."""
    x_m, y_m, z_m = place
    ahead_m, left_m = (
        x_m - taken.map_from_base.position_m[0],
        y_m - taken.map_from_base.position_m[1],
    )
    u_px = 320.0 - 500.0 * left_m / ahead_m
    v_px = 240.0 + 500.0 * (1.0 - z_m) / ahead_m
    return box(u_px - 25.0, v_px - 25.0, 50.0)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    opened = Memory(tmp_path)
    yield opened
    opened.close()


def _looks(count: int, apart_m: float = 0.5) -> list[Pose]:
    return [Pose.planar(0.0, apart_m * index, 0.0) for index in range(count)]


# moved


def test_object_that_is_measured_at_another_place_has_moved(memory: Memory) -> None:
    memory.see(HERE, HERE)
    memory.see(THERE, THERE)
    assert memory.mug.status == MOVED
    assert memory.mug.position is not None
    assert memory.mug.position.point_m == pytest.approx(THERE, abs=0.15)
    (moved,) = memory.changes()
    assert (moved.kind, moved.stamp_ns) == (ChangeKind.MOVED, 3 * NS_PER_S)
    assert moved.old_position is not None
    assert moved.new_position is not None
    assert moved.old_position.point_m == pytest.approx(HERE, abs=0.15)
    assert moved.new_position.point_m == pytest.approx(THERE, abs=0.15)


def test_object_has_moved_from_where_it_was_on_the_same_map(memory: Memory) -> None:
    """What it was seen at on another map in between is a place of that map."""
    memory.see(HERE, HERE)
    memory.see(THERE, THERE, map_id="upstairs")
    memory.see(HERE, HERE)
    assert memory.changes() == []
    memory.see(THERE, THERE, map_id="upstairs")
    memory.see(THERE, THERE)
    (moved,) = memory.changes()
    assert moved.old_position is not None
    assert moved.old_position.point_m == pytest.approx(HERE, abs=0.2)
    assert moved.descriptor.status == MOVED
    places = memory.reader.history_of("mug_1").places
    assert [place.map_id for place in places] == ["map", "map"]


def test_old_place_is_kept_with_the_time_that_it_was_seen_there(memory: Memory) -> None:
    memory.see(HERE, HERE)
    memory.see(THERE, THERE)
    (row,) = memory.writer.database.connection.execute("SELECT * FROM object_place")
    assert (row["start_ns"], row["end_ns"]) == (1 * NS_PER_S, 2 * NS_PER_S)
    assert (row["x"], row["y"]) == pytest.approx(HERE[:2], abs=0.15)
    assert memory.mug.placed_since == 3


def test_one_rough_sighting_moves_nothing_and_a_second_one_that_agrees_does(
    memory: Memory,
) -> None:
    """Without depth; the two new ones are 0.6 m apart, from which the place can be told."""
    memory.see(HERE, HERE)
    away, aside = (Pose.planar(0.0, y_m, 0.0) for y_m in (1.7, 2.3))
    for number, base in ((10, away), (11, aside)):
        taken = keyframe(number, base=base)
        seen = descriptor("mug_1", view(number, _around(taken, THERE)))
        memory.commit([taken], seen)
        assert memory.mug.status == (PRESENT if number == 10 else MOVED)


def test_place_stays_where_it_was_while_one_rough_sighting_shows_the_object_elsewhere(
    memory: Memory,
) -> None:
    """Boxes alone: what would lie between both places is none of them."""
    memory.see(HERE, HERE, HERE, is_measured=False)
    assert memory.mug.position is not None
    before = memory.mug.position
    memory.see(THERE, is_measured=False)
    assert memory.mug.position == before
    memory.see(HERE)
    assert memory.mug.position != before


def test_move_began_where_the_new_place_was_seen_first_not_in_a_view_of_a_third_place(
    memory: Memory,
) -> None:
    """The rough sighting to the right contradicts both the old place and the new one."""
    memory.see(HERE, HERE)
    memory.see((3.0, -1.5, 0.5), is_measured=False)
    memory.see(THERE, THERE, THERE)
    (moved,) = memory.changes()
    assert (moved.kind, moved.stamp_ns) == (ChangeKind.MOVED, 4 * NS_PER_S)
    assert memory.mug.placed_since == 4
    assert moved.old_position is not None
    assert moved.old_position.point_m == pytest.approx(HERE, abs=0.15)
    (row,) = memory.writer.database.connection.execute("SELECT end_ns FROM object_place")
    assert row["end_ns"] == 2 * NS_PER_S


@pytest.mark.parametrize(("y_m", "status"), [(0.3, PRESENT), (2.0, MOVED)])
def test_short_way_is_no_move(memory: Memory, y_m: float, status: ObjectStatus) -> None:
    memory.see(HERE, HERE)
    memory.see((3.0, y_m, 0.5), (3.0, y_m, 0.5))
    assert memory.mug.status == status


def test_moved_object_stays_moved_for_half_a_day(memory: Memory) -> None:
    memory.see(HERE, HERE, stamp_s=0.0)
    memory.see(THERE, THERE, stamp_s=1.0 * DAY_S)
    memory.see(THERE, stamp_s=1.49 * DAY_S)
    assert memory.mug.status == MOVED
    memory.see(THERE, stamp_s=1.51 * DAY_S)
    assert memory.mug.status == PRESENT
    assert memory.kinds() == ["moved"]


def test_move_counts_though_the_identity_was_decided_without_the_model(memory: Memory) -> None:
    memory.see(HERE, HERE)
    memory.see(THERE, THERE, status=PROVISIONAL)
    assert memory.mug.status == MOVED


def test_object_is_provisional_until_the_model_or_a_person_confirms_it(memory: Memory) -> None:
    memory.see(HERE, status=PROVISIONAL)
    memory.see(HERE, status=PROVISIONAL)
    assert memory.mug.status == PROVISIONAL
    marked = memory.writer.edit(Mark("mug_1", PRESENT), 1)
    memory.see(HERE, status=PROVISIONAL)
    assert memory.mug.status == PRESENT
    memory.writer.edit(Undo(marked.event_id), 2)
    assert memory.mug.status == PROVISIONAL
    memory.see(HERE)
    memory.see(HERE, status=PROVISIONAL)
    assert memory.mug.status == PRESENT


def test_confirmed_object_that_moved_or_was_missing_is_not_provisional_again(
    memory: Memory,
) -> None:
    memory.see(HERE, HERE, stamp_s=0.0)
    memory.see(THERE, THERE, stamp_s=1.0 * DAY_S, status=PROVISIONAL)
    assert memory.mug.status == MOVED
    memory.see(THERE, stamp_s=2.0 * DAY_S, status=PROVISIONAL)
    assert memory.mug.status == PRESENT
    memory.miss(*_looks(3))
    assert memory.mug.status == MISSING
    memory.see(THERE, status=PROVISIONAL)
    assert memory.mug.status == PRESENT


def test_object_that_went_to_another_map_has_not_moved_on_this_one(memory: Memory) -> None:
    memory.see(HERE, HERE)
    upstairs = keyframe(9, map_id="upstairs", base=Pose.planar(0.0, 0.0, 0.0))
    memory.commit([upstairs], descriptor("mug_1", view(9, point_map_m=(9.0, 1.0, 0.5))))
    assert (memory.mug.status, memory.kinds()) == (PRESENT, [])


# missing, found, expired


@pytest.mark.parametrize(("count", "status"), [(2, PRESENT), (3, MISSING)])
def test_object_is_missing_after_three_clear_looks(
    memory: Memory, count: int, status: ObjectStatus
) -> None:
    memory.see(HERE, HERE)
    memory.miss(*_looks(count))
    assert memory.mug.status == status
    assert memory.kinds() == ["missing"] * (count // 3)


def test_event_of_what_is_missing_has_its_place_and_the_stamp_of_the_last_look(
    memory: Memory,
) -> None:
    memory.see(HERE, HERE)
    memory.miss(*_looks(5))
    (missing,) = memory.changes()
    assert missing.stamp_ns == 5 * NS_PER_S
    assert missing.old_position is not None
    assert missing.old_position.point_m == pytest.approx(HERE, abs=0.15)
    assert missing.descriptor.object_id == "mug_1"


@pytest.mark.parametrize(
    ("apart_m", "turn_rad", "status"),
    [(0.29, 0.0, PRESENT), (0.31, 0.0, MISSING), (0.0, 0.17, PRESENT), (0.0, 0.18, MISSING)],
)
def test_looks_count_once_for_each_clearly_different_view(
    memory: Memory, apart_m: float, turn_rad: float, status: ObjectStatus
) -> None:
    """10 degrees are 0.1745 rad; the second look differs from the first, the third from both."""
    memory.see(HERE, HERE)
    memory.miss(*[Pose.planar(0.0, apart_m * n, turn_rad * n) for n in range(2)])
    memory.miss(Pose.planar(5.0, 0.0, 0.0))
    assert memory.mug.status == status


def test_camera_that_stands_still_never_makes_anything_missing(memory: Memory) -> None:
    memory.see(HERE, HERE)
    for _ in range(20):
        memory.miss(Pose.planar(0.0, 0.0, 0.0))
    assert memory.mug.status == PRESENT


def test_sighting_takes_back_the_looks_before_it(memory: Memory) -> None:
    memory.see(HERE, HERE)
    memory.miss(*_looks(2))
    memory.see(HERE)
    memory.miss(*_looks(2))
    assert (memory.mug.status, memory.kinds()) == (PRESENT, [])


def test_missing_object_that_is_seen_again_is_found(memory: Memory) -> None:
    memory.see(HERE, HERE)
    memory.miss(*_looks(3))
    memory.see(HERE)
    assert (memory.mug.status, memory.kinds()) == (PRESENT, ["missing", "found"])


def test_missing_object_that_is_seen_elsewhere_has_moved(memory: Memory) -> None:
    memory.see(HERE, HERE)
    memory.miss(*_looks(3))
    memory.see(THERE, THERE)
    assert (memory.mug.status, memory.kinds()) == (MOVED, ["missing", "moved"])


def test_empty_place_proves_the_move_that_one_rough_sighting_did_not(memory: Memory) -> None:
    memory.see(HERE, HERE)
    memory.see(THERE, is_measured=False)
    assert memory.mug.status == PRESENT
    memory.miss(*_looks(3))
    assert (memory.mug.status, memory.kinds()) == (MOVED, ["moved"])
    assert memory.mug.placed_since == 3


@pytest.mark.parametrize(
    ("confidences", "status"),
    [((0.4,), ObjectStatus.EXPIRED), ((0.6,), PRESENT), ((0.4, 0.4), PRESENT)],
)
def test_only_what_was_seen_once_without_confidence_expires_at_the_first_look(
    memory: Memory, confidences: tuple[float, ...], status: ObjectStatus
) -> None:
    taken = [keyframe(number) for number in range(1, len(confidences) + 1)]
    views = [
        replace(view(item.keyframe_id), confidence=sure)
        for item, sure in zip(taken, confidences, strict=True)
    ]
    memory.commit(taken, descriptor("mug_1", *views))
    look = keyframe(9)
    memory.commit([look], looks=(ClearLook("mug_1", 9),))
    assert memory.mug.status == status
    assert memory.kinds() == (["expired"] if status == ObjectStatus.EXPIRED else [])


def test_expired_object_is_not_searched_any_more_and_is_again_when_it_is_seen(
    memory: Memory, tmp_path: Path
) -> None:
    following = Search(tmp_path)
    ghost = replace(view(1), confidence=0.2)
    memory.commit([keyframe(1)], descriptor("mug_1", ghost))
    assert [hit.item_id for hit in following.words("mug").hits] == ["mug_1"]
    memory.commit([keyframe(2)], looks=(ClearLook("mug_1", 2),))
    anew = Search(tmp_path)
    for search in (following, anew):
        assert search.words("mug").hits == ()
    memory.commit([keyframe(3)], descriptor("mug_1", view(3)))
    for search in (following, anew):
        assert [hit.item_id for hit in search.words("mug").hits] == ["mug_1"]
        search.close()


# with what a person says


def test_pinned_object_neither_moves_nor_goes_missing(memory: Memory) -> None:
    memory.see(HERE, HERE)
    memory.writer.edit(Pin("mug_1"), 1)
    memory.miss(*_looks(5))
    memory.see(THERE, THERE)
    assert (memory.mug.status, memory.kinds()) == (PRESENT, [])
    assert memory.mug.position is not None
    assert memory.mug.position.point_m == pytest.approx(HERE, abs=0.15)


def test_pinned_object_does_not_expire(memory: Memory) -> None:
    memory.see(HERE)
    doubtful = replace(memory.mug.views[0], confidence=0.1)
    memory.commit([keyframe(50)], descriptor("cup_1", replace(doubtful, keyframe_id=50)))
    memory.writer.edit(Pin("cup_1"), 1)
    memory.miss(*_looks(1), name="cup_1")
    assert memory.reader.objects(["cup_1"])[0].status == PRESENT


@pytest.mark.parametrize("status", [PRESENT, MISSING])
def test_looks_before_a_person_marked_an_object_do_not_count(
    memory: Memory, status: ObjectStatus
) -> None:
    memory.see(HERE, HERE)
    memory.miss(*_looks(2))
    marked = memory.writer.edit(Mark("mug_1", status), 1)
    memory.writer.edit(Undo(marked.event_id), 2)
    memory.miss(*_looks(2))
    assert memory.mug.status == PRESENT
    memory.miss(Pose.planar(0.0, 5.0, 0.0))
    assert memory.mug.status == MISSING


def test_look_for_what_was_merged_meanwhile_with_what_the_chunk_shows_is_passed_over(
    memory: Memory,
) -> None:
    memory.see(HERE, HERE)
    memory.see(HERE, HERE, name="cup_1")
    memory.writer.edit(Merge("mug_1", ("cup_1",)), 1)
    for number in (50, 51, 52):
        taken = keyframe(number, base=Pose.planar(0.0, float(number), 0.0))
        cup = descriptor("cup_1", view(number))
        memory.commit([taken], cup, looks=(ClearLook("mug_1", number),))
    memory.miss(*_looks(2))
    assert memory.mug.status == PRESENT


def test_look_for_the_old_id_of_a_merged_object_is_passed_over(memory: Memory) -> None:
    memory.see(HERE, HERE)
    memory.see(HERE, HERE, name="cup_1")
    memory.writer.edit(Merge("mug_1", ("cup_1",)), 1)
    memory.miss(*_looks(5), name="cup_1")
    assert memory.mug.status == PRESENT


def test_move_between_what_a_person_said_are_two_objects_was_none(memory: Memory) -> None:
    memory.see(HERE, HERE)
    memory.see(THERE, THERE)
    assert memory.mug.status == MOVED
    split = memory.writer.edit(Split("mug_1", (3, 4)), 1)
    here, there = memory.reader.objects(split.object_ids)
    assert (here.status, there.status) == (PRESENT, PRESENT)
    assert here.position is not None
    assert here.position.point_m == pytest.approx(HERE, abs=0.15)
    memory.writer.edit(Undo(split.event_id), 2)
    assert memory.mug.status == MOVED


def test_look_for_what_was_forgotten_meanwhile_is_passed_over(memory: Memory) -> None:
    memory.see(HERE, HERE)
    memory.writer.forget(Forget(("mug_1",)))
    memory.miss(*_looks(3))
    assert memory.writer.counts().last_chunk_id == 2


def test_clear_look_that_contradicts_its_chunk_is_refused(memory: Memory) -> None:
    shown = descriptor("mug_1", view(1))
    for look in (ClearLook("mug_1", 1), ClearLook("lamp_1", 2)):
        with pytest.raises(InputError, match="clear look"):
            memory.commit([keyframe(1)], shown, looks=(look,))


# new


def test_house_that_is_explored_is_no_news(memory: Memory) -> None:
    memory.see(HERE)
    memory.see(THERE, name="lamp_1")
    memory.see(THERE, name="desk_1", stamp_s=300.0)
    assert memory.changes() == []


def test_object_is_new_where_the_robot_had_looked_before(memory: Memory) -> None:
    memory.see(HERE, stamp_s=0.0)
    memory.see((3.0, 0.5, 0.5), name="lamp_1", stamp_s=float(DAY_S))
    (new,) = memory.changes()
    assert (new.kind, new.descriptor.object_id) == (ChangeKind.NEW, "lamp_1")
    assert new.stamp_ns == DAY_S * NS_PER_S
    assert new.new_position is not None


def test_object_of_a_place_that_was_never_in_the_picture_is_not_new(memory: Memory) -> None:
    """The first picture looked the other way; the second was taken from another room."""
    behind = keyframe(101, stamp_s=0.0, base=Pose.planar(0.0, 0.0, 3.14159))
    far = keyframe(102, stamp_s=1.0, base=Pose.planar(-4.0, 0.0, 0.0))
    memory.commit([behind, far], descriptor("desk_1", view(101), view(102)))
    memory._next = 200
    memory.see(HERE, stamp_s=float(DAY_S))
    assert memory.changes() == []


# what a reader is told


def test_changes_are_those_between_two_stamps_on_a_map(memory: Memory) -> None:
    memory.see(HERE, HERE)
    memory.see(THERE, THERE)
    moved_ns = 3 * NS_PER_S
    reader = memory.reader
    assert len(reader.changes(moved_ns, moved_ns, "map")) == 1
    assert reader.changes(moved_ns + 1, EVER_NS) == []
    assert reader.changes(0, moved_ns - 1) == []
    assert reader.changes(0, EVER_NS, "upstairs") == []


def test_what_a_person_did_is_no_change_and_what_was_undone_neither(memory: Memory) -> None:
    memory.see(HERE, HERE)
    memory.see(THERE, THERE)
    with memory.writer.database.transaction() as connection:
        connection.execute(
            "INSERT INTO object_event (object_key, kind, stamp_ns, detail)"
            " VALUES (1, 'rename', 5, '{}')"
        )
    assert memory.kinds() == ["moved"]
    with memory.writer.database.transaction() as connection:
        connection.execute("UPDATE object_event SET is_undone = 1")
    assert memory.kinds() == []


# forgetting


def test_forgotten_object_leaves_no_place_event_or_look(memory: Memory) -> None:
    memory.see(HERE, HERE)
    memory.see(THERE, THERE)
    memory.miss(*_looks(2))
    memory.writer.forget(Forget(("mug_1",)))
    connection = memory.writer.database.connection
    for table in ("object_place", "object_event", "clear_look", "object"):
        assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0, table


@pytest.mark.parametrize(
    ("ids", "place"),
    [(("keyframe_1", "keyframe_2"), THERE), (("keyframe_3", "keyframe_4"), HERE)],
)
def test_move_is_forgotten_with_either_of_its_ends(
    memory: Memory, ids: tuple[str, ...], place: Vector3
) -> None:
    memory.see(HERE, HERE)
    memory.see(THERE, THERE)
    memory.writer.forget(Forget(ids))
    assert (memory.mug.status, memory.mug.placed_since, memory.changes()) == (PRESENT, 0, [])
    assert memory.mug.position is not None
    assert memory.mug.position.point_m == pytest.approx(place, abs=0.15)


def test_objects_are_forgotten_by_what_a_person_called_them(memory: Memory) -> None:
    memory.see(HERE)
    with memory.writer.database.transaction() as connection:
        connection.execute("UPDATE object SET name = 'Zyzzyx'")
    assert memory.writer.forget(Forget(text="zyzzyx")).objects == 1


def test_objects_are_forgotten_by_what_a_person_did_but_not_by_names_of_fields(
    memory: Memory,
) -> None:
    memory.see(HERE)
    with memory.writer.database.transaction() as connection:
        connection.execute(
            "INSERT INTO object_event (object_key, kind, stamp_ns, detail)"
            """ VALUES (1, 'rename', 5, '{"names": ["Zyzzyx"]}')"""
        )
    assert memory.writer.forget(Forget(text="names"), dry_run=True).objects == 0
    assert memory.writer.forget(Forget(text="zyzzyx")).objects == 1
