"""Texts get their vectors when the model can make them, and wait on disk until then."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from memory_nodes.episodic.embedding_worker import BATCH_SIZE, IDLE_S, RETRY_S, EmbeddingWorker
from memory_nodes.errors import ConfigurationError, ModelRejected, ModelUnavailable
from memory_nodes.geometry import Array, Pose
from memory_nodes.models.ports import TextEmbedder
from memory_nodes.records import Observation
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.model_server.embedding import embed
from memory_test_support.recorded_models import HashedEmbedder


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    yield opened
    opened.close()


def _worker(writer: Writer, embedder: TextEmbedder, *, reembed: bool = False) -> EmbeddingWorker:
    return EmbeddingWorker(writer, embedder, 5.0, reembed=reembed)


def _remember(writer: Writer, *texts: str) -> None:
    for text in texts:
        writer.add(Observation(1, "map", "map", "description", text, Pose.identity()))


def _nearest(memory_dir: Path, text: str) -> list[str]:
    search = Search(memory_dir)
    try:
        return [hit.text for hit in search.semantic(np.array(embed(text)), 1).hits]
    finally:
        search.close()


def _run(worker: EmbeddingWorker) -> float:
    """Until there is nothing to do now; gives how long to wait."""
    for _ in range(50):
        wait_s = asyncio.run(worker.step())
        if wait_s > 0.0:
            return wait_s
    raise AssertionError("the worker found no end")


def test_texts_are_found_by_meaning_once_embedded(writer: Writer, tmp_path: Path) -> None:
    texts = [f"{color} mug" for color in ("red", "blue", "green")]
    texts += [f"chair number {number}" for number in range(2 * BATCH_SIZE)]
    _remember(writer, *texts)
    assert _run(_worker(writer, HashedEmbedder())) == IDLE_S
    assert writer.texts_without_vector(10) == {}
    assert _nearest(tmp_path, "blue mug") == ["blue mug"]


def test_texts_wait_while_the_model_is_down(writer: Writer, tmp_path: Path) -> None:
    embedder = HashedEmbedder()
    worker = _worker(writer, embedder)
    _run(worker)
    embedder.turn = ModelUnavailable("overloaded", retry_after_s=7.0)
    _remember(writer, "red mug")
    assert _run(worker) == 7.0
    assert worker.problem is not None
    assert "overloaded" in worker.problem
    assert list(writer.texts_without_vector(10).values()) == ["red mug"]
    embedder.turn = None
    assert _run(worker) == IDLE_S
    assert worker.problem is None
    assert _nearest(tmp_path, "red mug") == ["red mug"]


def test_model_that_is_down_at_start_is_tried_again(writer: Writer) -> None:
    embedder = HashedEmbedder()
    embedder.turn = ModelUnavailable("no connection")
    worker = _worker(writer, embedder)
    assert _run(worker) == RETRY_S
    embedder.turn = None
    assert _run(worker) == IDLE_S


def test_another_model_is_refused_and_nothing_is_mixed(writer: Writer, tmp_path: Path) -> None:
    other = EmbeddingModel("other", 3)
    writer.use_embedding_model(other)
    _remember(writer, "red mug")
    writer.store_vectors(dict.fromkeys(writer.texts_without_vector(1), np.array([1.0, 0.0, 0.0])))
    worker = _worker(writer, HashedEmbedder())
    assert _run(worker) > RETRY_S
    assert worker.problem is not None
    assert "other" in worker.problem
    search = Search(tmp_path)
    assert len(search.semantic(np.array([1.0, 0.0, 0.0]), 1).hits) == 1
    search.close()


def test_another_model_embeds_all_anew_where_that_is_wanted(writer: Writer, tmp_path: Path) -> None:
    writer.use_embedding_model(EmbeddingModel("other", 3))
    _remember(writer, "red mug", "blue chair")
    waiting = writer.texts_without_vector(2)
    writer.store_vectors(dict.fromkeys(waiting, np.array([1.0, 0.0, 0.0])))
    _run(_worker(writer, HashedEmbedder(), reembed=True))
    assert _nearest(tmp_path, "blue chair") == ["blue chair"]


class _Refusing(HashedEmbedder):
    """Refuses each request with one text in it."""

    def __init__(self, refused: str) -> None:
        super().__init__()
        self._refused = refused

    async def embed(self, texts: Sequence[str], deadline_s: float) -> Array:
        if self._refused in texts:
            raise ModelRejected("input too long")
        return await super().embed(texts, deadline_s)


def test_text_that_the_model_refuses_holds_up_no_other(writer: Writer, tmp_path: Path) -> None:
    texts = [f"chair number {number}" for number in range(10)]
    _remember(writer, *texts[:5], "refused", *texts[5:])
    assert _run(_worker(writer, _Refusing("refused"))) == IDLE_S
    search = Search(tmp_path)
    assert search.progress == (0, 0)
    search.refresh()
    assert search.progress[1] == len(texts)
    search.close()
    assert _nearest(tmp_path, "chair number 7") == ["chair number 7"]


def test_model_that_is_not_installed_is_a_problem_that_is_told(writer: Writer) -> None:
    embedder = HashedEmbedder()
    embedder.turn = ConfigurationError("local embeddings need torch")
    worker = _worker(writer, embedder)
    assert _run(worker) > RETRY_S
    assert worker.problem == "local embeddings need torch"
