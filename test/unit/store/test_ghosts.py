"""What was seen once without confidence, and never again, goes when it is old.

The limit is 100 s of sessions in these tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.records import NS_PER_S, ChangeKind, ObjectStatus
from memory_nodes.store.changes import ChangesConfig
from memory_nodes.store.editing.edits import Mark, Pin, Rename
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, view

LIMIT = ChangesConfig(expiring_after_s=100.0)
EXPIRED, PRESENT = ObjectStatus.EXPIRED, ObjectStatus.PRESENT


class Memory:
    """A memory in which a doubtful cat_1 was seen at 0 s, and nothing but a desk since."""

    def __init__(self, memory_dir: Path) -> None:
        self.writer = Writer(memory_dir, changes=LIMIT)
        self.reader = Reader(memory_dir)
        self.see("cat_1", 0.0, confidence=0.3)

    def close(self) -> None:
        self.reader.close()
        self.writer.close()

    def see(
        self, name: str, at_s: float, *, confidence: float = 1.0, session_id: str = "session_1"
    ) -> None:
        """A chunk that shows one object, or none where it has no name."""
        number = self.writer.counts().last_chunk_id + 1
        taken = replace(keyframe(number, stamp_s=at_s), session_id=session_id)
        seen = descriptor(name or "none_1", replace(view(number), confidence=confidence))
        seen = replace(seen, first_seen_ns=taken.stamp_ns, last_seen_ns=taken.stamp_ns)
        self.writer.commit_chunk(graph(number, [taken], [seen] if name else []))

    @property
    def cat(self) -> ObjectStatus:
        return self.reader.objects(["cat_1"])[0].status


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    opened = Memory(tmp_path)
    yield opened
    opened.close()


def test_ghost_goes_when_it_is_older_than_the_limit(memory: Memory) -> None:
    memory.see("desk_1", 100.0)
    assert memory.cat == PRESENT
    memory.see("desk_1", 100.1)
    assert memory.cat == EXPIRED
    memory.see("desk_1", 300.0)
    (change,) = memory.reader.changes(0, 2**62)
    assert (change.kind, change.descriptor.object_id) == (ChangeKind.EXPIRED, "cat_1")
    assert change.stamp_ns == round(100.1 * NS_PER_S)


def test_time_between_sessions_does_not_count(memory: Memory) -> None:
    """60 s on the first day, 39 and then 41 on the second."""
    memory.see("desk_1", 60.0)
    memory.see("desk_1", 90_000.0, session_id="session_2")
    memory.see("desk_1", 90_039.0, session_id="session_2")
    assert memory.cat == PRESENT
    memory.see("desk_1", 90_041.0, session_id="session_2")
    assert memory.cat == EXPIRED


def test_chunk_that_shows_nothing_lets_no_ghost_go(memory: Memory) -> None:
    memory.see("", 200.0)
    assert memory.cat == PRESENT
    memory.see("desk_1", 201.0)
    assert memory.cat == EXPIRED


def test_object_that_was_seen_twice_or_with_confidence_is_no_ghost(memory: Memory) -> None:
    memory.see("cat_1", 1.0, confidence=0.3)
    memory.see("lamp_1", 2.0, confidence=0.5)
    memory.see("desk_1", 500.0)
    assert memory.cat == PRESENT
    assert memory.reader.objects(["lamp_1"])[0].status == PRESENT


@pytest.mark.parametrize(
    "edit",
    [
        lambda: Pin("cat_1"),
        lambda: Mark("cat_1", ObjectStatus.PRESENT),
        lambda: Rename("cat_1", "Mimi"),
    ],
    ids=["pin", "mark", "rename"],
)
def test_object_that_a_person_edited_is_no_ghost(
    memory: Memory, edit: Callable[[], Pin | Mark | Rename]
) -> None:
    memory.writer.edit(edit(), 1)
    memory.see("desk_1", 500.0)
    assert memory.cat == PRESENT
