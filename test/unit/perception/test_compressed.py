"""Compressed images as drivers really send them, and what is refused."""

from __future__ import annotations

import io

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from PIL import Image

from memory_nodes.errors import EncodingUnsupported
from memory_nodes.perception.images import from_compressed, keep_jpeg, to_jpeg

RGB = np.array(
    [
        [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]],
        [[10, 20, 30], [40, 50, 60], [70, 80, 90], [0, 0, 0]],
    ],
    np.uint8,
)
"""4 x 2 px."""
GREY = np.array([[0, 50, 100, 255], [1, 2, 3, 4]], np.uint8)
LOSS = 3
"""What a JPEG of best quality may change a value by: its colours are rounded twice."""


def _encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def _jpeg(image: Image.Image) -> bytes:
    return _encoded(image, "JPEG", quality=100, subsampling=0)


def _shown(image: Image.Image) -> NDArray[np.int64]:
    """What a model will be shown, before it is compressed."""
    return np.asarray(image.convert("RGB")).astype(np.int64)


PNG, JPEG = _encoded(Image.fromarray(RGB), "PNG"), _jpeg(Image.fromarray(RGB))


@pytest.mark.parametrize(
    "format_text",
    [
        *("png", "PNG", "", "bgr8; png compressed bgr8", "rgb8; png compressed rgb8"),
        *("rgba8; png compressed bgra8", "rgb8; png compressed ", "jpeg", "whatever"),
    ],
)
def test_png_is_exact_whatever_the_format_is_called(format_text: str) -> None:
    assert_array_equal(_shown(from_compressed(PNG, format_text)), RGB)


@pytest.mark.parametrize(
    "format_text",
    [
        *("jpeg", "jpg", "JPEG", ".jpg", "image/jpeg", "", "rgb8; jpeg compressed bgr8"),
        *("bgr8; jpeg compressed bgr8", "rgb8; jpeg compressed rgb8", "rgb8; jpeg compressed "),
        *("bayer_rggb8; jpeg compressed bgr8", "yuv422_yuy2; jpeg compressed bgr8", "png"),
    ],
)
def test_jpeg_has_its_colours_whatever_the_format_is_called(format_text: str) -> None:
    assert_allclose(_shown(from_compressed(JPEG, format_text)), RGB, atol=LOSS)


@pytest.mark.parametrize("format_text", ["mono8; jpeg compressed mono8", "jpeg", "rgb8; jpeg"])
def test_grey_jpeg_is_grey(format_text: str) -> None:
    image = from_compressed(_jpeg(Image.fromarray(GREY)), format_text)
    assert_allclose(_shown(image), np.stack([GREY] * 3, axis=2), atol=LOSS)


def test_jpeg_of_print_colours_has_the_colours_of_the_screen() -> None:
    ink = np.array([[[0, 255, 255, 0], [255, 0, 255, 0], [0, 0, 0, 0], [0, 0, 0, 255]]], np.uint8)
    image = from_compressed(_jpeg(Image.fromarray(ink, "CMYK")), "jpeg")
    red_green_white_black = [[[255, 0, 0], [0, 255, 0], [255, 255, 255], [0, 0, 0]]]
    assert_allclose(_shown(image), red_green_white_black, atol=LOSS)


def test_png_with_alpha_keeps_the_colours_beneath() -> None:
    alpha = np.array([[[0], [7], [128], [255]]] * 2, np.uint8)
    data = _encoded(Image.fromarray(np.concatenate([RGB, alpha], axis=2)), "PNG")
    assert_array_equal(_shown(from_compressed(data, "rgba8; png compressed bgra8")), RGB)


def test_png_with_a_palette_has_the_colours_of_its_palette() -> None:
    data = _encoded(Image.fromarray(RGB).quantize(8), "PNG")
    assert_array_equal(_shown(from_compressed(data, "png")), RGB)


@pytest.mark.parametrize("format_text", ["mono16; png compressed ", "16UC1; png compressed", "png"])
def test_grey_png_of_16_bits_is_scaled_to_8(format_text: str) -> None:
    deep = np.array([[0, 258, 25700, 65535], [128, 129, 32768, 4660]], np.uint16)
    image = from_compressed(_encoded(Image.fromarray(deep), "PNG"), format_text)
    expected = np.array([[0, 1, 100, 255], [0, 1, 128, 18]])  # v / 257, rounded
    assert_array_equal(_shown(image), np.stack([expected] * 3, axis=2))


@pytest.mark.parametrize("bits", [8, 16])
def test_mosaic_that_was_compressed_as_it_is_gets_its_colours(bits: int) -> None:
    mosaic = np.array([[200, 100, 200, 100], [100, 50, 100, 50]], np.uint8)
    sent = mosaic if bits == 8 else mosaic.astype(np.uint16) * 257
    data = _encoded(Image.fromarray(sent), "PNG")
    image = from_compressed(data, f"bayer_rggb{bits}; png compressed ")
    assert_array_equal(_shown(image), [[(200, 100, 50)] * 4] * 2)


def test_bytes_of_a_compressed_mosaic_are_not_kept() -> None:
    data = _jpeg(Image.fromarray(GREY))
    image = from_compressed(data, "bayer_rggb8; jpeg compressed ")
    assert image.mode == "RGB"
    assert keep_jpeg(data, image, 64) is None


def test_mosaic_that_was_made_grey_before_stays_grey() -> None:
    image = from_compressed(_jpeg(Image.fromarray(GREY)), "bayer_rggb8; jpeg compressed mono8")
    assert_allclose(_shown(image), np.stack([GREY] * 3, axis=2), atol=LOSS)


@pytest.mark.parametrize(
    ("data", "format_text"),
    [
        (bytes(12) + PNG, "16UC1; compressedDepth png"),
        (bytes(12) + PNG, "32FC1; compressedDepth"),
        (PNG, "16UC1; compressedDepth png"),
        (bytes(64), "16UC1; compressedDepth rvl"),
        (bytes(64), ""),
        (b"", "jpeg"),
        (b"\x00\x00\x00\x01\x67", "h264"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "webp"),
        (b"II*\x00", "rgb8; tiff compressed bgr8"),
    ],
)
def test_what_is_no_picture_is_refused_with_its_format(data: bytes, format_text: str) -> None:
    with pytest.raises(EncodingUnsupported, match=f"format '{format_text}'"):
        from_compressed(data, format_text)


@pytest.mark.parametrize("mode", ["L", "RGBA", "CMYK", "P"])
def test_every_mode_becomes_a_colour_jpeg(mode: str) -> None:
    jpeg = to_jpeg(Image.new(mode, (8, 8)), 200, 95)
    with Image.open(io.BytesIO(jpeg.data)) as image:
        assert (image.format, image.mode) == ("JPEG", "RGB")
