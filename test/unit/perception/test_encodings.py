"""For each encoding a picture of 4x2 px with known colours, and what is refused.

Expected YUV colours were computed by hand with ITU-R BT.601, which OpenCV and V4L2 use for these
encodings, for Y of 16..235 and Cb, Cr of 16..240:

    R = 1.164384 (Y - 16) + 1.596027 (Cr - 128)
    G = 1.164384 (Y - 16) - 0.391762 (Cb - 128) - 0.812968 (Cr - 128)
    B = 1.164384 (Y - 16) + 2.017232 (Cb - 128)

rounded and cut to 0..255. Red (81, 90, 240): 75.685 + 178.755 = 254.44; 75.685 + 14.887 - 91.052
= -0.48; 75.685 - 76.655 = -0.97, so that it is (254, 0, 0).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from memory_nodes.errors import EncodingUnsupported, ImageError
from memory_nodes.perception.encodings import ENCODINGS, from_raw

Bytes = NDArray[np.uint8]

RGB = np.array(
    [
        [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]],
        [[10, 20, 30], [40, 50, 60], [70, 80, 90], [0, 0, 0]],
    ],
    np.uint8,
)
BGR = RGB[:, :, ::-1]
ALPHA = np.full((2, 4, 1), 7, np.uint8)
GREY = np.array([[0, 50, 100, 255], [1, 2, 3, 4]], np.uint8)
GREY_RGB = np.stack([GREY] * 3, axis=2)
GREY_16 = np.array([[0, 258, 257 * 100, 65535], [128, 129, 32768, 0x1234]], np.uint16)
GREY_16_RGB = np.stack([[[0, 1, 100, 255], [0, 1, 128, 18]]] * 3, axis=2)
"""v / 257, rounded: 128 / 257 = 0.498, 129 / 257 = 0.502, 32768 / 257 = 127.502."""

# Y, Cb, Cr of full colours in BT.601.
RED, GREEN, BLUE = (81, 90, 240), (145, 54, 34), (41, 240, 110)
WHITE, BLACK, MIDDLE = (235, 128, 128), (16, 128, 128), (126, 128, 128)
YUV_444 = np.array([[RED, GREEN, BLUE, WHITE], [BLACK, MIDDLE, RED, GREEN]], np.uint8)
YUV_444_RGB = [
    [[254, 0, 0], [0, 255, 1], [0, 0, 255], [255, 255, 255]],
    [[0, 0, 0], [128, 128, 128], [254, 0, 0], [0, 255, 1]],
]
YUV_422 = np.array([[RED, RED, GREEN, GREEN], [BLUE, BLUE, WHITE, BLACK]], np.uint8)
YUV_422_RGB = [
    [[254, 0, 0], [254, 0, 0], [0, 255, 1], [0, 255, 1]],
    [[0, 0, 255], [0, 0, 255], [255, 255, 255], [0, 0, 0]],
]
YUV_420 = np.array([[RED, RED, WHITE, BLACK], [RED, RED, MIDDLE, WHITE]], np.uint8)
YUV_420_RGB = [
    [[254, 0, 0], [254, 0, 0], [255, 255, 255], [0, 0, 0]],
    [[254, 0, 0], [254, 0, 0], [128, 128, 128], [255, 255, 255]],
]

FLAT = (200, 100, 50)
"""One colour all over: what a mosaic of two rows can tell exactly."""
MOSAICS = {
    "rggb": [[200, 100, 200, 100], [100, 50, 100, 50]],
    "bggr": [[50, 100, 50, 100], [100, 200, 100, 200]],
    "gbrg": [[100, 50, 100, 50], [200, 100, 200, 100]],
    "grbg": [[100, 200, 100, 200], [50, 100, 50, 100]],
}


@dataclass(frozen=True)
class Case:
    """A picture, plane by plane: (rows, values of a row)."""

    encoding: str
    planes: list[NDArray[Any]]
    expected: Any

    def data(self, padding_bytes: int, is_bigendian: bool) -> tuple[bytes, int]:
        """The bytes of a message with rubbish behind each row, and its step."""
        order: Literal[">", "<"] = ">" if is_bigendian else "<"
        rows = [
            plane.astype(plane.dtype.newbyteorder(order)).view(np.uint8) for plane in self.planes
        ]
        step_bytes = rows[0].shape[1] + padding_bytes
        padded = b""
        for plane in rows:
            strides = max(plane.shape[1] // rows[0].shape[1], 1)
            rubbish = np.full((len(plane), strides * padding_bytes), 99, np.uint8)
            padded += np.hstack([plane, rubbish]).tobytes()
        return padded, step_bytes


def _packed(encoding: str, pixels: NDArray[Any], expected: Any) -> Case:
    return Case(encoding, [np.ascontiguousarray(pixels.reshape(2, -1))], expected)


def _yuv_422(encoding: str, order: str) -> Case:
    """Each two pixels share the colour difference of the first."""
    first, second = YUV_422[:, 0::2], YUV_422[:, 1::2]
    values = {"0": first[:, :, 0], "1": second[:, :, 0], "U": first[:, :, 1], "V": first[:, :, 2]}
    return _packed(encoding, np.stack([values[name] for name in order], axis=2), YUV_422_RGB)


def _planar(encoding: str, yuv: Bytes, step_px: int, order: tuple[int, int], expected: Any) -> Case:
    luma = np.ascontiguousarray(yuv[:, :, 0])
    chroma = np.ascontiguousarray(yuv[::step_px, ::step_px, order].reshape(2 // step_px, -1))
    return Case(encoding, [luma, chroma], expected)


def _wide(pixels: Bytes) -> NDArray[np.uint16]:
    return pixels.astype(np.uint16) * 257


CASES = [
    _packed("rgb8", RGB, RGB),
    _packed("bgr8", BGR, RGB),
    _packed("rgba8", np.concatenate([RGB, ALPHA], axis=2), RGB),
    _packed("bgra8", np.concatenate([BGR, ALPHA], axis=2), RGB),
    _packed("mono8", GREY, GREY_RGB),
    _packed("8UC1", GREY, GREY_RGB),
    _packed("rgb16", _wide(RGB), RGB),
    _packed("bgr16", _wide(BGR), RGB),
    _packed("rgba16", _wide(np.concatenate([RGB, ALPHA], axis=2)), RGB),
    _packed("bgra16", _wide(np.concatenate([BGR, ALPHA], axis=2)), RGB),
    _packed("mono16", GREY_16, GREY_16_RGB),
    _packed("16UC1", GREY_16, GREY_16_RGB),
    _yuv_422("yuv422", "U0V1"),
    _yuv_422("uyvy", "U0V1"),
    _yuv_422("yuv422_yuy2", "0U1V"),
    _yuv_422("yuyv", "0U1V"),
    _planar("nv12", YUV_420, 2, (1, 2), YUV_420_RGB),
    _planar("nv21", YUV_420, 2, (2, 1), YUV_420_RGB),
    _planar("nv24", YUV_444, 1, (1, 2), YUV_444_RGB),
    *(
        _packed(f"bayer_{pattern}{bits}", pixels if bits == 8 else _wide(pixels), [[FLAT] * 4] * 2)
        for pattern, mosaic in MOSAICS.items()
        for pixels in [np.array(mosaic, np.uint8)]
        for bits in (8, 16)
    ),
]


@pytest.mark.parametrize("is_bigendian", [False, True], ids=["little", "big"])
@pytest.mark.parametrize("padding_bytes", [0, 6], ids=["tight", "padded"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.encoding)
def test_encoding_gives_exactly_the_known_colours(
    case: Case, padding_bytes: int, is_bigendian: bool
) -> None:
    data, step_bytes = case.data(padding_bytes, is_bigendian)
    image = from_raw(data, case.encoding, 4, 2, step_bytes, is_bigendian=is_bigendian)
    assert image.mode == "RGB"
    assert_array_equal(np.asarray(image), np.asarray(case.expected))


def test_every_encoding_is_in_the_table() -> None:
    assert {case.encoding for case in CASES} == set(ENCODINGS)


@pytest.mark.parametrize("pattern", MOSAICS)
def test_mosaic_keeps_each_sample_in_its_own_colour(pattern: str) -> None:
    mosaic = np.random.default_rng(0).integers(0, 256, (6, 8)).astype(np.uint8)
    rgb = np.asarray(from_raw(mosaic.tobytes(), f"bayer_{pattern}8", 8, 6, 8))
    for place, letter in enumerate(pattern):
        row, column = divmod(place, 2)
        channel = "rgb".index(letter)
        samples = mosaic[row::2, column::2]
        assert_array_equal(rgb[row::2, column::2, channel], samples)


def test_bytes_of_16_bits_are_read_in_their_order() -> None:
    data = np.array([[258]], ">u2").tobytes()
    big = from_raw(data, "16UC1", 1, 1, 2, is_bigendian=True)
    little = from_raw(data, "16UC1", 1, 1, 2, is_bigendian=False)
    # 258 / 257 = 1.004; read the other way round it is 513, and 513 / 257 = 1.996.
    assert (big.getpixel((0, 0)), little.getpixel((0, 0))) == ((1, 1, 1), (2, 2, 2))


def test_last_row_may_come_without_its_padding() -> None:
    data = RGB[0].tobytes() + bytes(4) + RGB[1].tobytes()
    assert_array_equal(np.asarray(from_raw(data, "rgb8", 4, 2, 16)), RGB)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.encoding)
def test_step_shorter_than_a_row_is_refused(case: Case) -> None:
    data, step_bytes = case.data(0, False)
    with pytest.raises(ImageError, match=f"the step is {step_bytes - 1} "):
        from_raw(data, case.encoding, 4, 2, step_bytes - 1)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.encoding)
def test_missing_bytes_are_refused(case: Case) -> None:
    data, step_bytes = case.data(0, False)
    with pytest.raises(ImageError, match=r"\d came|bytes came"):
        from_raw(data[:-1], case.encoding, 4, 2, step_bytes)


@pytest.mark.parametrize(("width_px", "height_px"), [(0, 2), (4, 0)])
def test_image_without_pixels_is_refused(width_px: int, height_px: int) -> None:
    with pytest.raises(ImageError, match=f"{width_px}x{height_px} px is empty"):
        from_raw(b"", "rgb8", width_px, height_px, 0)


@pytest.mark.parametrize(
    ("encoding", "width_px", "height_px"),
    [("yuv422", 3, 2), ("yuv422_yuy2", 3, 2), ("nv21", 3, 2), ("nv21", 4, 3), ("nv12", 4, 3)],
)
def test_size_that_splits_shared_colours_is_refused(
    encoding: str, width_px: int, height_px: int
) -> None:
    with pytest.raises(ImageError, match=f"{width_px}x{height_px} px"):
        from_raw(bytes(64), encoding, width_px, height_px, 2 * width_px)


@pytest.mark.parametrize("encoding", ["8UC3", "32FC1", "h264", "jpeg", "", "RGB8"])
def test_other_encoding_is_refused_by_name_with_those_that_are_known(encoding: str) -> None:
    with pytest.raises(EncodingUnsupported, match=f"'{encoding}' is not supported.*rgb8.*nv24"):
        from_raw(bytes(64), encoding, 4, 2, 16)
