"""What is told next: in the order of arrival, up to what is too young."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_nodes.episodic.history.batch import read_batch
from memory_nodes.episodic.history.items import Kind, object_names, type_of
from memory_nodes.store.history_nodes import ToldUpTo
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, view
from memory_test_support.told import at, ns

NOTHING_TOLD = ToldUpTo(0, 0)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def past(tmp_path: Path, writer: Writer) -> Iterator[Past]:
    opened = Past(tmp_path)
    yield opened
    opened.close()


def test_chunks_and_observations_come_in_the_order_of_their_stamps(
    writer: Writer, past: Past
) -> None:
    writer.add(at(5.0, "action", "walk"))
    writer.add(at(1.0, "speech", "hello"))
    writer.commit_chunk(graph(1, [keyframe(3)], [descriptor("coffee_mug_1", view(3))]))
    batch = read_batch(past, NOTHING_TOLD, ns(60), ns(120))
    assert [item.item_id for item in batch.items] == ["observation_2", "chunk_1", "observation_1"]
    assert [item.kind for item in batch.items] == [Kind.SPEECH, Kind.SCENE, Kind.ACTION]
    assert batch.items[1].objects == ("coffee mug",)
    assert batch.told == ToldUpTo(1, 2)
    assert batch.is_last


def test_nothing_after_the_first_that_is_too_young_is_told(writer: Writer, past: Past) -> None:
    for second in (1, 70, 2):
        writer.add(at(second, "text", f"note {second}"))
    batch = read_batch(past, NOTHING_TOLD, ns(60), ns(120))
    assert [item.text for item in batch.items] == ["note 1"]
    assert batch.told == ToldUpTo(0, 1)
    assert batch.is_last


def test_a_stamp_of_the_far_future_holds_nothing_up(writer: Writer, past: Past) -> None:
    for second in (1, 900_000, 2):
        writer.add(at(second, "text", f"note {second}"))
    first = read_batch(past, NOTHING_TOLD, ns(60), ns(120))
    batch = read_batch(past, first.told, ns(60), ns(120))
    assert [item.text for item in (*first.items, *batch.items)] == ["note 1", "note 2"]
    assert batch.told == ToldUpTo(0, 3)
    assert batch.is_last


def test_a_full_batch_ends_where_the_other_kind_is_not_read_yet(writer: Writer, past: Past) -> None:
    for stamp_s in range(1, 6):
        writer.add(at(stamp_s, "text", f"note {stamp_s}"))
    writer.commit_chunk(graph(1, [keyframe(3)]))
    first = read_batch(past, NOTHING_TOLD, ns(60), ns(120), size=2)
    assert [item.item_id for item in first.items] == ["observation_1", "observation_2"]
    assert (first.told, first.is_last) == (ToldUpTo(0, 2), False)
    second = read_batch(past, first.told, ns(60), ns(120), size=2)
    ids = [item.item_id for item in second.items]
    assert ids == ["observation_3", "chunk_1", "observation_4"]
    assert (second.told, second.is_last) == (ToldUpTo(1, 4), False)
    third = read_batch(past, second.told, ns(60), ns(120), size=2)
    assert (third.told, third.is_last) == (ToldUpTo(1, 5), True)


def test_a_full_batch_that_is_too_young_is_the_last(writer: Writer, past: Past) -> None:
    for second in (100, 101):
        writer.add(at(second, "text", "note"))
    batch = read_batch(past, NOTHING_TOLD, ns(60), ns(120), size=2)
    assert batch.items == ()
    assert batch.is_last


@pytest.mark.parametrize("layer", ["battery", "diagnostics", "body_wheels"])
def test_how_the_robot_feels_is_silent(writer: Writer, past: Past, layer: str) -> None:
    writer.add_layer(layer)
    writer.add(at(1.0, layer, "as ever"))
    (item,) = read_batch(past, NOTHING_TOLD, ns(60), ns(120)).items
    assert item.is_silent


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("3 chairs, a mug and the red sofa.", ("chairs", "mug", "red sofa")),
        ("mug", ("mug",)),
        ("On the table there is a large bowl full of red apples", ()),
        (" , ;", ()),
    ],
)
def test_names_are_read_from_a_list_of_detections(text: str, names: tuple[str, ...]) -> None:
    assert object_names(text) == names


def test_the_type_of_an_object_is_its_id_without_the_number() -> None:
    assert type_of("coffee_machine_12") == "coffee machine"
    assert type_of("thing") == "thing"
