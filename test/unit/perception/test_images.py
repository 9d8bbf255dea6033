"""Each encoding with a picture of known colours, and what is refused."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from PIL import Image

from memory_nodes.errors import ImageError
from memory_nodes.perception.images import (
    depth_from_png,
    depth_from_raw,
    depth_to_png,
    from_compressed,
    keep_jpeg,
    to_jpeg,
    write_durably,
)

RGB = np.array(
    [
        [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]],
        [[10, 20, 30], [40, 50, 60], [70, 80, 90], [0, 0, 0]],
    ],
    np.uint8,
)
"""4 x 2 px."""
ORIENTATION = 0x0112


def _padded(pixels: NDArray[np.uint8], padding_bytes: int) -> tuple[bytes, int]:
    """The rows with rubbish behind each, and the step."""
    rows = pixels.reshape(2, -1)
    rubbish = np.full((2, padding_bytes), 99, np.uint8)
    return np.hstack([rows, rubbish]).tobytes(), rows.shape[1] + padding_bytes


def _encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def test_png_comes_out_as_it_was() -> None:
    image = from_compressed(_encoded(Image.fromarray(RGB), "PNG"))
    assert_array_equal(np.asarray(image), RGB)


def test_damaged_jpeg_is_an_image_error_wherever_it_is_cut() -> None:
    whole = _encoded(Image.effect_noise((64, 48), 80.0).convert("RGB"), "JPEG")
    for length in range(0, len(whole) - 2, 37):
        with pytest.raises(ImageError, match="no whole JPEG or PNG"):
            from_compressed(whole[:length])


def test_flipped_bytes_give_an_image_or_an_image_error() -> None:
    chance = np.random.default_rng(0)
    for kind in ("JPEG", "PNG"):
        whole = _encoded(Image.effect_noise((64, 48), 80.0).convert("RGB"), kind)
        for _ in range(150):
            damaged = bytearray(whole)
            for place in chance.integers(0, len(whole), 4):
                damaged[place] = int(chance.integers(0, 256))
            try:
                from_compressed(bytes(damaged))
            except ImageError:
                continue


def test_other_formats_are_refused() -> None:
    with pytest.raises(ImageError):
        from_compressed(_encoded(Image.fromarray(RGB), "GIF"))


def test_jpeg_is_shrunk_to_the_longest_side_and_never_grown() -> None:
    wide = to_jpeg(Image.new("RGB", (400, 100)), 200, 90)
    assert (wide.width_px, wide.height_px) == (200, 50)
    small = to_jpeg(Image.new("RGB", (40, 10)), 200, 90)
    assert (small.width_px, small.height_px) == (40, 10)


def test_image_with_alpha_becomes_a_colour_jpeg() -> None:
    jpeg = to_jpeg(Image.new("RGBA", (8, 8), (255, 0, 0, 0)), 200, 95)
    with Image.open(io.BytesIO(jpeg.data)) as image:
        assert (image.format, image.mode) == ("JPEG", "RGB")


def _turned() -> Image.Exif:
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    return exif


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        (_encoded(Image.new("RGB", (64, 48)), "JPEG"), True),
        (_encoded(Image.new("RGB", (65, 48)), "JPEG"), False),
        (_encoded(Image.new("L", (64, 48)), "JPEG"), False),
        (_encoded(Image.new("CMYK", (64, 48)), "JPEG"), False),
        (_encoded(Image.new("RGB", (64, 48)), "PNG"), False),
        (_encoded(Image.new("RGB", (64, 48)), "JPEG", exif=_turned()), False),
    ],
    ids=["as it is", "too wide", "grey", "print colours", "png", "turned"],
)
def test_only_an_upright_colour_jpeg_of_allowed_size_is_kept(data: bytes, kept: bool) -> None:
    jpeg = keep_jpeg(data, from_compressed(data), 64)
    assert (jpeg is not None and jpeg.data == data) is kept


@pytest.mark.parametrize("padding_bytes", [0, 6])
def test_depth_in_millimetres_becomes_metres(padding_bytes: int) -> None:
    millimetres = np.array([[0, 1, 1500, 65535], [2, 3, 4, 5]], "<u2")
    data, step_bytes = _padded(millimetres.view(np.uint8), padding_bytes)
    depth_m = depth_from_raw(data, "16UC1", 4, 2, step_bytes)
    np.testing.assert_allclose(depth_m[0], [0.0, 0.001, 1.5, 65.535], rtol=1e-6)


def test_depth_in_metres_has_no_return_where_it_is_not_finite() -> None:
    metres = np.array([[0.5, np.nan, np.inf, -np.inf], [1.0, 2.0, 3.0, 4.0]], "<f4")
    depth_m = depth_from_raw(metres.tobytes(), "32FC1", 4, 2, 16)
    assert_array_equal(depth_m, [[0.5, 0.0, 0.0, 0.0], [1.0, 2.0, 3.0, 4.0]])


def test_other_depth_encodings_are_named() -> None:
    with pytest.raises(ImageError, match="'8UC1'"):
        depth_from_raw(b"", "8UC1", 4, 2, 4)


def test_missing_depth_bytes_are_refused() -> None:
    with pytest.raises(ImageError, match="15 bytes"):
        depth_from_raw(bytes(15), "16UC1", 4, 2, 8)


def test_stored_depth_is_right_to_the_millimetre() -> None:
    depth_m = np.array([[0.0, 0.0004, 0.5006, 65.535]], np.float32)
    np.testing.assert_allclose(depth_from_png(depth_to_png(depth_m)), depth_m, atol=5.1e-4)


@pytest.mark.filterwarnings("error")
def test_depth_that_a_png_cannot_hold_counts_as_unmeasured() -> None:
    depth_m = np.array([[66.0, -1.0, np.nan, np.inf, 2.0]], np.float32)
    assert_array_equal(depth_from_png(depth_to_png(depth_m)), [[0.0, 0.0, 0.0, 0.0, 2.0]])


def test_written_file_is_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "day" / "1.jpg"
    write_durably(path, b"first")
    write_durably(path, b"second")
    assert path.read_bytes() == b"second"
    assert [item.name for item in path.parent.iterdir()] == ["1.jpg"]
