"""A small memory with something of everything that a memory holds."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from memory_nodes.geometry import Array, Pose
from memory_nodes.records import (
    NS_PER_S,
    EntitySighting,
    Gist,
    HistoryNode,
    HistoryUnit,
    Observation,
    Relation,
)
from memory_nodes.store import objects, texts
from memory_nodes.store.consolidation import Piece
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.history_nodes import ToldUpTo
from memory_nodes.store.writer import Writer
from memory_nodes.vectors import packed
from memory_test_support.records import descriptor, graph, keyframe, view

MODEL = EmbeddingModel("test-model", 8)


def unit_vector(seed: int, dimension: int = MODEL.dimension) -> Array:
    vector = np.random.default_rng(seed).normal(size=dimension)
    return vector / np.linalg.norm(vector)


def observation(text: str, stamp_s: float = 0.0, observation_id: str = "") -> Observation:
    return Observation(
        stamp_ns=round(stamp_s * NS_PER_S),
        map_id="map",
        map_frame="map",
        layer="description",
        text=text,
        map_from_base=Pose.planar(1.0, -2.5, 0.3),
        confidence=0.75,
        source="test",
        observation_id=observation_id,
    )


def write_images(memory_dir: Path, *keyframe_ids: int) -> None:
    """A JPEG of its own colour for each keyframe, where records.keyframe says that it is."""
    (memory_dir / "images").mkdir(parents=True, exist_ok=True)
    for keyframe_id in keyframe_ids:
        buffer = io.BytesIO()
        Image.new("RGB", (8, 6), (keyframe_id, 20, 30)).save(buffer, "JPEG")
        (memory_dir / f"images/{keyframe_id}.jpg").write_bytes(buffer.getvalue())


def write_full_memory(memory_dir: Path) -> None:
    """Two chunks with three keyframes, two objects and a relation; five observations in nested
    episodes, one archived and one with an id that was given; a gist, and two entities of its
    episode, which is consolidated; an event and a day of the history; vectors of texts and views;
    an object that has moved, was looked for and renamed, has an alias and is told apart from
    another.
    """
    writer = Writer(memory_dir)
    try:
        write_images(memory_dir, 1, 2, 3)
        writer.use_embedding_model(MODEL)
        _write_chunks(writer)
        _write_past(writer)
        _write_observations(writer)
        waiting = list(writer.texts_without_vector(100))
        writer.store_vectors({key: unit_vector(key) for key in waiting[:-1]})
    finally:
        writer.close()


def _write_chunks(writer: Writer) -> None:
    seen = replace(view(1, point_map_m=(2.0, 0.5, 0.5)), embedding=packed(unit_vector(100)))
    first = graph(
        1,
        [keyframe(1), keyframe(2, intrinsics=None)],
        [
            descriptor("mug_1", seen, color="red", affordances=("drink from",)),
            descriptor("desk_1", view(1), view(2), description='a "wide" desk, näher'),
        ],
        [Relation("mug_1", "on", "desk_1", (1,))],
    )
    writer.commit_chunk(replace(first, embedding_model="clip"))
    moved = descriptor("mug_1", view(3), color="dark red")
    writer.commit_chunk(graph(2, [keyframe(3, map_id="first floor")], [moved]))


def _write_past(writer: Writer) -> None:
    """Of mug_1, whose key is 1; desk_1 has 2."""
    moved = {"old": {"point_map_m": [1.0, 2.0, 3.0], "covariance_m2": [0.1] * 9}, "new": None}
    with writer.database.transaction() as connection:
        for key, kind, detail in ((1, "moved", moved), (2, "rename", {"name": "grandpa's desk"})):
            connection.execute(
                "INSERT INTO object_event (object_key, kind, stamp_ns, detail) VALUES (?, ?, 5, ?)",
                (key, kind, json.dumps(detail)),
            )
        for statement in (
            "INSERT INTO object_place SELECT 1, 1, map_key, 1.5, 2.0, 0.5,"
            " '[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]', 1, 2 FROM map WHERE map_id = 'map'",
            "INSERT INTO clear_look VALUES (2, 3)",
            "INSERT INTO object_alias VALUES ('mug_7', 1)",
            "INSERT INTO object_distinct VALUES (1, 2)",
            "UPDATE object SET name = 'grandpa''s desk', is_pinned = 1 WHERE object_key = 2",
            "UPDATE object SET placed_since = 3 WHERE object_key = 1",
        ):
            connection.execute(statement)
        objects.name(connection, 2)


def _write_observations(writer: Writer) -> None:
    outer = writer.start_episode("patrol", "", 1)
    inner = writer.start_episode("kitchen", outer, 2)
    writer.add(observation("a red mug", 1.0))
    writer.add(observation("to be archived", 2.0))
    writer.end_episode(inner, 3 * NS_PER_S)
    writer.start_episode("hall", outer, 4 * NS_PER_S)
    writer.add(observation("a red mug", 3.0, observation_id="camera:7"))
    writer.add(observation("snowman \u2603, line one\nline two", 4.0), unit_vector(1000))
    writer.add(observation("waits for its vector", 5.0))
    ids = ("observation_2", "camera:7")
    told = Gist(
        "the kitchen has mugs",
        *("map", "map", (1.0, 2.0, 0.0), 1.5, 1 * NS_PER_S, 3 * NS_PER_S),
        observation_ids=ids,
        episode_id=inner,
        source="test",
    )
    mug = EntitySighting("mug", (1.0, 2.0, 0.0), 1.5, 2 * NS_PER_S, ids, object_id="mug_1")
    kitchen = EntitySighting("kitchen", (1.5, 2.0, 0.0), 0.5, 3 * NS_PER_S, ids[1:])
    writer.add_piece(Piece(told, ((mug, kitchen),)))
    writer.finish_episode(inner)
    _write_history(writer)
    with writer.database.transaction() as connection:
        key = texts.find(connection, "to be archived")
        assert key is not None
        connection.execute("UPDATE observation SET text_key = NULL WHERE text_key = ?", (key,))
        texts.release(connection, [key])


def _write_history(writer: Writer) -> None:
    """The day is open, and chunk 2 and the last two observations are not told yet."""
    event = HistoryNode(HistoryUnit.EVENT, 2, 1, 3 * NS_PER_S, "a look at mugs", ("chunk_1",))
    (event_id,) = writer.put_history([event], told=ToldUpTo(chunk_id=1, observation_key=3))
    day = HistoryNode(HistoryUnit.DAY, 3, 1, 3 * NS_PER_S, "a day", source="model", is_open=True)
    writer.put_history([replace(day, child_ids=(event_id,))])
