"""Entities know what observations told of them, each once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.errors import InputError
from memory_nodes.records import Entity, EntitySighting
from memory_nodes.store.consolidation import Piece
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.records import gist, observation


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def past(tmp_path: Path) -> Iterator[Past]:
    opened = Past(tmp_path)
    yield opened
    opened.close()


def _links(memory_dir: Path, kind: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    query = "SELECT from_key, to_key, weight FROM link WHERE kind = ? ORDER BY 1, 2"
    found = connection.execute(query, (kind,)).fetchall()
    connection.close()
    return found


def _seen(
    name: str, *observation_ids: str, x_m: float = 0.0, weight: float = 1.0
) -> EntitySighting:
    return EntitySighting(name, (x_m, 0.0, 0.0), weight, 5, observation_ids)


def test_entity_counts_an_observation_once_however_often_it_speaks_of_it(
    writer: Writer, past: Past, tmp_path: Path
) -> None:
    """Weights: 2 over two observations, then 3 by one of them: (2 * 1 + 3 * 6) / 5 = 4 m."""
    one, two = (writer.add(observation(text)) for text in ("a mug", "a red mug"))
    first = _seen("mug", one, two, x_m=1.0, weight=2.0)
    again = replace(first, entity_id="entity_1", observation_ids=(two,), stamp_ns=9)
    again = replace(again, position_map_m=(6.0, 0.0, 0.0), weight=3.0)
    writer.add_piece(Piece(gist("mugs", observation_ids=(one, two)), ((first,), (again,))))
    assert past.entities() == [
        Entity(
            name="mug",
            map_id="map",
            map_frame="map",
            position_map_m=(4.0, 0.0, 0.0),
            weight=5.0,
            first_seen_ns=5,
            last_seen_ns=9,
            observation_count=2,
            entity_id="entity_1",
        )
    ]
    assert _links(tmp_path, "OBSERVED_IN") == [(1, 1, 1.0), (1, 2, 4.0)]


def test_pair_counts_once_a_view_whatever_the_order(writer: Writer, tmp_path: Path) -> None:
    seen = writer.add(observation("a mug and a spoon"))
    mug, spoon = _seen("mug", seen), _seen("spoon", seen)
    known = replace(spoon, entity_id="entity_2"), replace(mug, entity_id="entity_1")
    views = ((mug, spoon), known, (known[0], known[0]))
    writer.add_piece(Piece(gist("cutlery", observation_ids=(seen,)), views))
    assert _links(tmp_path, "COOCCURS_WITH") == [(1, 2, 2.0)]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"name": " "}, "a name"),
        ({"observation_ids": ()}, "no observation speaks of"),
        ({"weight": 0.0}, "weight is 0.0"),
        ({"weight": float("inf")}, "weight is inf"),
        ({"position_map_m": (0.0, float("nan"), 0.0)}, "give numbers"),
        ({"stamp_ns": -1}, "stamp"),
        ({"entity_id": "entity_9"}, "no entity 'entity_9'"),
        ({"observation_ids": ("observation_9",)}, "no observation 'observation_9'"),
    ],
)
def test_sighting_that_cannot_be_written_down_leaves_nothing_of_its_piece(
    writer: Writer, changed: dict[str, Any], message: str
) -> None:
    seen = writer.add(observation("a mug"))
    wrong = replace(_seen("mug", seen), **changed)
    with pytest.raises(InputError, match=message):
        writer.add_piece(
            Piece(gist("mugs", observation_ids=(seen,)), ((_seen("cup", seen), wrong),))
        )
    counts = writer.counts()
    assert (counts.gists, counts.entities) == (0, 0)


def test_many_views_of_the_same_things_hold_the_writer_up_no_longer_than_their_sum(
    writer: Writer, tmp_path: Path
) -> None:
    """50 views of 10 things: 45 pairs, 500 observations of a thing, and not 2250 pairs."""
    ids = tuple(writer.add(observation(f"view {number}")) for number in range(50))
    views = tuple(
        tuple(
            replace(_seen(f"lamp {n}", own, x_m=float(n)), entity_id=f"new_{n}") for n in range(10)
        )
        for own in ids
    )
    statements: list[str] = []
    with writer.database.transaction() as connection:
        connection.set_trace_callback(statements.append)
    writer.add_piece(Piece(gist(observation_ids=ids), views))
    pairs = [text for text in statements if "COOCCURS_WITH" in text]
    told = [text for text in statements if "OBSERVED_IN" in text]
    assert (len(pairs), len(told) <= 500 + 2 * 10) == (45, True)
    assert {weight for _, _, weight in _links(tmp_path, "COOCCURS_WITH")} == {50.0}


def test_nearest_entities_of_a_map_come_first(writer: Writer, past: Past) -> None:
    seen = writer.add(observation("things"))
    view = tuple(
        _seen(name, seen, x_m=x_m) for name, x_m in (("far", 4.0), ("at", 1.0), ("by", 2.5))
    )
    writer.add_piece(Piece(gist("things", observation_ids=(seen,)), (view,)))
    found = past.entities_near("map", (1.0, 0.0, 0.0), 2.0)
    assert [entity.name for entity, _ in found] == ["at", "by"]
    assert past.entities_near("shed", (1.0, 0.0, 0.0), 9.0) == []
