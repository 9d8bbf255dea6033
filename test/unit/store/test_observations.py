"""An observation is written down whole, once, or refused with a reason."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory_nodes.errors import InputError
from memory_nodes.geometry import Pose
from memory_nodes.store import observations, rows
from memory_nodes.store.observations import LAYERS, MAX_COORDINATE_M, MAX_STAMP_NS
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer, WriterConfig
from memory_test_support.records import observation

HALF_A_PAIR = "\ud800"


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path, WriterConfig(batch_size=1000, batch_delay_s=60.0))
    yield opened
    opened.close()


def _row(connection: sqlite3.Connection, key: int) -> sqlite3.Row:
    found: sqlite3.Row = connection.execute(
        f"{rows.OBSERVATION_QUERY} WHERE observation_key = ?", (key,)
    ).fetchone()
    return found


def test_observation_comes_back_as_it_was(writer: Writer) -> None:
    sent = replace(
        observation("Grüße", stamp_ns=MAX_STAMP_NS, at_map_m=(1.5, -2.0, 1e7), layer="speech"),
        map_frame="robot/map",
        confidence=0.0,
        source="microphone",
        observation_id="mic:1",
    )
    assert writer.add(sent) == "mic:1"
    with writer.database.reading() as connection:
        assert rows.observation_from(_row(connection, 1)) == sent


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"text": HALF_A_PAIR}, "the text is no valid unicode at character 0"),
        ({"map_id": f"m{HALF_A_PAIR}"}, "the map_id is no valid unicode at character 1"),
        ({"source": HALF_A_PAIR}, "the source is no valid unicode"),
        ({"layer": "smell"}, "no layer 'smell': choose one of action"),
        ({"stamp_ns": -1}, "the stamp is -1 ns"),
        ({"stamp_ns": MAX_STAMP_NS + 1}, "2.63 - 1"),
        ({"confidence": -0.1}, "the confidence is -0.1"),
        ({"observation_id": "observation_3"}, "cannot be an id"),
        ({"observation_id": "a b"}, "cannot be an id"),
        ({"observation_id": "x" * 65}, "cannot be an id"),
        (
            {"map_from_base": Pose((0.0, -2 * MAX_COORDINATE_M, 0.0), (0.0, 0.0, 0.0, 1.0))},
            "beyond 10000000 m",
        ),
    ],
)
def test_what_cannot_be_written_down_is_refused_at_once(
    writer: Writer, changed: dict[str, Any], match: str
) -> None:
    with pytest.raises(InputError, match=match):
        writer.submit(replace(observation(), **changed))


def test_ids_of_the_memory_count_on_and_given_ids_take_a_number_too(writer: Writer) -> None:
    sent = [observation("a"), observation("b", observation_id="mine"), observation("c")]
    futures = [writer.submit(item) for item in sent]
    writer.flush()
    assert [future.result() for future in futures] == ["observation_1", "mine", "observation_3"]
    with writer.database.reading() as connection:
        found = {name: observations.key_from_id(connection, name) for name in _IDS}
    assert found == _IDS


_IDS = {
    **{"observation_1": 1, "mine": 2, "observation_3": 3},
    **{"observation_2": None, "observation_4": None, "yours": None, "": None},
}


def test_number_of_a_deleted_observation_is_not_given_again(writer: Writer) -> None:
    writer.add(observation())
    with writer.database.transaction() as connection:
        connection.execute("DELETE FROM observation")
    assert writer.add(observation()) == "observation_2"


def test_same_observation_sent_twice_is_stored_once(writer: Writer) -> None:
    sent = observation(observation_id="mine")
    assert [writer.add(sent), writer.add(sent)] == ["mine", "mine"]
    assert writer.counts().observations == 1


def test_archived_observation_that_is_sent_again_stays_archived(writer: Writer) -> None:
    sent = observation(observation_id="mine")
    writer.add(sent)
    with writer.database.transaction() as connection:
        connection.execute("UPDATE observation SET text_key = NULL")
    assert writer.add(sent) == "mine"
    with writer.database.reading() as connection:
        assert _row(connection, 1)["text"] is None


@pytest.mark.parametrize("change", [{"text": "other"}, {"stamp_ns": 1}, {"layer": "battery"}])
@pytest.mark.parametrize("is_one_batch", [True, False])
def test_id_of_another_observation_is_refused_and_the_neighbours_stay(
    writer: Writer, change: dict[str, Any], is_one_batch: bool
) -> None:
    first = writer.submit(observation(observation_id="mine"))
    if not is_one_batch:
        writer.flush()
    again = writer.submit(replace(observation(observation_id="mine"), **change))
    last = writer.submit(observation("last"))
    writer.flush()
    with pytest.raises(InputError, match="another observation has the id 'mine'"):
        again.result()
    assert (first.result(), last.result()) == ("mine", "observation_2")


def test_layers_are_those_that_every_memory_knows_and_those_made_known(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.add_layer("smell")
    writer.add(observation(layer="smell"))
    writer.close()
    again = Writer(tmp_path)
    with again.database.reading() as connection:
        assert set(observations.layers(connection)) == {*LAYERS, "smell"}
    assert again.add(observation(layer="smell")) == "observation_2"
    again.close()


@pytest.mark.parametrize("name", ["", " ", "x" * 65, HALF_A_PAIR])
def test_name_that_cannot_be_a_layer_is_refused(writer: Writer, name: str) -> None:
    with pytest.raises(InputError):
        writer.add_layer(name)


@pytest.mark.parametrize(
    "broken",
    [
        {"stamp_ns": np.int64(5)},
        {"stamp_ns": 1.5},
        {"stamp_ns": True},
        {"text": b"bytes"},
        {"map_id": "x" * 300},
        {"source": "x" * 300},
        {"observation_id": "gist_3"},
        {"observation_id": "episode_1"},
    ],
)
def test_value_of_another_kind_is_refused_before_it_reaches_its_neighbours(
    tmp_path: Path, broken: dict[str, Any]
) -> None:
    writer = Writer(tmp_path, WriterConfig(batch_size=1000, batch_delay_s=60.0))
    before = writer.submit(observation("before"))
    with pytest.raises(InputError):
        writer.submit(replace(observation("broken"), **broken))
    after = writer.submit(observation("after"))
    writer.flush()
    assert (before.result(), after.result()) == ("observation_1", "observation_2")
    writer.close()


def test_numbers_of_numpy_are_stored_as_numbers(tmp_path: Path) -> None:
    writer, search = Writer(tmp_path), Search(tmp_path)
    one, two = np.float32(1.0), np.float64(2.0)
    pose = Pose((one, two, one), (0.0, 0.0, 0.0, np.float32(1.0)))  # type: ignore[arg-type]
    writer.add(replace(observation("a lamp"), map_from_base=pose))
    assert search.near((1.0, 2.0, 1.0), 0.1).hits[0].position_map_m == (1.0, 2.0, 1.0)
    search.close()
    writer.close()
