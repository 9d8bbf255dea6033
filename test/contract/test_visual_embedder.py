"""What every VisualEmbedder does: the one of the tests, and open_clip with RANDOM weights.

No trained weights are here: these tests hold what carries a model, not what a model can tell.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from memory_nodes.errors import ConfigurationError, ModelUnavailable
from memory_nodes.geometry import Array
from memory_nodes.models.ports import VisualEmbedder
from memory_nodes.models.visual_embeddings import (
    OpenClipEmbedder,
    VisualConfig,
    _published_preprocessing,
)
from memory_nodes.perception.crops import crops
from memory_nodes.records import Box
from memory_nodes.retrieval.visual import nearest
from memory_nodes.vectors import ViewVectors, packed, unpacked
from memory_test_support.child import run_python
from memory_test_support.recorded_models import ColourEmbedder
from memory_test_support.tour import load_tour, load_truth

TINY = "tiny-random-for-tests"
TINY_CONFIG = {
    "embed_dim": 64,
    "vision_cfg": {
        **{"image_size": 64, "layers": 2, "width": 64, "head_width": 32, "patch_size": 16}
    },
    "text_cfg": {
        **{"context_length": 77, "vocab_size": 49408, "width": 64, "heads": 2, "layers": 2}
    },
}
DEADLINE_S = 60.0
FRAMES = 20


def _random_weights(directory: Path, seed: int) -> VisualConfig:
    """A file of a small model that has learned nothing, and how to load it."""
    torch, open_clip = import_module("torch"), import_module("open_clip")
    (directory / f"{TINY}.json").write_text(json.dumps(TINY_CONFIG), encoding="utf-8")
    open_clip.add_model_config(directory / f"{TINY}.json")
    torch.manual_seed(seed)
    file = directory / f"random_{seed}.pt"
    torch.save(open_clip.create_model(TINY).state_dict(), file)
    return VisualConfig(
        visual_model=TINY, visual_weights=str(file), visual_device="cpu", visual_batch_size=4
    )


@pytest.fixture(scope="module")
def random_config(tmp_path_factory: pytest.TempPathFactory) -> VisualConfig:
    return _random_weights(tmp_path_factory.mktemp("weights"), seed=1)


@pytest.fixture(scope="module")
def random_clip(random_config: VisualConfig) -> OpenClipEmbedder:
    made = OpenClipEmbedder(random_config)
    made.load(with_texts=True)
    return made


@pytest.fixture(
    params=["colour", pytest.param("random_open_clip", marks=pytest.mark.models)],
)
def embedder(request: pytest.FixtureRequest) -> VisualEmbedder:
    if request.param == "colour":
        return ColourEmbedder()
    real: VisualEmbedder = request.getfixturevalue("random_clip")
    return real


def _images(embedder: VisualEmbedder, images: Sequence[Image.Image]) -> Array:
    return asyncio.run(embedder.embed_images(images, DEADLINE_S))


def _noise(count: int) -> list[Image.Image]:
    rng = np.random.default_rng(5)
    sides = rng.integers(1, 90, size=(count, 2))
    return [Image.fromarray(rng.integers(0, 255, (h, w, 3), np.uint8)) for h, w in sides]


def _tour_crops() -> list[Image.Image]:
    """Every annotated object in the first frames of the tour."""
    cut: list[Image.Image] = []
    for frame, views in zip(load_tour().frames[:FRAMES], load_truth().views, strict=False):
        cut += crops(frame.image_path, [Box(*view.box_px) for view in views], 0.1)
    return cut


def test_pictures_and_texts_become_unit_vectors_of_one_space(embedder: VisualEmbedder) -> None:
    pictures = _images(embedder, _noise(6))
    texts = asyncio.run(embedder.embed_texts(["red", "blue"], DEADLINE_S))
    assert (len(pictures), len(texts)) == (6, 2)
    assert pictures.shape[1] == texts.shape[1]
    for rows in (pictures, texts):
        assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(len(rows)), abs=1e-5)
    assert embedder.model_id


def test_nothing_becomes_no_rows(embedder: VisualEmbedder) -> None:
    assert _images(embedder, []).shape[0] == 0


def test_each_row_is_of_its_own_picture_whatever_is_beside_it(embedder: VisualEmbedder) -> None:
    pictures = _noise(6)  # more than a batch, less than two
    together = _images(embedder, pictures)
    for row, picture in zip(together, pictures, strict=True):
        assert row == pytest.approx(_images(embedder, [picture])[0], abs=1e-5)


@pytest.mark.models
def test_random_open_clip_gives_the_same_vector_twice(
    random_clip: OpenClipEmbedder, random_config: VisualConfig
) -> None:
    again = OpenClipEmbedder(random_config)
    pictures = _noise(4)
    assert (_images(random_clip, pictures) == _images(again, pictures)).all()
    assert again.model_id == random_clip.model_id


@pytest.mark.models
def test_random_open_clip_finds_the_same_crop_itself(random_clip: OpenClipEmbedder) -> None:
    """As stored: each crop is the nearest to itself among those of 20 frames."""
    rows = _images(random_clip, _tour_crops())
    assert len(rows) > 100
    matrix = unpacked([packed(row) for row in rows], rows.shape[1])
    numbers = tuple(range(len(rows)))
    known = ViewVectors(random_clip.model_id, tuple(map(str, numbers)), numbers, matrix)
    found = [nearest(row, random_clip.model_id, known, 1)[0].keyframe_id for row in rows]
    assert found == list(numbers)


@pytest.mark.models
def test_id_of_random_open_clip_names_model_and_file_and_changes_with_the_weights(
    random_clip: OpenClipEmbedder, tmp_path: Path
) -> None:
    other = OpenClipEmbedder(_random_weights(tmp_path, seed=2))
    other.load()
    assert random_clip.model_id.startswith(f"open_clip:{TINY}:random_1:")
    hashes = [made.model_id.rpartition(":")[2] for made in (random_clip, other)]
    assert len(set(hashes)) == 2
    assert str(tmp_path) not in other.model_id


@pytest.mark.models
def test_same_random_weights_in_a_file_of_another_name_have_the_same_hash(
    random_clip: OpenClipEmbedder, random_config: VisualConfig, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.pt"
    copy.write_bytes(Path(random_config.visual_weights).read_bytes())
    other = OpenClipEmbedder(VisualConfig(visual_model=TINY, visual_weights=str(copy)))
    other.load()
    assert other.model_id.rpartition(":")[2] == random_clip.model_id.rpartition(":")[2]


@pytest.mark.models
def test_deadline_ends_the_work_of_random_open_clip_after_a_batch(
    random_clip: OpenClipEmbedder,
) -> None:
    with pytest.raises(ModelUnavailable, match="did not embed 3000 items"):
        asyncio.run(random_clip.embed_images(_noise(10) * 300, 0.05))
    assert len(_images(random_clip, _noise(2))) == 2


@pytest.mark.models
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
    pictures = _noise(6)
    rows = _images(made, pictures)
    assert sizes == [4, 2, 1, 4, 2]
    assert made.problem is not None
    assert "on the CPU" in made.problem
    monkeypatch.undo()
    assert rows == pytest.approx(_images(made, pictures), abs=1e-5)


@pytest.mark.models
def test_no_memory_on_the_cpu_either_is_unavailable(
    random_config: VisualConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = OpenClipEmbedder(random_config)

    def nothing_left(images: list[Image.Image]) -> Any:
        raise import_module("torch").OutOfMemoryError("out of memory")

    monkeypatch.setattr(made, "_encode_images", nothing_left)
    with pytest.raises(ModelUnavailable, match="no memory for one picture"):
        _images(made, _noise(3))


@pytest.mark.models
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


@pytest.mark.models
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
            _images(made, _noise(1))
    assert len(calls) == 1
    monkeypatch.setattr("memory_nodes.models.visual_embeddings.RELOAD_S", 0.0)
    with pytest.raises(ConfigurationError):
        _images(made, _noise(1))
    assert len(calls) == 2


@pytest.mark.models
def test_file_of_another_model_is_refused(random_config: VisualConfig) -> None:
    config = VisualConfig(visual_model="ViT-B-32", visual_weights=random_config.visual_weights)
    with pytest.raises(ConfigurationError, match=r"ViT-B-32 .*cannot be loaded"):
        OpenClipEmbedder(config).load()


@pytest.mark.models
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


@pytest.mark.models
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


@pytest.mark.models
def test_weights_in_a_file_get_the_preprocessing_that_their_model_was_published_with() -> None:
    """SigLIP2 squashes to [-1, 1]; CLIP, which open_clip takes for any file, does not."""
    found = _published_preprocessing("ViT-B-16-SigLIP2-256")
    assert found == {
        **{"image_mean": (0.5, 0.5, 0.5), "image_std": (0.5, 0.5, 0.5)},
        **{"image_interpolation": "bicubic", "image_resize_mode": "squash"},
    }
    assert _published_preprocessing(TINY) == {}
