"""Visual embeddings where they are not installed, or set up wrongly."""

from __future__ import annotations

import sys

import pytest

from memory_nodes.errors import ConfigurationError
from memory_nodes.models.visual_embeddings import OpenClipEmbedder, VisualConfig, is_offline


@pytest.mark.parametrize("missing", ["torch", "open_clip"])
def test_missing_package_is_named_with_its_cure(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setattr(
        "memory_nodes.models.visual_embeddings.find_spec",
        lambda name: None if name == missing else sys,
    )
    with pytest.raises(ConfigurationError, match=rf"{missing}: run `\./dev setup --models` or"):
        OpenClipEmbedder(VisualConfig())


def test_weights_that_are_no_file_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memory_nodes.models.visual_embeddings.find_spec", lambda name: sys)
    with pytest.raises(ConfigurationError, match=r"visual_weights /nowhere/clip\.pt is no file"):
        OpenClipEmbedder(VisualConfig(visual_weights="/nowhere/clip.pt"))


@pytest.mark.parametrize(("value", "offline"), [("1", True), ("true", True), ("0", False)])
def test_offline_is_what_hugging_face_takes_for_it(
    monkeypatch: pytest.MonkeyPatch, value: str, offline: bool
) -> None:
    monkeypatch.delenv("TRANSFORMERS_OFFLINE", raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", value)
    assert is_offline() is offline
    monkeypatch.delenv("HF_HUB_OFFLINE")
    assert not is_offline()
