"""A provisional object that is a known one joins it, unless something tells them apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.errors import InputError
from memory_nodes.records import ChunkGraph, ClearLook, ObjectDescriptor, ObjectStatus
from memory_nodes.store.changes import ChangesConfig
from memory_nodes.store.editing.edits import Edit, Mark, Pin, Rename, Undo
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.object_rows import faults, object_rows
from memory_test_support.records import descriptor, graph, keyframe, point, view

HERE = (3.0, 0.0, 0.5)
JOINS = (("settee_1", "sofa_1"),)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    """Knows a sofa, and a settee that the model did not see."""
    opened = Writer(tmp_path)
    opened.commit_chunk(_chunk(1, _seen("sofa_1", 1)))
    opened.commit_chunk(_chunk(2, _settee(2)))
    yield opened
    opened.close()
    assert faults(tmp_path) == []


def _seen(name: str, keyframe_id: int) -> ObjectDescriptor:
    return descriptor(name, view(keyframe_id, point_map_m=HERE), position=point(*HERE))


def _settee(keyframe_id: int) -> ObjectDescriptor:
    return replace(_seen("settee_1", keyframe_id), status=ObjectStatus.PROVISIONAL)


def _chunk(number: int, *objects: ObjectDescriptor) -> ChunkGraph:
    return graph(number, [keyframe(number)], objects)


def _joining(number: int) -> ChunkGraph:
    return replace(_chunk(number, _seen("sofa_1", number)), joins=JOINS)


def _views(memory_dir: Path) -> dict[str, list[int]]:
    reader = Reader(memory_dir)
    found = reader.objects()
    reader.close()
    return {item.object_id: [seen.keyframe_id for seen in item.views] for item in found}


APART = {"sofa_1": [1, 3], "settee_1": [2]}


def test_join_is_a_logged_merge_and_the_id_stays_an_alias(writer: Writer, tmp_path: Path) -> None:
    writer.commit_chunk(_joining(3))
    assert _views(tmp_path) == {"sofa_1": [1, 2, 3]}
    reader = Reader(tmp_path)
    (sofa,) = reader.objects(["settee_1"])
    (edit,) = reader.edits("sofa_1")
    reader.close()
    assert (sofa.object_id, sofa.aliases) == ("sofa_1", ("settee_1",))
    assert (edit.kind, edit.stamp_ns) == ("merge", keyframe(3).stamp_ns)
    assert set(edit.object_ids) == {"sofa_1", "settee_1"}


def test_chunk_that_is_sent_again_changes_nothing(writer: Writer, tmp_path: Path) -> None:
    writer.commit_chunk(_joining(3))
    before = object_rows(tmp_path)
    assert not writer.commit_chunk(_joining(3))
    assert object_rows(tmp_path) == before
    writer.commit_chunk(_joining(4))
    assert _views(tmp_path) == {"sofa_1": [1, 2, 3, 4]}


def test_what_is_joined_is_not_missed(writer: Writer, tmp_path: Path) -> None:
    writer.close()
    strict = Writer(tmp_path, changes=ChangesConfig(missing_looks=1))
    strict.commit_chunk(replace(_joining(3), clear_looks=(ClearLook("settee_1", 3),)))
    strict.close()
    assert _views(tmp_path) == {"sofa_1": [1, 2, 3]}


@pytest.mark.parametrize(
    "edits",
    [
        (Rename("settee_1", "my settee"),),
        (Pin("settee_1"),),
        (Pin("settee_1"), Pin("settee_1", is_pinned=False)),
        (Mark("settee_1", ObjectStatus.PRESENT),),
    ],
    ids=["named", "pinned", "edited", "marked"],
)
def test_what_a_person_has_edited_is_never_joined(
    writer: Writer, tmp_path: Path, edits: tuple[Edit, ...]
) -> None:
    for edit in edits:
        writer.edit(edit, 3)
    writer.commit_chunk(_joining(3))
    assert _views(tmp_path) == APART


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO object_distinct VALUES (1, 2)",
        "UPDATE object SET name = 'my settee' WHERE object_key = 2",
        "UPDATE object SET is_pinned = 1 WHERE object_key = 2",
        "UPDATE object SET status = 0 WHERE object_key = 2",
        "UPDATE object SET map_key = NULL WHERE object_key = 2",
    ],
    ids=["told_apart", "named", "pinned", "confirmed", "other_map"],
)
def test_what_may_be_another_object_is_never_joined(
    writer: Writer, tmp_path: Path, statement: str
) -> None:
    with writer.database.transaction() as connection:
        connection.execute(statement)
    writer.commit_chunk(_joining(3))
    assert _views(tmp_path) == APART


def test_two_of_one_keyframe_are_never_joined(writer: Writer, tmp_path: Path) -> None:
    writer.commit_chunk(_chunk(3, _seen("sofa_1", 3), _settee(3)))
    writer.commit_chunk(_joining(4))
    assert _views(tmp_path) == {"sofa_1": [1, 3, 4], "settee_1": [2, 3]}


def test_undo_brings_both_back_and_the_next_chunk_leaves_them(
    writer: Writer, tmp_path: Path
) -> None:
    writer.commit_chunk(_joining(3))
    reader = Reader(tmp_path)
    (edit,) = reader.edits("sofa_1")
    writer.edit(Undo(edit.event_id), 4)
    assert _views(tmp_path) == APART
    assert reader.objects(["settee_1"])[0].status == ObjectStatus.PROVISIONAL
    reader.close()
    writer.commit_chunk(_joining(4))
    assert _views(tmp_path) == {"sofa_1": [1, 3, 4], "settee_1": [2]}


def test_what_was_forgotten_meanwhile_is_passed_over(writer: Writer, tmp_path: Path) -> None:
    writer.forget(Forget(ids=("settee_1",)))
    writer.commit_chunk(_joining(3))
    assert _views(tmp_path) == {"sofa_1": [1, 3]}


@pytest.mark.parametrize("pair", [("settee_1", "lamp_1"), ("sofa_1", "sofa_1")])
def test_join_of_what_the_chunk_does_not_show_is_refused(
    writer: Writer, pair: tuple[str, str]
) -> None:
    with pytest.raises(InputError, match="a join of"):
        writer.commit_chunk(replace(_joining(3), joins=(pair,)))
