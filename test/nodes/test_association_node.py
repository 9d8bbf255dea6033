"""Chunk detections in, chunk graphs with identities out, whatever model is away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from robot_memory.msg import ChunkGraph as ChunkGraphMsg

from memory_nodes.nodes.association_node import AssociationNode
from memory_nodes.records import ChunkGraph, ObjectDescriptor
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import graph_from_msg, graph_to_msg
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.writer import Writer
from memory_test_support.model_server import ModelServer
from memory_test_support.model_server.embedding import DIMENSIONS, embed
from memory_test_support.node_bench import NodeBench
from memory_test_support.records import descriptor, graph, keyframe, point, view

WITHOUT_MODEL = {"base_url": ""}
NOBODY = "http://127.0.0.1:9/v1"
"""The port of the discard protocol: nothing answers there."""
SOFA = descriptor("sofa_1", view(1), description="grey", position=point(3.0, 0.0, 1.0))


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    """Beside a memory of a sofa, whose text has a vector of the model server."""
    writer = Writer(tmp_path)
    writer.commit_chunk(graph(1, [keyframe(1)], [SOFA]))
    writer.use_embedding_model(EmbeddingModel("any", DIMENSIONS))
    waiting = writer.texts_without_vector(10)
    writer.store_vectors({key: np.array(embed(text)) for key, text in waiting.items()})
    writer.close()
    with NodeBench(ros_domain, tmp_path) as made:
        yield made


def _resolved(bench: NodeBench, seen: ObjectDescriptor) -> ChunkGraph:
    """What becomes of a second chunk that shows an object."""
    graphs = bench.heard(ChunkGraphMsg, endpoints.CHUNK_GRAPHS)
    chunk = graph(2, [keyframe(2)], [replace(seen, views=(view(2),))], resolved=False)
    bench.publisher(ChunkGraphMsg, endpoints.CHUNK_DETECTIONS).publish(graph_to_msg(chunk))
    bench.until(lambda: bool(graphs), "the resolved graph")
    return graph_from_msg(graphs[0])


def _warns(reports: list[Any], text: str) -> bool:
    return any(
        text in status.message and status.level == DiagnosticStatus.WARN
        for array in reports
        for status in array.status
    )


def test_joins_survive_the_message() -> None:
    joins = (("settee_1", "sofa_1"), ("couch_1", "sofa_1"))
    resolved = replace(graph(1, [keyframe(1)], [SOFA]), joins=joins)
    assert graph_from_msg(graph_to_msg(resolved)).joins == joins


def test_without_an_embedder_identities_are_by_words_and_places(bench: NodeBench) -> None:
    node = bench.start(AssociationNode, **WITHOUT_MODEL)
    assert node.embedder is None
    found = _resolved(bench, replace(SOFA, object_id="sofa_7"))
    assert [item.object_id for item in found.objects] == ["sofa_1"]
    assert (found.resolved, found.problems) == (True, ())
    assert node.health.status("it").message == "ok"


def test_embedder_that_cannot_be_reached_is_a_warning_and_graphs_are_published(
    bench: NodeBench,
) -> None:
    parameters = {"text_embedder": "openai", "embedding_model": "any", **WITHOUT_MODEL}
    bench.start(AssociationNode, embedding_base_url=NOBODY, **parameters)
    reports = bench.heard(DiagnosticArray, endpoints.DIAGNOSTICS)
    found = _resolved(bench, replace(SOFA, object_id="sofa_7"))
    assert [item.object_id for item in found.objects] == ["sofa_1"]
    assert found.resolved
    bench.until(lambda: _warns(reports, "association without meaning"), "the warning")


def test_embedder_of_the_memory_is_asked_and_there_is_nothing_to_warn_of(
    bench: NodeBench, server: ModelServer
) -> None:
    parameters = {"text_embedder": "openai", "embedding_model": "any", **WITHOUT_MODEL}
    node = bench.start(AssociationNode, embedding_base_url=server.base_url, **parameters)
    found = _resolved(bench, replace(SOFA, object_id="sofa_7"))
    assert [item.object_id for item in found.objects] == ["sofa_1"]
    assert found.problems == ()
    assert node.search.progress[1] == 1  # it has opened the vectors of the memory
    assert node.health.status("it").message == "ok"
