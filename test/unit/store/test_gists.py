"""A gist is kept with what it summarises, or refused and leaves nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.errors import InputError
from memory_nodes.store.observations import MAX_COORDINATE_M, MAX_TEXT_CHARS
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.records import gist, observation


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    yield opened
    opened.close()


def _rows(writer: Writer, query: str) -> list[tuple[Any, ...]]:
    with writer.database.reading() as connection:
        return [tuple(row) for row in connection.execute(query)]


def _links(writer: Writer) -> list[tuple[Any, ...]]:
    return _rows(writer, "SELECT from_key, to_key FROM edge WHERE kind = 'SUMMARIZES'")


def test_gist_is_linked_to_each_observation_it_summarises_once(writer: Writer) -> None:
    writer.add(observation("a"))
    writer.add(observation("b", observation_id="mine"))
    names = ("mine", "observation_1", "mine")
    assert writer.add_gist(gist("a and b", observation_ids=names)) == "gist_1"
    assert sorted(_links(writer)) == [(1, 1), (1, 2)]
    assert _rows(writer, "SELECT observation_count FROM gist") == [(2,)]
    assert writer.counts().gists == 1


def test_gist_keeps_its_place_time_and_episode(writer: Writer) -> None:
    episode_id = writer.start_episode("patrol", "", 0)
    sent = gist(
        center_map_m=(1.0, 2.0, 3.0), radius_m=4.0, start_ns=0, end_ns=9, episode_id=episode_id
    )
    writer.add_gist(replace(sent, source="model"))
    assert _rows(
        writer, "SELECT x, y, z, radius_m, start_ns, end_ns, episode_key, source FROM gist"
    ) == [(1.0, 2.0, 3.0, 4.0, 0, 9, 1, "model")]


@pytest.mark.parametrize(
    "changed",
    [
        {"text": " "},
        {"text": "x" * (MAX_TEXT_CHARS + 1)},
        {"text": "\ud800"},
        {"map_id": "\ud800"},
        {"radius_m": -1.0},
        {"radius_m": math.nan},
        {"radius_m": 2 * MAX_COORDINATE_M},
        {"center_map_m": (0.0, math.inf, 0.0)},
        {"center_map_m": (0.0, 0.0, -2 * MAX_COORDINATE_M)},
        {"start_ns": 2, "end_ns": 1},
        {"start_ns": -1},
        {"end_ns": 2**63},
        {"observation_ids": ("observation_1", "observation_9")},
        {"observation_ids": ("'; DROP TABLE gist",)},
        {"episode_id": "episode_9"},
    ],
)
def test_gist_that_cannot_be_used_is_refused_and_leaves_nothing(
    writer: Writer, changed: dict[str, Any]
) -> None:
    writer.add(observation())
    with pytest.raises(InputError):
        writer.add_gist(replace(gist("unique words"), **changed))
    assert (writer.counts().gists, _links(writer)) == (0, [])
    assert _rows(writer, "SELECT text FROM text") == [("battery at 40 %",)]


def test_number_of_a_deleted_gist_is_not_given_again(writer: Writer) -> None:
    writer.add_gist(gist())
    with writer.database.transaction() as connection:
        connection.execute("DELETE FROM gist")
    assert writer.add_gist(gist()) == "gist_2"
    assert writer.counts().gists == 1


def test_newest_gists_of_a_map_are_read_as_they_were_written(
    writer: Writer, tmp_path: Path
) -> None:
    for number, map_id in enumerate(("map", "map", "upstairs", "map")):
        writer.add_gist(gist(f"told {number}", map_id=map_id, end_ns=number, radius_m=2.0))
    past = Past(tmp_path)
    newest = past.gists("map", 2)
    past.close()
    assert list(newest) == ["gist_4", "gist_2"]
    assert newest["gist_2"] == gist("told 1", end_ns=1, radius_m=2.0)
