"""What is known around a place, layer by layer, and nothing of what is elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memory_nodes.answering.surroundings import (
    DEFAULT_RADIUS_M,
    MAX_LINES,
    MAX_OBJECTS,
    Around,
    Surroundings,
    surroundings,
)
from memory_nodes.errors import InputError, StoreMissing
from memory_nodes.geometry import Pose, Vector3
from memory_nodes.records import NS_PER_S, Relation
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, gist, graph, keyframe, observation, view

NOW_NS = 130 * NS_PER_S
DESK_M = (2.0, 0.0, 1.0)


@dataclass
class _Memory:
    writer: Writer
    snapshots: SnapshotCache
    past: Past
    search: Search

    def around(
        self, center_map_m: Vector3 | None = None, radius_m: float = 0.0, map_id: str = "map"
    ) -> Surroundings:
        where = Around(map_id, center_map_m, radius_m)
        return surroundings(self.snapshots, self.past, self.search, where, NOW_NS)

    def layers(self, found: Surroundings) -> dict[str, str]:
        return {item.layer: item.text for item in found.layers}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[_Memory]:
    reader, past, search = Reader(tmp_path), Past(tmp_path), Search(tmp_path)
    writer = Writer(tmp_path)
    yield _Memory(writer, SnapshotCache(reader), past, search)
    for item in (search, past, reader, writer):
        item.close()


@pytest.fixture
def office(memory: _Memory) -> _Memory:
    """The robot stood at x = 0, then at x = 1 m; a desk at 2 m with a mug on it, a lamp at 10 m,
    a poster that only a picture of an unknown lens shows.
    """
    keyframes = [
        keyframe(1, base=Pose.planar(0.0, 0.0, 0.0)),
        keyframe(2, base=Pose.planar(1.0, 0.0, 0.0), intrinsics=None),
    ]
    objects = [
        descriptor("lamp_1", view(1, point_map_m=(10.0, 0.0, 1.0))),
        descriptor("desk_1", view(1, point_map_m=DESK_M)),
        descriptor("mug_1", view(1, point_map_m=(2.0, 0.2, 1.2)), color="red"),
        descriptor("poster_1", view(2)),
    ]
    relations = [
        Relation("mug_1", "on", "desk_1", (1,)),
        Relation("lamp_1", "behind", "desk_1", (1,)),
    ]
    memory.writer.commit_chunk(graph(1, keyframes, objects, relations))
    return memory


def test_objects_around_a_place_come_nearest_first_with_their_relations(office: _Memory) -> None:
    found = office.around(DESK_M, 1.0)
    assert [item.object_id for item in found.objects] == ["desk_1", "mug_1"]
    lines = office.layers(found)["objects"].splitlines()
    assert [line.partition(":")[0].partition(";")[0] for line in lines] == [
        *("desk_1", "mug_1", "mug_1 on desk_1")
    ]


def test_object_whose_place_is_unknown_is_near_nothing(office: _Memory) -> None:
    found = office.around((0.0, 0.0, 0.0), 1000.0)
    assert [item.object_id for item in found.objects] == ["desk_1", "mug_1", "lamp_1"]


def test_here_is_where_the_robot_was_last_on_this_map(office: _Memory) -> None:
    upstairs = keyframe(3, base=Pose.planar(9.0, 9.0, 0.0), map_id="upstairs")
    lost = replace(keyframe(4, base=Pose.planar(5.0, 5.0, 0.0)), is_localized=False)
    office.writer.commit_chunk(graph(2, [upstairs, lost]))
    assert office.around().center_map_m == (1.0, 0.0, 0.0)
    assert office.around(map_id="upstairs").center_map_m == (9.0, 9.0, 0.0)


def test_map_on_which_the_robot_never_was_is_an_error_that_says_so(office: _Memory) -> None:
    with pytest.raises(InputError, match="'cellar' tells where the robot is: give a center"):
        office.around(map_id="cellar")


def test_place_on_another_map_has_none_of_these_objects(office: _Memory) -> None:
    office.writer.add(observation("hall", layer="place", at_map_m=DESK_M))
    found = office.around(DESK_M, 1.0, map_id="upstairs")
    assert (found.objects, found.layers) == ((), ())


def test_no_radius_means_the_default_one(office: _Memory) -> None:
    found = office.around((2.0, 0.0, 1.0 + DEFAULT_RADIUS_M + 0.01))
    assert [item.object_id for item in found.objects] == ["mug_1"]
    assert found.radius_m == DEFAULT_RADIUS_M


@pytest.mark.parametrize("radius_m", [-1.0, float("inf"), float("nan")])
def test_radius_that_is_none_is_refused(radius_m: float, office: _Memory) -> None:
    with pytest.raises(InputError, match="radius"):
        office.around(DESK_M, radius_m)


def test_each_layer_says_its_newest_texts_once(office: _Memory) -> None:
    for second in range(10):
        office.writer.add(
            observation(f"battery at {90 - second} %", stamp_s=second, layer="battery")
        )
    for second in (10, 70):
        office.writer.add(observation("a quiet\noffice", stamp_s=second, layer="place"))
    office.writer.add(observation("far away", layer="speech", at_map_m=(50.0, 0.0, 0.0)))
    layers = office.layers(office.around((0.0, 0.0, 0.0), 1.0))
    assert layers == {
        "place": "1 minute ago: a quiet office",
        "battery": "\n".join(
            f"2 minutes ago: battery at {81 + number} %" for number in range(MAX_LINES)
        ),
    }


def test_layer_that_was_long_silent_is_not_hidden_by_one_that_talks(office: _Memory) -> None:
    office.writer.add(observation("the plumber comes on Friday", stamp_s=0.0, layer="text"))
    for number in range(500):
        said = observation(f"{number} V", stamp_s=1.0 + number / 100, layer="battery")
        office.writer.submit(said)
    office.writer.flush()
    layers = office.layers(office.around((0.0, 0.0, 0.0), 1.0))
    assert layers["text"] == "2 minutes ago: the plumber comes on Friday"


def test_gist_whose_circle_reaches_here_is_told(office: _Memory) -> None:
    reaching = gist("people at work", center_map_m=(5.0, 0.0, 1.0), radius_m=2.5, end_ns=0)
    beyond = gist("a party", center_map_m=(5.0, 0.0, 1.0), radius_m=1.5, end_ns=0)
    for item in (reaching, beyond):
        office.writer.add_gist(item)
    assert office.layers(office.around(DESK_M, 1.0))["gists"] == "2 minutes ago: people at work"


def test_all_of_it_as_one_text_has_each_layer_under_its_name(office: _Memory) -> None:
    office.writer.add(observation("office", stamp_s=100.0, layer="place", at_map_m=DESK_M))
    lines = office.around(DESK_M, 0.1).text.splitlines()
    assert lines[0] == "[objects]"
    assert lines[1].startswith('desk_1: "desk"; at 2.0')
    assert lines[2:] == ["[place]", "30 seconds ago: office"]


def test_of_many_objects_the_nearest_are_told(memory: _Memory) -> None:
    objects = [
        descriptor(f"mug_{n}", view(1, point_map_m=(2.0, 0.01 * n, 1.0)))
        for n in range(MAX_OBJECTS + 10)
    ]
    memory.writer.commit_chunk(graph(1, [keyframe(1)], objects))
    found = memory.around(DESK_M)
    assert [item.object_id for item in found.objects] == [f"mug_{n}" for n in range(MAX_OBJECTS)]


def test_without_a_memory_it_says_so(tmp_path: Path) -> None:
    empty = tmp_path / "none"
    parts = (SnapshotCache(Reader(empty)), Past(empty), Search(empty))
    with pytest.raises(StoreMissing):
        surroundings(*parts, Around("map"), NOW_NS)
