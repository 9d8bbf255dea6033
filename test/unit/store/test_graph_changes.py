"""What a follower hears of the graph: what changed, with all that hangs on it, and no more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.records import ClearLook, Relation
from memory_nodes.store.editing.edits import Merge
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.graph_changes import GraphChanges
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, view

ON = Relation("mug_1", "on", "desk_1", (1,))
UNDER = Relation("desk_1", "under", "lamp_1", (1,))


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    """Knows a lamp, a desk below it and a mug on that; the mug may never have been."""
    opened = Writer(tmp_path)
    doubtful = replace(view(1), confidence=0.2)
    things = [descriptor("mug_1", doubtful), descriptor("desk_1", view(1))]
    opened.commit_chunk(
        graph(1, [keyframe(1)], [*things, descriptor("lamp_1", view(1))], [ON, UNDER])
    )
    yield opened
    opened.close()


@pytest.fixture
def reader(tmp_path: Path, writer: Writer) -> Iterator[Reader]:
    opened = Reader(tmp_path)
    yield opened
    opened.close()


def _ids(changes: GraphChanges) -> list[str]:
    return [item.object_id for item in changes.objects.values()]


def test_everything_comes_first_as_the_memory_has_it(reader: Reader) -> None:
    changes = reader.graph_changed_since(-1, -1)
    assert changes.is_whole
    found = (list(changes.objects.values()), list(changes.relations.values()))
    assert (*found, list(changes.keyframes)) == reader.graph()
    assert changes.keyframe_count == 1


def test_without_a_commit_there_is_nothing(reader: Reader) -> None:
    changes = reader.graph_changed_since(reader.counts().sequence, 1)
    assert changes.is_empty


def test_object_that_changed_comes_with_the_relations_at_both_of_its_ends(
    reader: Reader, writer: Writer
) -> None:
    before = reader.counts().sequence
    writer.commit_chunk(graph(2, [keyframe(2)], [descriptor("desk_1", view(2))]))
    changes = reader.graph_changed_since(before, 1)
    assert _ids(changes) == ["desk_1"]
    assert [seen.keyframe_id for seen in next(iter(changes.objects.values())).views] == [1, 2]
    assert list(changes.relations.values()) == [ON, UNDER]
    assert ([item.keyframe_id for item in changes.keyframes], changes.keyframe_count) == ([2], 2)


def test_object_that_expired_or_was_merged_is_told_by_its_key(
    reader: Reader, writer: Writer
) -> None:
    whole = reader.graph_changed_since(-1, -1)
    mug, _, lamp = whole.objects
    empty = graph(2, [keyframe(2)], [])
    writer.commit_chunk(replace(empty, clear_looks=(ClearLook("mug_1", 2),)))
    writer.edit(Merge("desk_1", ("lamp_1",)), 1)
    changes = reader.graph_changed_since(whole.sequence, 1)
    assert (_ids(changes), sorted(changes.gone_keys)) == (["desk_1"], [mug, lamp])


def test_number_of_keyframes_tells_that_one_was_forgotten(reader: Reader, writer: Writer) -> None:
    writer.commit_chunk(graph(2, [keyframe(2)], [descriptor("desk_1", view(2))]))
    before = reader.counts().sequence
    writer.forget(Forget(("keyframe_1",)))
    changes = reader.graph_changed_since(before, 2)
    assert (changes.is_whole, changes.keyframes, changes.keyframe_count) == (False, (), 1)
