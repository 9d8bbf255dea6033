"""open_clip that cannot be loaded or runs out of memory; RANDOM weights wherever there are any."""

from __future__ import annotations

import asyncio
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from memory_nodes.errors import ConfigurationError, ModelUnavailable
from memory_nodes.geometry import Array
from memory_nodes.models.visual_embeddings import OpenClipEmbedder, VisualConfig
from memory_test_support.child import run_python
from memory_test_support.random_clip import TINY, random_weights

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def random_config(tmp_path_factory: pytest.TempPathFactory) -> VisualConfig:
    return random_weights(tmp_path_factory.mktemp("weights"), seed=1)


def _pictures(count: int) -> list[Image.Image]:
    rng = np.random.default_rng(5)
    return [Image.fromarray(rng.integers(0, 255, (40, 60, 3), np.uint8)) for _ in range(count)]


def _images(made: OpenClipEmbedder, images: list[Image.Image]) -> Array:
    return asyncio.run(made.embed_images(images, 60.0))


def test_no_memory_on_cuda_means_smaller_batches_then_the_cpu(
    random_config: VisualConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CUDA is played here: what it raises comes while the device is said to be cuda."""
    made = OpenClipEmbedder(random_config)
    made.load()
    made._device = "cuda"
    sizes: list[int] = []
    encode = made._encode_images

    def scarce(images: list[Image.Image]) -> Any:
        sizes.append(len(images))
        if made._device == "cuda":
            raise import_module("torch").OutOfMemoryError("out of memory")
        return encode(images)

    monkeypatch.setattr(made, "_encode_images", scarce)
    pictures = _pictures(6)
    rows = _images(made, pictures)
    assert sizes == [4, 2, 1, 4, 2]
    assert made.problem is not None
    assert "on the CPU" in made.problem
    monkeypatch.undo()
    assert rows == pytest.approx(_images(made, pictures), abs=1e-5)


def test_no_memory_on_the_cpu_either_is_unavailable(
    random_config: VisualConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = OpenClipEmbedder(random_config)

    def nothing_left(images: list[Image.Image]) -> Any:
        raise import_module("torch").OutOfMemoryError("out of memory")

    monkeypatch.setattr(made, "_encode_images", nothing_left)
    with pytest.raises(ModelUnavailable, match="no memory for one picture"):
        _images(made, _pictures(3))


@pytest.mark.parametrize(
    ("model", "weights"),
    [
        *(("ViT-B-32", "nobody_trained_this"), ("no-such-model", "webli")),
        *((TINY, "{directory}/damaged.pt"), (TINY, "{directory}/damaged.safetensors")),
        (TINY, "{directory}/empty.pt"),
    ],
)
def test_what_cannot_be_loaded_is_named_with_its_cure(
    tmp_path: Path, model: str, weights: str, random_config: VisualConfig
) -> None:
    head = Path(random_config.visual_weights).read_bytes()[:1000]
    for name, data in (("damaged.pt", head), ("damaged.safetensors", head), ("empty.pt", b"")):
        (tmp_path / name).write_bytes(data)
    config = VisualConfig(visual_model=model, visual_weights=weights.format(directory=tmp_path))
    with pytest.raises(ConfigurationError, match=f"visual_model {model} .*cannot be loaded"):
        OpenClipEmbedder(config).load()


def test_hub_that_is_away_is_not_asked_again_for_each_chunk(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[str] = []

    def away(name: str, **options: object) -> None:
        calls.append(name)
        raise RuntimeError("the hub is away")

    monkeypatch.setattr(import_module("open_clip"), "create_model_and_transforms", away)
    made = OpenClipEmbedder(VisualConfig())
    for _ in range(3):
        with pytest.raises(ConfigurationError, match="the hub is away"):
            _images(made, _pictures(1))
    assert len(calls) == 1
    monkeypatch.setattr("memory_nodes.models.visual_embeddings.RELOAD_S", 0.0)
    with pytest.raises(ConfigurationError):
        _images(made, _pictures(1))
    assert len(calls) == 2


def test_file_of_another_model_is_refused(random_config: VisualConfig) -> None:
    config = VisualConfig(visual_model="ViT-B-32", visual_weights=random_config.visual_weights)
    with pytest.raises(ConfigurationError, match=r"ViT-B-32 .*cannot be loaded"):
        OpenClipEmbedder(config).load()


def test_cuda_where_there_is_none_is_told(
    random_config: VisualConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("torch").cuda, "is_available", lambda: False)
    config = VisualConfig(
        visual_model=TINY, visual_weights=random_config.visual_weights, visual_device="cuda"
    )
    with pytest.raises(ConfigurationError, match="visual_device is cuda"):
        OpenClipEmbedder(config).load()


_OFFLINE = """
import time
from memory_nodes.errors import ConfigurationError
from memory_nodes.models.visual_embeddings import OpenClipEmbedder, VisualConfig
made = OpenClipEmbedder(VisualConfig())
assert made.loads_locally
import open_clip
start_s = time.monotonic()
try:
    made.load()
except ConfigurationError as error:
    print(f"{time.monotonic() - start_s:.1f} {error}")
"""


def test_weights_of_a_hub_fail_at_once_when_offline(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    child = run_python(_OFFLINE)
    assert child.returncode == 0, child.stderr
    seconds, _, message = child.stdout.partition(" ")
    assert float(seconds) < 5.0
    assert "offline, so no hub is asked" in message


def test_weights_in_a_file_get_the_preprocessing_that_their_model_was_published_with(
    random_config: VisualConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SigLIP2 squashes to [-1, 1]; CLIP, which open_clip takes for any file, does not."""
    asked: dict[str, object] = {}

    def create(name: str, **options: object) -> None:
        asked.update(options)
        raise RuntimeError("enough seen")

    monkeypatch.setattr(import_module("open_clip"), "create_model_and_transforms", create)
    weights = random_config.visual_weights
    with pytest.raises(ConfigurationError):
        OpenClipEmbedder(VisualConfig(visual_weights=weights)).load()
    assert asked == {
        "pretrained": weights,
        **{"image_mean": (0.5, 0.5, 0.5), "image_std": (0.5, 0.5, 0.5)},
        **{"image_interpolation": "bicubic", "image_resize_mode": "squash"},
    }
    asked.clear()
    with pytest.raises(ConfigurationError):
        OpenClipEmbedder(VisualConfig(visual_model=TINY, visual_weights=weights)).load()
    assert asked == {"pretrained": weights}
