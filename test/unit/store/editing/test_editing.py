"""What a person says of objects holds, for readers that are open and for chunks that come."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_nodes.errors import InputError
from memory_nodes.records import (
    NS_PER_S,
    EntitySighting,
    ItemKind,
    ObjectDescriptor,
    ObjectStatus,
    Relation,
)
from memory_nodes.store.consolidation import Piece
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.editing.edits import Edit, Mark, Merge, Pin, Rename, Split, Undo
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_nodes.vectors import unpacked
from memory_test_support.mugs import HERE, THERE, chunk, seen_here, vector, write_mugs, write_traces
from memory_test_support.object_rows import faults, object_rows
from memory_test_support.records import box, descriptor, gist, graph, keyframe, observation, view

NOW_NS = 100 * NS_PER_S


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    write_mugs(opened)
    yield opened
    opened.close()
    assert faults(tmp_path) == []


@pytest.fixture
def reader(writer: Writer, tmp_path: Path) -> Iterator[Reader]:
    opened = Reader(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def search(writer: Writer, tmp_path: Path) -> Iterator[Search]:
    """Opened before anything is edited."""
    opened = Search(tmp_path)
    opened.refresh()
    yield opened
    opened.close()


def _one(reader: Reader, object_id: str) -> ObjectDescriptor:
    (found,) = reader.objects([object_id])
    return found


def _found(search: Search, words: str) -> list[str]:
    return [hit.item_id for hit in search.words(words).hits if hit.kind == ItemKind.OBJECT]


def _insert(memory_dir: Path, statement: str) -> None:
    with sqlite3.connect(memory_dir / DATABASE_NAME) as connection:
        connection.execute(statement)


def test_renamed_object_is_found_by_its_name_and_shows_it_first(
    writer: Writer, reader: Reader, search: Search
) -> None:
    assert _found(search, "grandmother") == []
    edited = writer.edit(Rename("mug_1", "  grandmother's mug "), NOW_NS)
    assert edited.object_ids == ("mug_1",)
    (hit,) = search.words("grandmother").hits
    assert (hit.item_id, hit.text) == ("mug_1", "grandmother's mug, mug: red")
    mug = _one(reader, "mug_1")
    assert (mug.name, mug.type, mug.wordings[0]) == ("grandmother's mug", "mug", mug.name)


def test_name_is_kept_whatever_later_chunks_call_the_object(
    writer: Writer, reader: Reader, search: Search
) -> None:
    writer.edit(Rename("mug_1", "my mug"), NOW_NS)
    writer.commit_chunk(chunk(4, seen_here(1, 7, color="green")))
    mug = _one(reader, "mug_1")
    assert (mug.name, mug.attributes["color"], mug.view_count) == ("my mug", "green", 4)
    assert search.words("green").hits[0].text == "my mug, mug: green"


def test_name_waits_for_a_vector_like_any_text(writer: Writer) -> None:
    with writer.database.transaction() as connection:
        connection.execute("INSERT INTO embedding_model VALUES (1, 'any', 8, 1)")
    writer.edit(Rename("mug_1", "my mug"), NOW_NS)
    assert "my mug, mug: red" in writer.texts_without_vector(10).values()


def test_merged_object_has_the_views_of_both_one_in_each_keyframe(
    writer: Writer, reader: Reader
) -> None:
    edited = writer.edit(Merge("mug_1", ("cup_1",)), NOW_NS)
    assert edited.object_ids == ("mug_1",)
    mug = _one(reader, "mug_1")
    assert [seen.keyframe_id for seen in mug.views] == [1, 2, 3, 5]
    assert mug.views[1] == view(2, box(100.0, 100.0, 300.0))  # the larger of the two
    assert (mug.view_count, mug.first_seen_ns, mug.last_seen_ns) == (4, NS_PER_S, 5 * NS_PER_S)
    assert [item.object_id for item in reader.objects()] == ["mug_1", "desk_1", "mug_2"]


def test_vectors_go_with_their_views(writer: Writer, reader: Reader) -> None:
    """In keyframe 2 the view with a vector was the smaller one: that vector is gone."""
    writer.edit(Merge("mug_1", ("cup_1",)), NOW_NS)
    vectors = reader.embeddings("clip")
    rows = zip(vectors.object_ids, vectors.keyframe_ids, vectors.matrix, strict=True)
    of_mug = {keyframe_id: row for object_id, keyframe_id, row in rows if object_id == "mug_1"}
    assert sorted(of_mug) == [1, 3, 5]
    assert of_mug[3] == pytest.approx(unpacked([vector(30)], 8)[0])


def test_merged_object_is_what_both_were_called_in_a_chunk(writer: Writer, reader: Reader) -> None:
    writer.edit(Merge("mug_1", ("cup_1",)), NOW_NS)
    mug = _one(reader, "mug_1")
    assert (mug.type, mug.attributes["color"]) == ("mug", "red")
    assert {"mug", "cup", "on the desk", "small", "warm hands", "dark red"} <= set(mug.wordings)


def test_relations_are_those_of_both_and_none_is_to_itself(writer: Writer, reader: Reader) -> None:
    writer.edit(Merge("mug_1", ("cup_1",)), NOW_NS)
    assert reader.relations() == [
        Relation("mug_1", "on", "desk_1", (1, 2, 3)),
        Relation("desk_1", "under", "mug_2", (6,)),
    ]


def test_id_of_a_merged_object_still_means_it(
    writer: Writer, reader: Reader, search: Search
) -> None:
    writer.edit(Merge("mug_1", ("cup_1",)), NOW_NS)
    writer.edit(Merge("mug_2", ("mug_1",)), NOW_NS)
    for old_id in ("cup_1", "mug_1"):
        assert _one(reader, old_id).object_id == "mug_2"
    assert _one(reader, "mug_2").aliases == ("cup_1", "mug_1")
    assert len(reader.objects(["cup_1", "mug_1", "mug_2"])) == 1
    assert _found(search, "mug") == ["mug_2"]
    assert {hit.item_id for hit in search.near(HERE, 5.0).hits} <= {"mug_2", "desk_1"}
    writer.edit(Rename("cup_1", "my mug"), NOW_NS)
    assert _one(reader, "mug_2").name == "my mug"


def test_forgetting_the_old_id_forgets_the_merged_object(writer: Writer, reader: Reader) -> None:
    writer.edit(Merge("mug_1", ("cup_1",)), NOW_NS)
    assert writer.forget(Forget(ids=("cup_1",))).objects == 1
    assert [item.object_id for item in reader.objects()] == ["desk_1", "mug_2"]
    assert reader.objects(["cup_1", "mug_1"]) == []


def test_edits_of_what_is_forgotten_are_forgotten(writer: Writer, tmp_path: Path) -> None:
    edited = writer.edit(Merge("mug_1", ("cup_1",)), NOW_NS)
    writer.forget(Forget(ids=("keyframe_3",)))
    with pytest.raises(InputError, match=f"no edit '{edited.event_id}'"):
        writer.edit(Undo(edited.event_id), NOW_NS)


def test_chunk_that_was_resolved_before_a_merge_adds_to_one_object(
    writer: Writer, reader: Reader
) -> None:
    """It still calls one object by two ids, one of them with two views in a keyframe."""
    writer.edit(Merge("mug_1", ("cup_1",)), NOW_NS)
    late = chunk(
        4,
        seen_here(1, 7),
        descriptor("cup_1", view(7), view(8), description="full"),
        relations=(Relation("mug_1", "next to", "cup_1", (7,)),),
    )
    assert writer.commit_chunk(late)
    mug = _one(reader, "mug_1")
    assert [seen.keyframe_id for seen in mug.views] == [1, 2, 3, 5, 7, 8]
    assert mug.views[4] == view(7)  # 200 px wide, the other is 50 px wide
    assert (mug.type, mug.description, mug.attributes) == ("mug", "full", {"color": "red"})
    assert all(relation.predicate != "next to" for relation in reader.relations())


def test_split_makes_an_object_of_the_views_in_some_keyframes(
    writer: Writer, reader: Reader, search: Search
) -> None:
    edited = writer.edit(Split("mug_2", (6,)), NOW_NS)
    assert edited.object_ids == ("mug_2", "mug_3")
    old, new = _one(reader, "mug_2"), _one(reader, "mug_3")
    assert ([v.keyframe_id for v in old.views], old.attributes) == ([4], {"color": "red"})
    assert ([v.keyframe_id for v in new.views], new.attributes) == ([6], {"color": "blue"})
    assert old.position is not None
    assert old.position.point_m == pytest.approx(HERE, abs=0.1)
    assert new.position is not None
    assert new.position.point_m == pytest.approx(THERE, abs=0.1)
    assert Relation("desk_1", "under", "mug_3", (6,)) in reader.relations()
    assert reader.told_apart() == {frozenset(("mug_2", "mug_3"))}
    assert _found(search, "blue") == ["mug_3"]


def test_split_within_a_chunk_leaves_to_both_what_it_said(writer: Writer, reader: Reader) -> None:
    writer.edit(Split("mug_1", (2,)), NOW_NS)
    for object_id, keyframe_ids in (("mug_1", [1, 5]), ("mug_3", [2])):
        found = _one(reader, object_id)
        assert [seen.keyframe_id for seen in found.views] == keyframe_ids
        assert (found.type, found.attributes) == ("mug", {"color": "red"})


def test_id_that_was_given_once_is_never_given_again(writer: Writer, reader: Reader) -> None:
    first = writer.edit(Split("mug_2", (6,)), NOW_NS)
    writer.edit(Undo(first.event_id), NOW_NS)
    assert writer.edit(Split("mug_2", (6,)), NOW_NS).object_ids == ("mug_2", "mug_4")
    writer.edit(Merge("mug_1", ("mug_4",)), NOW_NS)
    assert writer.edit(Split("mug_1", (6,)), NOW_NS).object_ids == ("mug_1", "mug_5")


def test_pinned_object_keeps_description_type_and_place(
    writer: Writer, reader: Reader, search: Search
) -> None:
    before = _one(reader, "mug_1")
    writer.edit(Pin("mug_1"), NOW_NS)
    elsewhere = descriptor("mug_1", view(7, point_map_m=THERE), description="a bowl", color="grey")
    writer.commit_chunk(chunk(4, elsewhere))
    pinned = _one(reader, "mug_1")
    assert pinned.is_pinned
    assert (pinned.description, pinned.attributes) == (before.description, before.attributes)
    assert pinned.position == before.position
    assert (pinned.view_count, pinned.last_seen_ns) == (4, 7 * NS_PER_S)
    assert "a bowl" in pinned.wordings
    assert _found(search, "bowl") == []
    writer.edit(Pin("mug_1", is_pinned=False), NOW_NS)
    freed = _one(reader, "mug_1")
    assert (freed.is_pinned, freed.description) == (False, "a bowl")
    assert freed.position != before.position
    assert _found(search, "bowl") == ["mug_1"]


def test_place_of_a_pinned_object_is_of_its_map_only(writer: Writer, reader: Reader) -> None:
    """The same numbers mean another place on another map."""
    writer.edit(Pin("mug_1"), NOW_NS)
    elsewhere = descriptor("mug_1", view(7, point_map_m=THERE))
    writer.commit_chunk(graph(4, [keyframe(7, map_id="upstairs")], [elsewhere]))
    position = _one(reader, "mug_1").position
    assert position is not None
    assert position.point_m == pytest.approx(THERE, abs=0.1)


def test_object_that_is_marked_missing_is_present_when_it_is_seen(
    writer: Writer, reader: Reader
) -> None:
    writer.edit(Mark("mug_1", ObjectStatus.MISSING), NOW_NS)
    assert _one(reader, "mug_1").status == ObjectStatus.MISSING
    writer.commit_chunk(chunk(4, seen_here(1, 7)))
    assert _one(reader, "mug_1").status == ObjectStatus.PRESENT


def test_mark_present_forgets_the_looks_that_found_nothing(writer: Writer, tmp_path: Path) -> None:
    _insert(tmp_path, "UPDATE object SET status = 2 WHERE object_id = 'mug_1'")
    _insert(tmp_path, "INSERT INTO clear_look VALUES (1, 1), (1, 2)")
    writer.edit(Mark("mug_1", ObjectStatus.PRESENT), NOW_NS)
    rows = sqlite3.connect(tmp_path / DATABASE_NAME).execute(
        "SELECT status, (SELECT count(*) FROM clear_look) FROM object WHERE object_id = 'mug_1'"
    )
    assert rows.fetchall() == [(ObjectStatus.PRESENT, 0)]


def test_what_happened_to_merged_objects_happened_to_the_one(
    writer: Writer, tmp_path: Path
) -> None:
    write_traces(writer)
    writer.edit(Merge("mug_1", ("cup_1",)), NOW_NS)
    rows = object_rows(tmp_path)
    moved_by_itself = 4
    assert sorted(owner for _, owner, _ in rows["event"]) == [1, 1, moved_by_itself]
    assert sorted(row[1] for row in rows["object_place"]) == [1, 1, moved_by_itself]


def test_entity_of_a_merged_object_is_of_the_one_and_keeps_its_edges(
    writer: Writer, tmp_path: Path
) -> None:
    """Keys: mug_1 is 1, cup_1 is 2; the entities beside them have the same numbers."""
    spoken = writer.add(observation("a cup and a spoon"))
    seen = [
        EntitySighting("cup", HERE, 1.0, 0, (spoken,), object_id="cup_1"),
        EntitySighting("spoon", HERE, 1.0, 0, (spoken,)),
    ]
    writer.add_piece(Piece(gist("cutlery", observation_ids=(spoken,)), (tuple(seen),)))
    before = object_rows(tmp_path)["link"]
    writer.edit(Merge("mug_1", ("cup_1",)), NOW_NS)
    past = Past(tmp_path)
    assert [item.object_id for item in past.entities()] == ["mug_1", ""]
    past.close()
    assert object_rows(tmp_path)["link"] == before


def test_whoever_was_told_apart_from_a_merged_object_is_from_the_one(
    writer: Writer, reader: Reader
) -> None:
    writer.edit(Split("mug_2", (6,)), NOW_NS)
    writer.edit(Merge("mug_1", ("mug_3",)), NOW_NS)
    assert reader.told_apart() == {frozenset(("mug_1", "mug_2"))}
    writer.edit(Merge("mug_1", ("mug_2",)), NOW_NS)
    assert reader.told_apart() == set()


@pytest.mark.parametrize(("keyframe_ids", "expected"), [((5,), (0, 5)), ((1,), (5, 0))])
def test_of_two_that_were_one_that_has_moved_which_is_seen_since(
    writer: Writer, tmp_path: Path, keyframe_ids: tuple[int, ...], expected: tuple[int, int]
) -> None:
    """mug_1 moved at keyframe 5, and is in 1, 2 and 5."""
    write_traces(writer)
    writer.edit(Split("mug_1", keyframe_ids), NOW_NS)
    rows = sqlite3.connect(tmp_path / DATABASE_NAME).execute(
        "SELECT placed_since FROM object WHERE object_id IN ('mug_1', 'mug_3') ORDER BY object_key"
    )
    assert tuple(row[0] for row in rows) == expected


def test_log_of_an_object_tells_all_that_was_done_to_it(writer: Writer, reader: Reader) -> None:
    writer.edit(Rename("cup_1", "my cup"), 1)
    merged = writer.edit(Merge("mug_1", ("cup_1",)), 2)
    writer.edit(Rename("desk_1", "my desk"), 3)
    writer.edit(Pin("mug_1", is_pinned=False), 4)
    log = reader.edits("cup_1")
    assert [(entry.kind, entry.stamp_ns) for entry in log] == [
        ("rename", 1),
        ("merge", 2),
        ("unpin", 4),
    ]
    assert log[0].said == {"object_id": "cup_1", "name": "my cup"}
    assert (log[1].event_id, log[1].object_ids) == (merged.event_id, ("mug_1", "cup_1"))
    assert log == reader.edits("mug_1")
    assert reader.edits("nobody") == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rename("mug_9", "my mug"), "no object 'mug_9'"),
        (lambda: Rename("mug_1", " "), "1 to 100 characters"),
        (lambda: Rename("mug_1", "x" * 500), "has 500"),
        (lambda: Rename("mug_1", "my\nmug"), r"'\\n'"),
        (lambda: Rename("mug_1", "my \x1b[31mmug"), "printable"),
        (lambda: Rename("mug_1", "my \ud800 mug"), "printable"),
        (lambda: Merge("mug_1", ()), "nothing is given"),
        (lambda: Merge("mug_1", ("mug_1",)), "given twice"),
        (lambda: Merge("mug_1", ("cup_1", "cup_1")), "given twice"),
        (lambda: Merge("mug_1", ("cup_1", "mug_9")), "no object 'mug_9'"),
        (lambda: Split("mug_2", ()), "no keyframe"),
        (lambda: Split("mug_2", (6, 6)), "given twice"),
        (lambda: Split("mug_2", (5, 6)), "keyframe 5 does not show it: give some of 4, 6"),
        (lambda: Split("mug_2", (4, 6)), "leave it one"),
        (lambda: Split("desk_9", (4,)), "no object 'desk_9'"),
        (lambda: Pin("mug_9"), "no object 'mug_9'"),
        (lambda: Mark("mug_1", ObjectStatus.MOVED), "PRESENT or MISSING"),
        (lambda: Mark("x" * 500, ObjectStatus.MISSING), "no object"),
        (lambda: Undo("event_1"), "no edit 'event_1'"),
        (lambda: Undo("1; DROP TABLE object"), "no edit"),
        (lambda: Undo("event_" + "9" * 40), "no edit"),
    ],
)
def test_edit_that_cannot_be_is_refused_and_changes_nothing(
    writer: Writer, tmp_path: Path, make: object, message: str
) -> None:
    before = object_rows(tmp_path), writer.counts()
    assert callable(make)
    with pytest.raises(InputError, match=message):
        writer.edit(_as_edit(make()), NOW_NS)
    assert (object_rows(tmp_path), writer.counts()) == before


def _as_edit(made: object) -> Edit:
    assert isinstance(made, Rename | Merge | Split | Pin | Mark | Undo)
    return made


def test_merging_with_an_object_by_its_old_id_is_refused(writer: Writer, tmp_path: Path) -> None:
    writer.edit(Merge("mug_1", ("cup_1",)), NOW_NS)
    before = object_rows(tmp_path)
    with pytest.raises(InputError, match="one object already"):
        writer.edit(Merge("mug_1", ("cup_1",)), NOW_NS)
    assert object_rows(tmp_path) == before
