"""What was said of an object and where it was comes back with its times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.geometry import Pose, Vector3
from memory_nodes.records import NS_PER_S, ObjectHistory
from memory_nodes.store.editing.edits import Merge
from memory_nodes.store.object_history import MAX_STATES
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, view

HERE: Vector3 = (3.0, 0.0, 0.5)
THERE: Vector3 = (3.0, 2.0, 0.5)


class Memory:
    """To which chunks of one keyframe are told; each shows one object."""

    def __init__(self, memory_dir: Path) -> None:
        self.writer, self.reader = Writer(memory_dir), Reader(memory_dir)

    def see(self, number: int, place: Vector3, color: str, name: str = "mug_1") -> None:
        taken = keyframe(number, base=Pose.planar(0.1 * number, 0.0, 0.0))
        seen = descriptor(name, view(number, point_map_m=place), color=color)
        self.writer.commit_chunk(graph(number, [taken], [seen]))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    opened = Memory(tmp_path)
    yield opened
    opened.reader.close()
    opened.writer.close()


def test_state_holds_from_the_keyframe_that_showed_it_first(memory: Memory) -> None:
    for number, color in enumerate(("red", "red", "dark red", "red"), 1):
        memory.see(number, HERE, color)
    states = memory.reader.history_of("mug_1").states
    assert [(state.since_ns, state.attributes) for state in states] == [
        (1 * NS_PER_S, {"color": "red"}),
        (3 * NS_PER_S, {"color": "dark red"}),
        (4 * NS_PER_S, {"color": "red"}),
    ]
    assert (states[0].type, states[0].description, states[0].affordances) == ("mug", "", ())


def test_places_are_those_before_each_move_and_the_present_one(memory: Memory) -> None:
    for number, place in enumerate((HERE, HERE, THERE, THERE, HERE, HERE, HERE), 1):
        memory.see(number, place, "red")
    places = memory.reader.history_of("mug_1").places
    assert [(place.start_ns // NS_PER_S, place.end_ns // NS_PER_S) for place in places] == [
        *((1, 2), (3, 4), (5, 7))
    ]
    for known, expected in zip(places, (HERE, THERE, HERE), strict=True):
        assert known.position.point_m == pytest.approx(expected, abs=0.2)
        assert (known.map_id, known.map_frame) == ("map", "map")
    assert places[-1].position == memory.reader.objects(["mug_1"])[0].position


def test_history_of_merged_objects_is_one_under_either_id(memory: Memory) -> None:
    memory.see(1, HERE, "red")
    memory.see(2, HERE, "blue", name="mug_2")
    memory.writer.edit(Merge("mug_1", ("mug_2",)), 3 * NS_PER_S)
    found = memory.reader.history_of("mug_2")
    assert [state.attributes["color"] for state in found.states] == ["red", "blue"]
    assert found == memory.reader.history_of("mug_1")


def test_object_without_a_place_has_none_and_an_unknown_one_no_history(memory: Memory) -> None:
    seen = replace(descriptor("cat_1", view(1)), position=None)
    memory.writer.commit_chunk(graph(1, [replace(keyframe(1), intrinsics=None)], [seen]))
    assert memory.reader.history_of("cat_1").places == ()
    assert memory.reader.history_of("dog_1") == ObjectHistory()


def test_only_the_newest_states_come(memory: Memory) -> None:
    for number in range(1, MAX_STATES + 4):
        memory.see(number, (30.0, 0.0, 0.5), f"shade {number}")
    states = memory.reader.history_of("mug_1").states
    assert len(states) == MAX_STATES
    assert states[0].attributes == {"color": "shade 4"}
