"""What two observations speak of is one entity where name, place and source agree."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from memory_nodes.episodic.entities import Entities, EntityConfig
from memory_nodes.episodic.lines import lines_of, things_in
from memory_nodes.errors import ModelUnavailable
from memory_nodes.geometry import Array
from memory_nodes.models.ports import TextEmbedder
from memory_nodes.records import Entity, EntitySighting
from memory_nodes.store.consolidation import Piece
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.recorded_models import HashedEmbedder
from memory_test_support.records import (
    descriptor,
    gist,
    graph,
    keyframe,
    observation,
    view,
)


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


class _Synonyms(HashedEmbedder):
    """Some names mean the same to it; all others differ."""

    def __init__(self, *groups: Sequence[str]) -> None:
        super().__init__()
        self._groups = groups
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str], deadline_s: float) -> Array:
        self.asked += texts
        vectors = await super().embed(texts, deadline_s)
        for row, text in enumerate(texts):
            for number, group in enumerate(self._groups):
                if text in group:
                    vectors[row] = np.eye(len(vectors[row]))[number]
        return vectors


class _Life:
    """Consolidates what is seen at once: one piece of one view or more."""

    def __init__(self, writer: Writer, past: Past, embedder: TextEmbedder | None = None) -> None:
        self._writer, self._past = writer, past
        self.entities = Entities(past, embedder, EntityConfig())
        self._time_s = 0

    def see(self, *views: tuple[str, float], map_id: str = "map") -> list[list[EntitySighting]]:
        """Each view: a list of things, and x in m."""
        first = self._writer.counts().observations
        for text, x_m in views:
            self._time_s += 1
            self._writer.add(
                observation(
                    text,
                    stamp_s=self._time_s,
                    at_map_m=(x_m, 0.0, 0.0),
                    layer="detections",
                    map_id=map_id,
                )
            )
        piece = self._past.observations_after(first, 100)
        said = things_in(lines_of(piece))
        found = asyncio.run(self.entities.views(piece, said, 1.0))
        ids = tuple(item.observation.observation_id for item in piece)
        told = gist(observation_ids=ids, map_id=map_id, end_ns=piece[-1].observation.stamp_ns)
        self._writer.add_piece(Piece(told, found))
        return [list(shown) for shown in found]

    def known(self) -> dict[str, list[Entity]]:
        known: dict[str, list[Entity]] = {}
        for entity in self._past.entities():
            known.setdefault(entity.name, []).append(entity)
        return known


def test_same_name_within_five_metres_is_one_entity(writer: Writer, past: Past) -> None:
    life = _Life(writer, past)
    life.see(("chair", 0.0), ("chairs", 1.0))
    life.see(("Chair", 3.0))
    (chair,) = life.known()["chair"]
    assert chair.observation_count == 3
    assert chair.position_map_m == pytest.approx((4.0 / 3.0, 0.0, 0.0))
    assert (chair.first_seen_ns, chair.last_seen_ns) == (1_000_000_000, 3_000_000_000)


def test_same_name_farther_away_or_on_another_map_is_another_entity(
    writer: Writer, past: Past
) -> None:
    life = _Life(writer, past)
    life.see(("chair", 0.0))
    life.see(("chair", 5.1))
    life.see(("chair", 0.0), map_id="upstairs")
    assert len(life.known()["chair"]) == 3


def test_near_synonyms_are_kept_apart_whatever_the_embedder_says(
    writer: Writer, past: Past
) -> None:
    embedder = _Synonyms(["keys", "key chain"], ["red mug", "blue mug"])
    life = _Life(writer, past, embedder)
    life.see(("keys, red mug", 0.0))
    life.see(("key chain, blue mug", 0.0))
    assert {name: len(found) for name, found in life.known().items()} == dict.fromkeys(
        ("keys", "key chain", "red mug", "blue mug"), 1
    )
    assert embedder.asked == []


def test_less_said_of_a_thing_is_the_same_thing_if_it_means_the_same(
    writer: Writer, past: Past
) -> None:
    life = _Life(writer, past, _Synonyms(["mug", "red mug", "big red mug"]))
    life.see(("red mug, office chair", 0.0))
    life.see(("mug, chair", 1.0))
    life.see(("big red mug", 1.0))
    known = life.known()
    assert known.keys() == {"red mug", "office chair", "chair", "big red mug"}
    assert known["red mug"][0].observation_count == 2


def test_without_an_answer_of_the_embedder_stems_decide(writer: Writer, past: Past) -> None:
    embedder = _Synonyms(["mug", "red mug"])
    embedder.turn = ModelUnavailable("overloaded")
    life = _Life(writer, past, embedder)
    life.see(("red mug", 0.0))
    life.see(("mug, red mugs", 0.0))
    assert life.known()["red mug"][0].observation_count == 2
    assert life.known()["mug"][0].observation_count == 1
    assert "overloaded" in str(life.entities.problem)
    embedder.turn = None
    life.see(("mug", 0.0), ("red mug", 0.0))
    assert life.entities.problem is None


def test_seen_together_counts_once_for_each_view(writer: Writer, past: Past) -> None:
    life = _Life(writer, past)
    life.see(("chair, table, chair", 0.0), ("chair, table", 0.0), ("chair", 0.0))
    with writer.database.reading() as connection:
        rows = connection.execute("SELECT * FROM link WHERE kind = 'COOCCURS_WITH'").fetchall()
    assert [row["weight"] for row in rows] == [2.0]


def test_two_observations_of_one_moment_and_place_are_one_view(writer: Writer, past: Past) -> None:
    for confidence_at in (0.0, 0.0):
        writer.add(observation("chair", at_map_m=(confidence_at, 0.0, 0.0), layer="detections"))
    piece = past.observations_after(0, 10)
    entities = Entities(past, None, EntityConfig())
    ((chair,),) = asyncio.run(entities.views(piece, things_in(lines_of(piece)), 1.0))
    assert chair.observation_ids == ("observation_1", "observation_2")


def test_entity_is_the_object_of_its_name_that_stands_near(writer: Writer, past: Past) -> None:
    near, far = view(1, point_map_m=(2.0, 0.0, 1.0)), view(1, point_map_m=(9.0, 0.0, 1.0))
    objects = [descriptor("coffee_mug_1", near), descriptor("coffee_mug_2", far)]
    writer.commit_chunk(graph(1, [keyframe(1), keyframe(2)], objects))
    life = _Life(writer, past)
    life.see(("coffee mugs, mug, chair", 0.0))
    known = life.known()
    assert known["coffee mugs"][0].object_id == "coffee_mug_1"
    assert known["mug"][0].object_id == ""
    assert known["chair"][0].object_id == ""
