"""Times, places and counts of things are told right, consolidated or not, archived or not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from memory_nodes.answering.recall import Recall
from memory_nodes.episodic.consolidator import Consolidator
from memory_nodes.records import NS_PER_S
from memory_nodes.store.filters import Filter
from memory_nodes.store.past import Past
from memory_nodes.store.sightings import Sightings
from memory_nodes.store.writer import Writer
from memory_test_support.records import observation

STAGES = ("waiting", "consolidated", "archived")


@dataclass
class _Memory:
    writer: Writer
    past: Past
    recall: Recall

    def see(self, text: str, at_s: float, x_m: float, map_id: str = "map") -> None:
        self.writer.add(
            observation(
                text, stamp_s=at_s, at_map_m=(x_m, 0.0, 0.3), layer="detections", map_id=map_id
            )
        )


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[_Memory]:
    opened = (Writer(tmp_path), Past(tmp_path), Sightings(tmp_path))
    yield _Memory(opened[0], opened[1], Recall(opened[2]))
    for item in opened:
        item.close()


@pytest.fixture(params=STAGES)
def told(memory: _Memory, request: pytest.FixtureRequest) -> _Memory:
    """Three views in one place, one in another, one on another map; the last one is young."""
    episode_id = memory.writer.start_episode("a walk", "", 0)
    memory.see("chair, chair, red mug", 1.0, 0.0)
    memory.see("Chair, table", 2.0, 1.0)
    memory.see("teddy bear", 3.0, 1.0)
    memory.see("chair", 4.0, 20.0)
    memory.see("chair", 5.0, 0.0, map_id="upstairs")
    memory.writer.end_episode(episode_id, 6 * NS_PER_S)
    if request.param != "waiting":
        consolidator = Consolidator(memory.writer, memory.past, None, None)
        assert asyncio.run(consolidator.consolidate_now("", 10 * NS_PER_S)) == 3
    if request.param == "archived":
        assert memory.writer.archive(10 * NS_PER_S, only_consolidated=True) == 5
    memory.see("chair, lamp", 7.0, 0.0)
    return memory


def _stamps_s(memory: _Memory, phrase: str, wanted: Filter | None = None) -> list[float]:
    found = memory.recall.sightings(phrase, wanted if wanted is not None else Filter())
    return [item.stamp_ns / NS_PER_S for item in found]


def _seen(memory: _Memory, wanted: Filter) -> dict[str, int]:
    """Of each thing the number of its sightings."""
    return {group[0].name: len(group) for group in memory.recall.things(wanted)}


def test_sightings_are_one_for_each_observation_by_time(told: _Memory) -> None:
    assert _stamps_s(told, "chairs") == [1.0, 2.0, 4.0, 5.0, 7.0]
    assert _stamps_s(told, "mug") == [1.0]
    assert _stamps_s(told, "lamp") == [7.0]
    assert _stamps_s(told, "bear") == []
    last = told.recall.sightings("table")[-1]
    assert last.position_map_m == (1.0, 0.0, 0.3)


def test_sightings_are_those_of_the_time_map_and_place_that_is_wanted(told: _Memory) -> None:
    assert _stamps_s(told, "chair", Filter(map_id="upstairs")) == [5.0]
    assert _stamps_s(told, "chair", Filter(since_ns=2 * NS_PER_S, until_ns=4 * NS_PER_S)) == [2, 4]
    near = Filter(center_map_m=(20.0, 1.0, 0.0), radius_m=1.0, ignore_height=True)
    assert _stamps_s(told, "chair", near) == [4.0]


def test_what_was_seen_then_or_there_is_counted(told: _Memory) -> None:
    assert _seen(told, Filter(until_ns=2 * NS_PER_S)) == {"chair": 2, "red mug": 1, "table": 1}
    there = Filter(map_id="map", center_map_m=(1.0, 0.0, 0.3), radius_m=0.5)
    assert _seen(told, there) == {"chair": 1, "table": 1, "teddy bear": 1}
    assert _seen(told, Filter(center_map_m=(9.0, 0.0, 0.0), radius_m=2.0)) == {}


def test_names_are_those_of_all_that_was_seen(told: _Memory) -> None:
    assert told.recall.names() == ["chair", "lamp", "red mug", "table", "teddy bear"]


def test_things_of_a_name_are_counted_by_place(memory: _Memory) -> None:
    for at_s, x_m in enumerate((0.0, 1.0, 20.0, 21.0, 40.0)):
        memory.see("chair, table" if x_m == 40.0 else "chair", at_s, x_m)
    assert (
        len(memory.recall.things(Filter(), "chair")) == 1
    )  # they are told apart once they are consolidated
    consolidator = Consolidator(memory.writer, memory.past, None, None)
    episode_id = memory.writer.start_episode("another", "", 0)
    for at_s, x_m in enumerate((0.0, 1.0, 20.0, 21.0, 40.0)):
        memory.see("lamp, table" if x_m == 40.0 else "lamp", at_s, x_m)
    memory.writer.end_episode(episode_id, 9 * NS_PER_S)
    asyncio.run(consolidator.consolidate_now(episode_id, 0))
    assert len(memory.recall.things(Filter(), "lamp")) == 3
    assert memory.recall.things(Filter(), "sofa") == []
    assert memory.recall.together_with("lamp") == {"table": 1}


def test_sightings_are_of_the_layers_that_are_wanted(told: _Memory) -> None:
    assert _stamps_s(told, "chair", Filter(layers=("detections",))) == [1.0, 2.0, 4.0, 5.0, 7.0]
    assert _stamps_s(told, "chair", Filter(layers=("speech",))) == []
    assert _seen(told, Filter(layers=("speech",))) == {}


def test_each_thing_has_its_own_sightings_the_last_seen_first(told: _Memory) -> None:
    """Chairs near x = 0 and at x = 20; by name alone they are one before they are consolidated."""
    things = told.recall.things(Filter(until_ns=6 * NS_PER_S, map_id="map"), "chair")
    seen_s = [[item.stamp_ns / NS_PER_S for item in group] for group in things]
    is_consolidated = bool(things[0][0].entity_id)
    assert seen_s == ([[4.0], [1.0, 2.0]] if is_consolidated else [[1.0, 2.0, 4.0]])
