"""Each view gets the vector of its own picture, and no failure holds up a chunk."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from memory_nodes.errors import ConfigurationError, ModelError, ModelUnavailable
from memory_nodes.geometry import Array
from memory_nodes.perception.view_embedding import (
    WITHOUT_VECTORS,
    ViewEmbedder,
    ViewEmbedderConfig,
)
from memory_nodes.records import Box, ChunkGraph
from memory_nodes.vectors import unpacked
from memory_test_support.recorded_models import ColourEmbedder
from memory_test_support.records import descriptor, graph, keyframe, view

LEFT, RIGHT = Box(100, 100, 200, 200), Box(400, 100, 500, 200)
RED, BLUE, GREEN = (255, 0, 0), (0, 0, 255), (0, 255, 0)
GRAPH = graph(
    1,
    [keyframe(1), keyframe(2)],
    [
        descriptor("lamp_1", view(1, RIGHT), view(2, LEFT)),
        descriptor("mug_1", view(1, LEFT)),
    ],
    resolved=False,
)


@pytest.fixture
def memory_dir(tmp_path: Path) -> Path:
    """Keyframe 1: red left, blue right; keyframe 2: green."""
    (tmp_path / "images").mkdir()
    first = Image.new("RGB", (640, 480), RED)
    first.paste(BLUE, (320, 0, 640, 480))
    first.save(tmp_path / GRAPH.chunk.keyframes[0].image_path)
    Image.new("RGB", (640, 480), GREEN).save(tmp_path / GRAPH.chunk.keyframes[1].image_path)
    return tmp_path


def _embed(
    memory_dir: Path, model: ColourEmbedder, given: ChunkGraph = GRAPH
) -> tuple[ChunkGraph, dict[tuple[str, int], bytes]]:
    embedder = ViewEmbedder(model, memory_dir, ViewEmbedderConfig())
    found = asyncio.run(embedder.embed(given))
    vectors = {
        (item.object_id, seen.keyframe_id): seen.embedding
        for item in found.objects
        for seen in item.views
    }
    return found, vectors


def _fits(vector: bytes, colour: tuple[int, int, int]) -> bool:
    wanted = np.array((*colour, 1.0))
    cosine = unpacked([vector], 4)[0] @ wanted / np.linalg.norm(wanted)
    return bool(cosine > 0.999)


def test_each_view_gets_the_vector_of_its_own_picture(memory_dir: Path) -> None:
    model = ColourEmbedder()
    found, vectors = _embed(memory_dir, model)
    assert _fits(vectors["lamp_1", 1], BLUE)
    assert _fits(vectors["lamp_1", 2], GREEN)
    assert _fits(vectors["mug_1", 1], RED)
    assert found.embedding_model == "recorded:colour"
    assert model.asked == [2, 1]  # all crops of an image together


def test_all_else_of_the_graph_stays(memory_dir: Path) -> None:
    found, _ = _embed(memory_dir, ColourEmbedder())
    bare = tuple(
        replace(item, views=tuple(replace(seen, embedding=b"") for seen in item.views))
        for item in found.objects
    )
    assert replace(found, objects=bare, embedding_model="") == GRAPH


@pytest.mark.parametrize("failure", [ModelUnavailable("slow"), ConfigurationError("no weights")])
def test_chunk_goes_on_without_vectors_when_the_model_fails(
    memory_dir: Path, failure: ModelError | ConfigurationError
) -> None:
    model = ColourEmbedder()
    model.turns = [failure]
    found, _ = _embed(memory_dir, model)
    assert found == replace(GRAPH, problems=(f"{WITHOUT_VECTORS}: {failure}",))
    assert model.asked == [2]  # not asked again for this chunk


def test_vectors_made_before_a_failure_are_kept(memory_dir: Path) -> None:
    model = ColourEmbedder()
    model.turns = [None, ModelUnavailable("slow")]
    found, vectors = _embed(memory_dir, model)
    assert {key for key, vector in vectors.items() if vector} == {("lamp_1", 1), ("mug_1", 1)}
    assert found.embedding_model == "recorded:colour"
    assert found.problems == (f"{WITHOUT_VECTORS}: slow",)


def test_image_that_is_gone_costs_only_its_own_vectors(memory_dir: Path) -> None:
    (memory_dir / GRAPH.chunk.keyframes[0].image_path).unlink()
    found, vectors = _embed(memory_dir, ColourEmbedder())
    assert {key for key, vector in vectors.items() if vector} == {("lamp_1", 2)}
    assert "1.jpg cannot be read" in found.problems[0]


def test_chunk_without_objects_asks_nothing(memory_dir: Path) -> None:
    model = ColourEmbedder()
    bare = replace(GRAPH, objects=())
    assert _embed(memory_dir, model, bare)[0] == bare
    assert model.asked == []


@pytest.mark.parametrize("rows", [np.full((2, 4), np.nan), np.ones((1, 4))])
def test_vectors_that_cannot_be_are_not_taken(
    memory_dir: Path, monkeypatch: pytest.MonkeyPatch, rows: Array
) -> None:
    model = ColourEmbedder()

    async def strange(images: object, deadline_s: float) -> Array:
        return rows

    monkeypatch.setattr(model, "embed_images", strange)
    found, vectors = _embed(memory_dir, model)
    assert not any(vectors.values())
    assert "no usable vectors" in found.problems[0]
