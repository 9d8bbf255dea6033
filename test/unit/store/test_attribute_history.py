"""What an attribute was before is known with times, where it has changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memory_nodes.records import NS_PER_S, AttributeValue
from memory_nodes.store.attribute_history import MAX_VALUES
from memory_nodes.store.editing.edits import Merge, Pin
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, view


@dataclass
class _Memory:
    writer: Writer
    reader: Reader

    def see(self, second: int, object_id: str = "door_1", **attributes: str) -> None:
        """A chunk of one keyframe, taken at that second."""
        shown = replace(descriptor(object_id, view(second)), attributes=attributes)
        self.writer.commit_chunk(graph(second, [keyframe(second)], [shown]))

    def history(self) -> Mapping[str, tuple[AttributeValue, ...]]:
        (door,) = self.reader.objects(["door_1"])
        return door.attribute_history


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[_Memory]:
    opened = _Memory(Writer(tmp_path), Reader(tmp_path))
    yield opened
    opened.reader.close()
    opened.writer.close()


def test_value_that_changed_is_known_from_the_keyframe_that_showed_it_first(
    memory: _Memory,
) -> None:
    for second, color in enumerate(("blue", "blue", "white", "white", "blue"), 1):
        memory.see(second, color=color, material="wood")
    assert memory.history() == {
        "color": (
            AttributeValue("blue", 1 * NS_PER_S),
            AttributeValue("white", 3 * NS_PER_S),
            AttributeValue("blue", 5 * NS_PER_S),
        )
    }


def test_what_a_chunk_does_not_say_or_spells_otherwise_is_no_change(memory: _Memory) -> None:
    memory.see(1, color="dark blue")
    memory.see(2, state="open")
    memory.see(3, color="")
    memory.see(4, color="Dark-Blue")
    assert memory.history() == {}


def test_objects_without_a_change_have_no_history(memory: _Memory) -> None:
    memory.see(1, color="blue")
    memory.see(2, color="white")
    memory.see(3, "mug_1", color="red")
    (mug,) = memory.reader.objects(["mug_1"])
    assert mug.attribute_history == {}
    assert len(memory.history()["color"]) == 2


def test_what_is_said_after_a_pin_changes_nothing(memory: _Memory) -> None:
    memory.see(1, color="blue")
    memory.writer.edit(Pin("door_1"), 2 * NS_PER_S)
    memory.see(2, color="white")
    assert memory.history() == {}


def test_merged_object_brings_its_values(memory: _Memory) -> None:
    memory.see(1, color="blue")
    memory.see(2, "door_2", color="white")
    memory.writer.edit(Merge("door_1", ("door_2",)), 3 * NS_PER_S)
    assert memory.history() == {
        "color": (AttributeValue("blue", 1 * NS_PER_S), AttributeValue("white", 2 * NS_PER_S))
    }


def test_only_the_newest_values_come(memory: _Memory) -> None:
    for second in range(1, MAX_VALUES + 4):
        memory.see(second, color=f"shade {second}")
    values = memory.history()["color"]
    assert [item.value for item in values] == [f"shade {n}" for n in range(4, MAX_VALUES + 4)]
