"""What a follower hears of objects, and the numbers that are never given twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.records import ClearLook, ObjectStatus, Relation
from memory_nodes.store.editing.edits import Pin
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.object_changes import ObjectChanges
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, view


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def reader(tmp_path: Path, writer: Writer) -> Iterator[Reader]:
    """Of a memory with a mug in two chunks and a desk in the first."""
    mug = descriptor("mug_1", view(1), description="on the desk", color="red")
    desk = descriptor("desk_1", view(1), affordances=("work at",))
    on = Relation("mug_1", "on", "desk_1", (1,))
    writer.commit_chunk(graph(1, [keyframe(1)], [mug, desk], [on]))
    cup = replace(descriptor("mug_1", view(2), color="dark red"), type="cup")
    writer.commit_chunk(graph(2, [keyframe(2, map_id="attic")], [cup]))
    opened = Reader(tmp_path)
    yield opened
    opened.close()


def test_known_object_has_all_its_words_and_the_newest_attributes(reader: Reader) -> None:
    changes = reader.objects_changed_since(-1)
    mug, desk = changes.changed
    assert (mug.object_id, mug.types) == ("mug_1", ("mug", "cup"))
    assert set(mug.texts) == {"on the desk", "red", "dark red"}
    assert (mug.attributes, mug.map_id) == ({"color": "dark red"}, "attic")
    assert (desk.texts, desk.map_id, desk.status) == (("work at",), "map", ObjectStatus.PRESENT)
    assert changes.is_whole


def test_only_what_changed_comes_again(reader: Reader, writer: Writer) -> None:
    before = reader.objects_changed_since(-1).sequence
    assert reader.objects_changed_since(before) == ObjectChanges(before, False, ())
    writer.commit_chunk(graph(3, [keyframe(3)], [descriptor("desk_1", view(3))]))
    changes = reader.objects_changed_since(before)
    assert [item.object_id for item in changes.changed] == ["desk_1"]
    assert (changes.sequence, changes.is_whole) == (before + 1, False)


def test_what_is_gone_is_told_by_its_key(reader: Reader, writer: Writer) -> None:
    whole = reader.objects_changed_since(-1)
    (key,) = (item.object_key for item in whole.changed if item.object_id == "mug_1")
    writer.forget(Forget(("mug_1",)))
    assert reader.objects_changed_since(whole.sequence).gone_keys == (key,)


def test_reader_that_is_behind_the_tombstones_gets_everything(
    reader: Reader, writer: Writer
) -> None:
    before = reader.objects_changed_since(-1).sequence
    with writer.database.transaction() as connection:
        connection.execute("UPDATE tombstone_floor SET sequence = ?", (before + 1,))
    changes = reader.objects_changed_since(before)
    assert (changes.is_whole, len(changes.changed)) == (True, 2)


def test_reader_of_a_memory_that_was_put_back_gets_everything(reader: Reader) -> None:
    assert reader.objects_changed_since(1_000_000).is_whole


def test_newest_of_an_object_is_its_last_view_and_state(reader: Reader) -> None:
    desk, mug = sorted(reader.newest_of_objects(["mug_1", "desk_1"]), key=lambda o: o.object_id)
    assert (mug.type, mug.views, mug.view_count) == ("cup", (view(2),), 2)
    assert (mug.first_seen_ns, mug.last_seen_ns) == (10**9, 2 * 10**9)
    assert desk == reader.objects(["desk_1"])[0]
    (twice,) = reader.newest_of_objects(["mug_1"], 5)
    assert twice.views == reader.objects(["mug_1"])[0].views
    assert reader.newest_of_objects([]) == []


def test_newest_of_an_object_whose_pinned_words_are_forgotten_has_the_newest_ones(
    reader: Reader, writer: Writer
) -> None:
    writer.edit(Pin("mug_1"), 0)
    writer.commit_chunk(graph(3, [keyframe(3)], [descriptor("mug_1", view(3), color="blue")]))
    (mug,) = reader.newest_of_objects(["mug_1"])
    assert mug.attributes == {"color": "dark red"}
    writer.forget(Forget(("keyframe_2",)))
    (mug,) = reader.newest_of_objects(["mug_1"])
    assert mug.attributes == reader.objects(["mug_1"])[0].attributes == {"color": "blue"}


def test_relations_of_some_subjects(reader: Reader) -> None:
    assert reader.relations(["mug_1"]) == reader.relations()
    assert reader.relations(["desk_1"]) == reader.relations([]) == []


def test_relation_that_was_seen_last_comes_first_with_its_newest_keyframe(
    reader: Reader, writer: Writer
) -> None:
    seen = [descriptor(name, view(3), view(4)) for name in ("mug_1", "desk_1")]
    under = Relation("mug_1", "under", "desk_1", (3, 4))
    writer.commit_chunk(graph(3, [keyframe(3), keyframe(4)], seen, [under]))
    assert reader.newest_of_relations(["mug_1", "desk_1"]) == [
        replace(under, keyframe_ids=(4,)),
        Relation("mug_1", "on", "desk_1", (1,)),
    ]
    assert reader.newest_of_relations(["desk_1"]) == []


def test_clear_look_that_is_forgotten_is_told(reader: Reader, writer: Writer) -> None:
    looked = graph(3, [keyframe(3)])
    writer.commit_chunk(replace(looked, clear_looks=(ClearLook("mug_1", 3),)))
    before = reader.objects_changed_since(-1)
    assert {item.object_id: item.clear_looks for item in before.changed} == {
        "mug_1": 1,
        "desk_1": 0,
    }
    writer.forget(Forget(("keyframe_3",)))
    (mug,) = reader.objects_changed_since(before.sequence).changed
    assert (mug.object_id, mug.clear_looks) == ("mug_1", 0)


def test_pairs_that_a_person_told_apart(reader: Reader, writer: Writer) -> None:
    assert reader.told_apart() == set()
    with writer.database.transaction() as connection:
        connection.execute("INSERT INTO object_distinct VALUES (1, 2)")
    assert reader.told_apart() == {frozenset(("mug_1", "desk_1"))}


def test_highest_number_outlives_its_object(reader: Reader, writer: Writer) -> None:
    many = [descriptor(name, view(3)) for name in ("mug_12", "mug_9", "tea_mug_3", "mug_2_1")]
    writer.commit_chunk(graph(3, [keyframe(3)], many))
    expected = {"mug_": 12, "tea_mug_": 3, "mug_2_": 1, "desk_": 1, "lamp_": 0}
    assert reader.highest_numbers(expected) == expected
    writer.forget(Forget(("mug_12", "tea_mug_3")))
    assert reader.highest_numbers(expected) == expected


def test_ids_that_are_none_of_ours_have_no_number(reader: Reader, writer: Writer) -> None:
    odd = [descriptor(name, view(3)) for name in ("mug_" + "9" * 16, "mug_x", "7up_can")]
    writer.commit_chunk(graph(3, [keyframe(3)], odd))
    expected = {"mug_": 1, "7up_can": 0, "mug_x": 0}
    assert reader.highest_numbers(expected) == expected


def test_memory_of_before_knows_its_highest_numbers(tmp_path: Path) -> None:
    data = Path(__file__).resolve().parents[2] / "data"
    connection = sqlite3.connect(tmp_path / "memory.sqlite", isolation_level=None)
    connection.executescript((data / "memory_schema_3.sql").read_text(encoding="utf-8"))
    names = [row[0] for row in connection.execute("SELECT object_id FROM object")]
    connection.close()
    Writer(tmp_path).close()
    highest = max(int(name.rpartition("_")[2]) for name in names if name.startswith("mug_"))
    assert Reader(tmp_path).highest_numbers(["mug_"]) == {"mug_": highest}
