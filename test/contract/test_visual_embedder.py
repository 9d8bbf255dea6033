"""What every VisualEmbedder does: the one of the tests, and open_clip with RANDOM weights.

No trained weights are here: these tests hold what carries a model, not what a model can tell.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from memory_nodes.errors import ModelUnavailable
from memory_nodes.geometry import Array
from memory_nodes.models.ports import VisualEmbedder
from memory_nodes.models.visual_embeddings import OpenClipEmbedder, VisualConfig
from memory_nodes.perception.crops import crops
from memory_nodes.records import Box
from memory_nodes.retrieval.visual import nearest
from memory_nodes.vectors import ViewVectors, packed, unpacked
from memory_test_support.random_clip import TINY, random_weights
from memory_test_support.recorded_models import ColourEmbedder
from memory_test_support.tour import load_tour, load_truth

DEADLINE_S = 60.0
FRAMES = 20


@pytest.fixture(scope="module")
def random_config(tmp_path_factory: pytest.TempPathFactory) -> VisualConfig:
    return random_weights(tmp_path_factory.mktemp("weights"), seed=1)


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
    other = OpenClipEmbedder(random_weights(tmp_path, seed=2))
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
