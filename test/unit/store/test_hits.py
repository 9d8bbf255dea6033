"""What was found comes whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.records import NS_PER_S, EntitySighting, ItemKind
from memory_nodes.store.consolidation import Piece
from memory_nodes.store.filters import Filter
from memory_nodes.store.hits import Hit
from memory_nodes.store.indices.catalogue import KINDS
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, gist, graph, keyframe, observation, view


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def search(tmp_path: Path, writer: Writer) -> Iterator[Search]:
    opened = Search(tmp_path)
    yield opened
    opened.close()


def test_observation_comes_with_all_its_fields(writer: Writer, search: Search) -> None:
    episode_id = writer.start_episode("patrol", "", 0)
    writer.add(
        observation(
            "hello",
            stamp_ns=7,
            at_map_m=(1.0, 2.0, 3.0),
            map_id="home",
            layer="speech",
            observation_id="mine",
        )
    )
    (hit,) = search.between(7, 7).hits
    assert hit == Hit(
        kind=ItemKind.OBSERVATION,
        item_id="mine",
        text="hello",
        score=0.0,
        start_ns=7,
        end_ns=7,
        map_id="home",
        position_map_m=(1.0, 2.0, 3.0),
        layer="speech",
        episode_id=episode_id,
    )


def test_gist_comes_with_all_its_fields(writer: Writer, search: Search) -> None:
    episode_id = writer.start_episode("patrol", "", 0)
    sent = gist(
        "all quiet",
        center_map_m=(1.0, 2.0, 3.0),
        radius_m=4.0,
        start_ns=5,
        end_ns=6,
        map_id="home",
        episode_id=episode_id,
    )
    writer.add_gist(sent)
    (hit,) = search.between(5, 5).hits
    assert hit == Hit(
        kind=ItemKind.GIST,
        item_id="gist_1",
        text="all quiet",
        score=0.0,
        start_ns=5,
        end_ns=6,
        map_id="home",
        position_map_m=(1.0, 2.0, 3.0),
        radius_m=4.0,
        episode_id=episode_id,
    )


def test_entity_comes_with_all_its_fields(writer: Writer, search: Search) -> None:
    """Its place is the mean by weight: (3 * 1 + 1 * 5) / 4 = 2 m ahead."""
    observation_id = writer.add(observation("a red mug, and another", map_id="home"))
    seen = EntitySighting("red mug", (1.0, 2.0, 3.0), 3.0, 5, (observation_id,))
    again = replace(seen, position_map_m=(5.0, 2.0, 3.0), weight=1.0, stamp_ns=9)
    told = gist("mugs", map_id="home", observation_ids=(observation_id,))
    writer.add_piece(Piece(told, ((seen,), (replace(again, entity_id="entity_1"),))))
    (hit,) = search.words("red mug", wanted=Filter(kinds=(ItemKind.ENTITY,))).hits
    assert hit == Hit(
        kind=ItemKind.ENTITY,
        item_id="entity_1",
        text="red mug",
        score=hit.score,
        start_ns=5,
        end_ns=9,
        map_id="home",
        position_map_m=(2.0, 2.0, 3.0),
    )
    found = search.near((2.0, 2.0, 3.0), 0.1).hits
    assert [near.item_id for near in found] == ["entity_1"]
    others = tuple(kind for kind in KINDS if kind != ItemKind.ENTITY)
    hits = search.words("red mug", wanted=Filter(kinds=others)).hits
    assert [other.item_id for other in hits] == ["observation_1", "gist_1"]


def test_object_comes_with_all_its_fields_and_without_a_place_that_is_not_known(
    writer: Writer, search: Search
) -> None:
    """Seen from an unknown camera an object has no place."""
    blind = keyframe(2, map_id="home", intrinsics=None)
    seen = descriptor("mug_1", view(2), color="red")
    writer.commit_chunk(graph(1, [blind], [seen]))
    (hit,) = search.words("mug").hits
    assert hit == Hit(
        kind=ItemKind.OBJECT,
        item_id="mug_1",
        text="mug: red",
        score=hit.score,
        start_ns=2 * NS_PER_S,
        end_ns=2 * NS_PER_S,
        map_id="home",
        position_map_m=None,
    )
    assert search.near((0.0, 0.0, 0.0), 1e6).hits == ()
