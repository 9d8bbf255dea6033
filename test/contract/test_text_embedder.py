"""What every TextEmbedder does: the hashed one of the tests, an endpoint's, and a real model."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import openai
import pytest

from memory_nodes.errors import ModelUnavailable
from memory_nodes.geometry import Array
from memory_nodes.models.background import BackgroundLoop
from memory_nodes.models.local_embeddings import MiniLMEmbedder
from memory_nodes.models.openai_embeddings import OpenAIEmbedder
from memory_nodes.models.ports import TextEmbedder
from memory_test_support.model_server import ModelServer
from memory_test_support.recorded_models import HashedEmbedder

DEADLINE_S = 60.0


class Embed(Protocol):
    """Calls the adapter and waits for it."""

    def __call__(self, texts: Sequence[str], deadline_s: float = DEADLINE_S) -> Array: ...


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture(scope="module")
def minilm() -> MiniLMEmbedder:
    return MiniLMEmbedder()


@pytest.fixture(
    params=["hashed", "openai", pytest.param("minilm", marks=pytest.mark.models)],
)
def embedder(request: pytest.FixtureRequest, server: ModelServer) -> TextEmbedder:
    if request.param == "hashed":
        return HashedEmbedder()
    if request.param == "openai":
        client = openai.AsyncOpenAI(base_url=server.base_url, api_key="none", max_retries=0)
        return OpenAIEmbedder(client, "any")
    real: TextEmbedder = request.getfixturevalue("minilm")
    return real


@pytest.fixture(scope="module")
def loop() -> Iterator[BackgroundLoop]:
    """One for all calls of an adapter, as in a node: a client keeps connections in its loop."""
    running = BackgroundLoop("contract")
    yield running
    running.close()


@pytest.fixture
def embed(embedder: TextEmbedder, loop: BackgroundLoop) -> Embed:
    def embed(texts: Sequence[str], deadline_s: float = DEADLINE_S) -> Array:
        return loop.start(embedder.embed(texts, deadline_s)).result()

    return embed


def test_each_text_gets_a_unit_vector(embed: Embed) -> None:
    vectors = embed(["a red mug", "a parking garage", "x"])
    assert vectors.shape[0] == 3
    assert vectors.dtype == np.dtype(np.float64)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_vector_of_a_text_does_not_depend_on_its_neighbours(embed: Embed) -> None:
    together = embed(["a red mug", "a long text about a parking garage", "sofa"])
    alone = embed(["sofa"])
    np.testing.assert_allclose(together[2], alone[0], atol=1e-5)


def test_texts_that_say_the_same_are_nearer_than_others(embed: Embed) -> None:
    mug, same, other = embed(
        ["a red mug on the desk", "the red mug on a desk", "parking garage at night"]
    )
    assert mug @ same > mug @ other + 0.2


def test_no_text_gets_no_vector(embed: Embed) -> None:
    assert len(embed([])) == 0


def test_vectors_are_marked_with_their_model(embedder: TextEmbedder) -> None:
    assert embedder.model_id


def test_call_out_of_time_is_unavailable_and_does_not_hold_up_the_next(
    embed: Embed, embedder: TextEmbedder, server: ModelServer
) -> None:
    if isinstance(embedder, HashedEmbedder):
        pytest.skip("answers at once")
    server.hang()
    started_s = time.monotonic()
    try:
        with pytest.raises(ModelUnavailable):
            embed(["a long text " * 50] * 2000, 0.01)
    finally:
        server.restore()
    assert len(embed(["mug"])) == 1
    assert time.monotonic() - started_s < DEADLINE_S


@pytest.mark.models
def test_real_model_knows_that_a_couch_is_a_sofa(
    minilm: MiniLMEmbedder, loop: BackgroundLoop
) -> None:
    texts = ["couch", "sofa", "cordless drill"]
    couch, sofa, drill = loop.start(minilm.embed(texts, DEADLINE_S)).result()
    assert couch @ sofa > 0.5 > couch @ drill
