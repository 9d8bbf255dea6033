"""Uncompressed images, in the encodings of sensor_msgs/image_encodings.hpp.

OpenCV converts them on every machine: cv_bridge is a layer over the same functions that knows
neither NV24 nor, in older releases, padded rows and big-endian data under numpy 2.
"""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from memory_nodes.errors import EncodingUnsupported, ImageError

Pixels = NDArray[Any]
"""uint8 or uint16; shape (H, W, channels), or (H, W) for one channel."""

_PACKED: dict[str, tuple[int, int, int | None]] = {
    # encoding: (channels, bytes of each, OpenCV's conversion to RGB)
    **dict.fromkeys(("mono8", "8UC1"), (1, 1, cv2.COLOR_GRAY2RGB)),
    **dict.fromkeys(("mono16", "16UC1"), (1, 2, cv2.COLOR_GRAY2RGB)),
    **dict.fromkeys(("yuv422", "uyvy"), (2, 1, cv2.COLOR_YUV2RGB_UYVY)),
    **dict.fromkeys(("yuv422_yuy2", "yuyv"), (2, 1, cv2.COLOR_YUV2RGB_YUY2)),
}
for _bits in (8, 16):
    _PACKED[f"rgb{_bits}"] = (3, _bits // 8, None)
    _PACKED[f"bgr{_bits}"] = (3, _bits // 8, cv2.COLOR_BGR2RGB)
    _PACKED[f"rgba{_bits}"] = (4, _bits // 8, cv2.COLOR_RGBA2RGB)
    _PACKED[f"bgra{_bits}"] = (4, _bits // 8, cv2.COLOR_BGRA2RGB)
    _PACKED[f"bayer_rggb{_bits}"] = (1, _bits // 8, cv2.COLOR_BayerRGGB2RGB)
    _PACKED[f"bayer_bggr{_bits}"] = (1, _bits // 8, cv2.COLOR_BayerBGGR2RGB)
    _PACKED[f"bayer_gbrg{_bits}"] = (1, _bits // 8, cv2.COLOR_BayerGBRG2RGB)
    _PACKED[f"bayer_grbg{_bits}"] = (1, _bits // 8, cv2.COLOR_BayerGRBG2RGB)

_PLANAR = {
    # encoding: bytes of one pixel, both planes together
    "nv12": 1.5,
    "nv21": 1.5,
    "nv24": 3.0,
}
"""A plane of Y, then one of Cb Cr, or Cr Cb in nv21: for each pixel in nv24, else for 2x2 px."""

_SHARED_CHROMA_PX = {
    # encoding: columns and rows of pixels with one colour difference
    **dict.fromkeys(("yuv422", "uyvy", "yuv422_yuy2", "yuyv"), (2, 1)),
    **dict.fromkeys(("nv12", "nv21"), (2, 2)),
}

ENCODINGS = (*_PACKED, *_PLANAR)


def from_raw(
    data: bytes,
    encoding: str,
    width_px: int,
    height_px: int,
    step_bytes: int,
    *,
    is_bigendian: bool = False,
) -> Image.Image:
    """An RGB image from what a sensor_msgs/Image carries.

    YUV is BT.601 with 16..235 for Y, as OpenCV and V4L2 define these encodings; 16 bits are scaled
    to 8 over their whole range, as cv_bridge does.

    Args:
        step_bytes: from row to row, padding included; of the Y plane where there are planes.

    Raises:
        EncodingUnsupported: with the name of the encoding.
        ImageError: the size, the step and the number of bytes do not fit together.
    """
    _check(encoding, width_px, height_px)
    if encoding in _PLANAR:
        return Image.fromarray(_from_planes(data, encoding, width_px, height_px, step_bytes))
    channels, item_bytes, _ = _PACKED[encoding]
    rows = unpadded_rows(data, encoding, width_px * channels * item_bytes, height_px, step_bytes)
    dtype = np.dtype(np.uint8 if item_bytes == 1 else ">u2" if is_bigendian else "<u2")
    pixels = rows.view(dtype).astype(dtype.newbyteorder("="), copy=False)
    return Image.fromarray(to_rgb(pixels.reshape(height_px, width_px, channels), encoding))


def _check(encoding: str, width_px: int, height_px: int) -> None:
    if encoding not in ENCODINGS:
        known = ", ".join(ENCODINGS)
        raise EncodingUnsupported(f"encoding {encoding!r} is not supported: publish one of {known}")
    if width_px < 1 or height_px < 1:
        raise ImageError(f"an image of {width_px}x{height_px} px is empty: mend the camera driver")
    columns, rows = _SHARED_CHROMA_PX.get(encoding, (1, 1))
    if width_px % columns or height_px % rows:
        raise ImageError(
            f"{encoding} shares colours among {columns}x{rows} px, which {width_px}x{height_px} px "
            "is no multiple of: mend the camera driver"
        )


def to_rgb(pixels: Pixels, encoding: str) -> NDArray[np.uint8]:
    """Pixels of an encoding without planes, in this machine's byte order, as RGB, (H, W, 3)."""
    conversion = _PACKED[encoding][2]
    if conversion is None:
        return to_8_bits(pixels)
    if encoding.startswith("bayer"):
        # OpenCV leaves the border of a mosaic out. A mirrored margin of two keeps its pattern.
        wide = cv2.copyMakeBorder(pixels, 2, 2, 2, 2, cv2.BORDER_REFLECT_101)
        return to_8_bits(np.ascontiguousarray(cv2.cvtColor(wide, conversion)[2:-2, 2:-2]))
    return to_8_bits(cv2.cvtColor(pixels, conversion))


def to_8_bits(pixels: Pixels) -> NDArray[np.uint8]:
    """The same pixels with 0..65535 scaled to 0..255, where they have 16 bits."""
    if pixels.dtype == np.uint8:
        return pixels
    return ((pixels.astype(np.uint32) + 128) // 257).astype(np.uint8)


def unpadded_rows(
    data: bytes, encoding: str, row_bytes: int, rows: int, step_bytes: int
) -> NDArray[np.uint8]:
    """The bytes of an image without those that fill its rows up, shape (rows, row_bytes).

    Raises ImageError when the step is shorter than a row, or bytes are missing.
    """
    if step_bytes < row_bytes or len(data) < step_bytes * (rows - 1) + row_bytes:
        raise ImageError(
            f"{encoding} with {rows} rows of {row_bytes} bytes: the step is {step_bytes} and "
            f"{len(data)} bytes came: mend the camera driver"
        )
    # The last row may come without its padding.
    whole = np.frombuffer(data[: step_bytes * rows].ljust(step_bytes * rows, b"\0"), np.uint8)
    return np.ascontiguousarray(whole.reshape(rows, step_bytes)[:, :row_bytes])


def _from_planes(
    data: bytes, encoding: str, width_px: int, height_px: int, step_bytes: int
) -> NDArray[np.uint8]:
    needed = int(step_bytes * height_px * _PLANAR[encoding])
    luma = unpadded_rows(data, encoding, width_px, height_px, step_bytes)
    if len(data) < needed:
        raise ImageError(
            f"{encoding} of {width_px}x{height_px} px with a step of {step_bytes} needs {needed} "
            f"bytes, {len(data)} came: mend the camera driver"
        )
    chroma = data[step_bytes * height_px :]
    if encoding == "nv24":
        pairs = unpadded_rows(chroma, encoding, 2 * width_px, height_px, 2 * step_bytes)
        return _from_yuv444(luma, pairs.reshape(height_px, width_px, 2))
    pairs = unpadded_rows(chroma, encoding, width_px, height_px // 2, step_bytes)
    code = cv2.COLOR_YUV2RGB_NV21 if encoding == "nv21" else cv2.COLOR_YUV2RGB_NV12
    return np.asarray(cv2.cvtColor(np.vstack([luma, pairs]), code), np.uint8)


def _from_yuv444(luma: NDArray[np.uint8], chroma: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """OpenCV has no such conversion: each pixel becomes a UYVY pair of two that are equal."""
    height_px, width_px = luma.shape
    pairs = np.empty((height_px, 2 * width_px, 2), np.uint8)
    pairs[:, 0::2, 0], pairs[:, 1::2, 0] = chroma[:, :, 0], chroma[:, :, 1]
    pairs[:, 0::2, 1] = pairs[:, 1::2, 1] = luma
    rgb = np.asarray(cv2.cvtColor(pairs, cv2.COLOR_YUV2RGB_UYVY), np.uint8)
    return np.ascontiguousarray(rgb[:, ::2])
