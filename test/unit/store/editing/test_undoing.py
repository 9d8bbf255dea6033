"""An undo brings back every row; what was seen since stays."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_nodes.errors import InputError
from memory_nodes.records import NS_PER_S, ObjectDescriptor, ObjectStatus
from memory_nodes.store.editing.edits import Edit, Edited, Mark, Merge, Pin, Rename, Split, Undo
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.mugs import THERE, chunk, seen_here, write_mugs, write_traces
from memory_test_support.object_rows import Rows, faults, object_rows
from memory_test_support.records import descriptor, view

NOW_NS = 100 * NS_PER_S

EDITS: tuple[Edit, ...] = (
    Rename("mug_1", "my mug"),
    Merge("mug_1", ("cup_1",)),
    Merge("cup_1", ("mug_1",)),
    Merge("mug_2", ("mug_1", "cup_1", "desk_1")),
    Split("mug_2", (6,)),
    Split("mug_1", (1, 5)),
    Split("desk_1", (2, 3)),
    Pin("mug_1"),
    Pin("mug_1", is_pinned=False),
    Mark("mug_1", ObjectStatus.MISSING),
    Mark("mug_1", ObjectStatus.PRESENT),
)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    write_mugs(opened)
    write_traces(opened)
    yield opened
    opened.close()
    assert faults(tmp_path) == []


def _undo(writer: Writer, edited: Edited) -> Edited:
    return writer.edit(Undo(edited.event_id), NOW_NS + 1)


def _one(memory_dir: Path, object_id: str) -> ObjectDescriptor:
    (found,) = Reader(memory_dir).objects([object_id])
    return found


@pytest.mark.parametrize("what", EDITS, ids=repr)
def test_undo_brings_back_every_row(writer: Writer, tmp_path: Path, what: Edit) -> None:
    before, objects = object_rows(tmp_path), Reader(tmp_path).objects()
    search = Search(tmp_path)
    hits = search.words("mug cup desk red").hits
    edited = writer.edit(what, NOW_NS)
    search.refresh()
    undone = _undo(writer, edited)
    assert object_rows(tmp_path) == before
    assert Reader(tmp_path).objects() == objects
    assert {hit.item_id for hit in search.words("mug cup desk red").hits} == {
        hit.item_id for hit in hits
    }
    assert set(undone.object_ids) <= {item.object_id for item in objects}
    search.close()


def test_undo_is_in_the_log_and_can_be_seen(writer: Writer, tmp_path: Path) -> None:
    merged = writer.edit(Merge("mug_1", ("cup_1",)), NOW_NS)
    undone = _undo(writer, merged)
    reader = Reader(tmp_path)
    for object_id in ("mug_1", "cup_1"):
        entries = [
            (entry.event_id, entry.kind, entry.is_undone) for entry in reader.edits(object_id)
        ]
        assert entries == [(merged.event_id, "merge", True), (undone.event_id, "undo", False)]
        assert reader.edits(object_id)[1].said == {"event_id": merged.event_id, "kind": "merge"}
    assert undone.object_ids == ("mug_1", "cup_1")


def test_edits_are_undone_newest_first(writer: Writer, tmp_path: Path) -> None:
    first = writer.edit(Merge("mug_1", ("cup_1",)), NOW_NS)
    second = writer.edit(Merge("mug_2", ("mug_1",)), NOW_NS)
    merged = object_rows(tmp_path)
    with pytest.raises(InputError, match=f"{second.event_id} came after {first.event_id}"):
        _undo(writer, first)
    assert object_rows(tmp_path) == merged
    _undo(writer, second)
    _undo(writer, first)


def test_edits_of_other_objects_do_not_stand_in_the_way(writer: Writer, tmp_path: Path) -> None:
    before = object_rows(tmp_path)
    first = writer.edit(Rename("mug_1", "my mug"), NOW_NS)
    second = writer.edit(Rename("desk_1", "my desk"), NOW_NS)
    _undo(writer, first)
    _undo(writer, second)
    assert object_rows(tmp_path) == before


def test_edit_is_undone_once_and_an_undo_never(writer: Writer) -> None:
    edited = writer.edit(Rename("mug_1", "my mug"), NOW_NS)
    undone = _undo(writer, edited)
    with pytest.raises(InputError, match="was undone already"):
        _undo(writer, edited)
    with pytest.raises(InputError, match="is an undo"):
        _undo(writer, undone)


def test_merge_is_undone_after_the_object_was_seen_again(writer: Writer, tmp_path: Path) -> None:
    """The new view stays with the object that it was given to."""
    cup = _one(tmp_path, "cup_1")
    edited = writer.edit(Merge("mug_1", ("cup_1",)), NOW_NS)
    writer.commit_chunk(chunk(4, seen_here(1, 7, color="green")))
    _undo(writer, edited)
    mug = _one(tmp_path, "mug_1")
    assert [seen.keyframe_id for seen in mug.views] == [1, 2, 5, 7]
    assert (mug.last_seen_ns, mug.view_count) == (7 * NS_PER_S, 4)
    assert mug.attributes["color"] == "green"
    assert _one(tmp_path, "cup_1") == cup


def test_merged_object_comes_back_after_newer_objects_were_seen(
    writer: Writer, tmp_path: Path
) -> None:
    """Its key was the highest: none of the new ones has it."""
    before = _one(tmp_path, "mug_2")
    edited = writer.edit(Merge("mug_1", ("mug_2",)), NOW_NS)
    writer.commit_chunk(chunk(4, descriptor("vase_1", view(7)), descriptor("vase_2", view(8))))
    _undo(writer, edited)
    assert _one(tmp_path, "mug_2") == before
    assert [item.object_id for item in Reader(tmp_path).objects()] == [
        *("mug_1", "cup_1", "desk_1", "mug_2", "vase_1", "vase_2"),
    ]


def test_split_is_not_undone_when_the_new_object_was_seen_again(
    writer: Writer, tmp_path: Path
) -> None:
    edited = writer.edit(Split("mug_2", (6,)), NOW_NS)
    writer.commit_chunk(chunk(4, seen_here(3, 7)))
    before = object_rows(tmp_path)
    with pytest.raises(InputError, match="mug_3 was seen again since"):
        _undo(writer, edited)
    assert object_rows(tmp_path) == before


def test_split_is_undone_when_the_old_object_was_seen_again(writer: Writer, tmp_path: Path) -> None:
    edited = writer.edit(Split("mug_2", (6,)), NOW_NS)
    writer.commit_chunk(chunk(4, seen_here(2, 7)))
    _undo(writer, edited)
    assert [seen.keyframe_id for seen in _one(tmp_path, "mug_2").views] == [4, 6, 7]
    assert Reader(tmp_path).objects(["mug_3"]) == []


def test_mark_is_not_undone_when_the_object_was_seen_since(writer: Writer) -> None:
    edited = writer.edit(Mark("mug_1", ObjectStatus.MISSING), NOW_NS)
    writer.commit_chunk(chunk(4, seen_here(1, 7)))
    with pytest.raises(InputError, match="its status is 0 by now"):
        _undo(writer, edited)


def test_unpinning_is_undone_to_the_place_that_was_pinned(writer: Writer, tmp_path: Path) -> None:
    writer.edit(Pin("mug_1"), NOW_NS)
    pinned = _one(tmp_path, "mug_1")
    edited = writer.edit(Pin("mug_1", is_pinned=False), NOW_NS)
    writer.commit_chunk(chunk(4, descriptor("mug_1", view(7, point_map_m=THERE), color="grey")))
    assert _one(tmp_path, "mug_1").position != pinned.position
    _undo(writer, edited)
    again = _one(tmp_path, "mug_1")
    assert (again.position, again.attributes) == (pinned.position, pinned.attributes)
    assert (again.view_count, again.is_pinned) == (4, True)


def test_rename_is_undone_whatever_was_seen_since(writer: Writer, tmp_path: Path) -> None:
    edited = writer.edit(Rename("mug_1", "my mug"), NOW_NS)
    writer.commit_chunk(chunk(4, seen_here(1, 7, color="green")))
    _undo(writer, edited)
    mug = _one(tmp_path, "mug_1")
    assert (mug.name, mug.attributes["color"]) == ("", "green")


def test_merge_is_not_undone_when_what_its_relations_need_was_forgotten(
    writer: Writer, tmp_path: Path
) -> None:
    edited = writer.edit(Merge("mug_1", ("cup_1",)), NOW_NS)
    writer.forget(Forget(ids=("desk_1",)))
    before = object_rows(tmp_path)
    with pytest.raises(InputError, match="nothing was changed"):
        _undo(writer, edited)
    assert object_rows(tmp_path) == before


class _Person:
    """Edits at random, while the robot goes on; what is refused has changed nothing."""

    def __init__(self, memory_dir: Path, writer: Writer, dice: random.Random) -> None:
        self.memory_dir, self.writer, self.dice = memory_dir, writer, dice
        self.done: list[tuple[Edited, Rows | None]] = []
        """Each edit that holds, and the rows before it; None: others have changed since."""
        self.chunk_id = 3

    def edit(self) -> None:
        before = object_rows(self.memory_dir)
        try:
            edited = self.writer.edit(self._any(), NOW_NS)
        except InputError:
            assert object_rows(self.memory_dir) == before
        else:
            self.done.append((edited, before))

    def undo(self, place: int = -1) -> None:
        edited, expected = self.done[place]
        before = object_rows(self.memory_dir)
        try:
            _undo(self.writer, edited)
        except InputError:
            assert object_rows(self.memory_dir) == before
            assert expected is None or edited is not self.done[-1][0]
            return
        if expected is not None and edited is self.done[-1][0]:
            assert object_rows(self.memory_dir) == expected
        else:
            self._forget_rows()
        del self.done[place]

    def undo_any(self) -> None:
        self.undo(self.dice.randrange(len(self.done)))

    def see(self) -> None:
        """A chunk that shows one or two objects, by any of their ids."""
        self.chunk_id += 1
        ids = self._ids()
        shown = self.dice.sample(ids, min(len(ids), 2))
        views = [view(2 * self.chunk_id - self.dice.randrange(2)) for _ in shown]
        objects = [descriptor(i, v) for i, v in zip(shown, views, strict=True)]
        assert self.writer.commit_chunk(chunk(self.chunk_id, *objects))
        self._forget_rows()

    def _forget_rows(self) -> None:
        self.done = [(edited, None) for edited, _ in self.done]

    def _ids(self) -> list[str]:
        reader = Reader(self.memory_dir)
        objects = reader.objects()
        reader.close()
        return [i for item in objects for i in (item.object_id, *item.aliases)]

    def _any(self) -> Edit:
        reader = Reader(self.memory_dir)
        objects = reader.objects()
        reader.close()
        one = self.dice.choice(objects)
        ids = [*(item.object_id for item in objects), *one.aliases]
        shown = [seen.keyframe_id for seen in one.views]
        some = tuple(self.dice.sample(shown, self.dice.randint(1, len(shown))))
        others = tuple(self.dice.sample(ids, self.dice.randint(1, min(2, len(ids)))))
        kind = self.dice.choice(("rename", "merge", "merge", "split", "split", "pin", "mark"))
        if kind == "merge" and one.object_id not in others:
            return Merge(one.object_id, others)
        if kind == "split":
            return Split(one.object_id, some)
        if kind == "pin":
            return Pin(one.object_id, self.dice.random() < 0.7)
        if kind == "mark":
            return Mark(
                one.object_id, self.dice.choice((ObjectStatus.PRESENT, ObjectStatus.MISSING))
            )
        return Rename(self.dice.choice(ids), f"number {self.dice.randrange(3)}")


@settings(max_examples=15, deadline=None)
@given(st.randoms(use_true_random=False), st.lists(st.sampled_from("eeeenna"), max_size=14))
def test_any_edits_and_undos_go_back_to_where_they_began(
    dice: random.Random, steps: list[str]
) -> None:
    with _person(dice) as person:
        before = object_rows(person.memory_dir)
        for step in steps:
            _take(person, step)
        while person.done:
            count = len(person.done)
            person.undo()
            assert len(person.done) == count - 1
        assert object_rows(person.memory_dir) == before


@settings(max_examples=15, deadline=None)
@given(st.randoms(use_true_random=False), st.lists(st.sampled_from("eeesna"), max_size=14))
def test_any_edits_and_undos_between_sightings_leave_a_memory_that_is_sound(
    dice: random.Random, steps: list[str]
) -> None:
    with _person(dice) as person:
        for step in steps:
            _take(person, step)
            assert faults(person.memory_dir) == []


@contextmanager
def _person(dice: random.Random) -> Iterator[_Person]:
    with tempfile.TemporaryDirectory() as name:
        writer = Writer(Path(name))
        write_mugs(writer)
        write_traces(writer)
        yield _Person(Path(name), writer, dice)
        writer.close()


def _take(person: _Person, step: str) -> None:
    """e: an edit, n: the newest is undone, a: any is, s: a chunk is stored."""
    if step == "e":
        person.edit()
    elif step == "s":
        person.see()
    elif person.done:
        person.undo() if step == "n" else person.undo_any()
