"""Vectors of views on their way from the detector to the memory, made by the embedder of tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from robot_memory.msg import ChunkGraph

from memory_nodes.errors import ConfigurationError, ExtraMissing, ModelUnavailable
from memory_nodes.nodes import detector_node
from memory_nodes.nodes.detector_node import DetectorNode
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import graph_from_msg
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.model_server import ModelServer
from memory_test_support.node_bench import NodeBench
from memory_test_support.recorded_models import ColourEmbedder
from memory_test_support.tour_player import TourPlayer

OPTIONS = {
    "use_visual_embeddings": True,
    "chunk_size": 4,
    "min_interval_s": 0.0,
    "min_translation_m": 0.0,
    "min_rotation_rad": 0.0,
    "sharpness_window_s": 0.0,
    "resend_s": 0.5,
    "qos_overrides./memory/image.subscription.reliability": "reliable",
}


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> ColourEmbedder:
    made = ColourEmbedder()
    monkeypatch.setattr(detector_node, "OpenClipEmbedder", lambda config: made)
    return made


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    with NodeBench(ros_domain, tmp_path) as made:
        yield made


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def _first_graph(bench: NodeBench) -> ChunkGraph:
    graphs = bench.heard(ChunkGraph, endpoints.CHUNK_DETECTIONS)
    bench.make(TourPlayer, speed=20.0, last_frame=3)
    bench.until(lambda: bool(graphs), "a chunk", 40.0)
    return graphs[0]


def test_vectors_go_from_the_images_through_spool_and_message_into_the_memory(
    bench: NodeBench, server: ModelServer, model: ColourEmbedder
) -> None:
    bench.start(DetectorNode, base_url=server.base_url, **OPTIONS)
    graph = graph_from_msg(_first_graph(bench))
    sent = {
        (item.object_id, view.keyframe_id): view.embedding
        for item in graph.objects
        for view in item.views
    }
    assert len(sent) == sum(model.asked) > 0
    assert {len(vector) for vector in sent.values()} == {8}
    Writer(bench.memory_dir).commit_chunk(replace(graph, resolved=True))
    stored = Reader(bench.memory_dir).embeddings(model.model_id)
    assert set(zip(stored.object_ids, stored.keyframe_ids, strict=True)) == sent.keys()


def test_chunk_goes_on_and_diagnostics_warn_when_the_model_of_pictures_fails(
    bench: NodeBench, server: ModelServer, model: ColourEmbedder
) -> None:
    model.turns = [ModelUnavailable("too slow")]
    node = bench.start(DetectorNode, base_url=server.base_url, **OPTIONS)
    reports = bench.heard(DiagnosticArray, endpoints.DIAGNOSTICS)
    graph = _first_graph(bench)
    assert graph.objects
    assert graph.embedding_model == ""
    assert any("without visual vectors: too slow" in line for line in graph.problems)
    bench.until(lambda: _warns(reports, "without visual vectors"), "the warning")
    assert node.counters["views_embedded"] == 0


def test_model_of_pictures_that_cannot_be_made_fails_the_configuration(
    bench: NodeBench, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(config: object) -> object:
        raise ConfigurationError("visual embeddings need the Python module open_clip")

    monkeypatch.setattr(detector_node, "OpenClipEmbedder", missing)
    node = bench.make(DetectorNode, base_url=server.base_url, **OPTIONS)
    assert str(node.trigger_configure()).endswith("FAILURE")


def test_without_the_extra_recording_goes_on_and_the_diagnostics_warn(
    bench: NodeBench, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(config: object) -> object:
        raise ExtraMissing("there are no visual embeddings without the Python module torch")

    monkeypatch.setattr(detector_node, "OpenClipEmbedder", missing)
    bench.start(DetectorNode, base_url=server.base_url, **OPTIONS)
    reports = bench.heard(DiagnosticArray, endpoints.DIAGNOSTICS)
    bench.until(lambda: _warns(reports, "no visual embeddings"), "the warning")


def test_without_use_visual_embeddings_no_model_is_made(
    bench: NodeBench, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detector_node, "OpenClipEmbedder", None)
    bench.start(DetectorNode, base_url=server.base_url)


def _warns(reports: list[Any], text: str) -> bool:
    return any(
        text in status.message and status.level == DiagnosticStatus.WARN
        for array in reports
        for status in array.status
    )
