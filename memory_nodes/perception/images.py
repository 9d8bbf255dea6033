"""Images in, JPEG on disk out."""

from __future__ import annotations

import io
import os
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from memory_nodes.errors import EncodingUnsupported, ImageError
from memory_nodes.perception.encodings import to_8_bits, to_rgb, unpadded_rows

_JPEG_START = b"\xff\xd8\xff"
_PNG_START = b"\x89PNG\r\n\x1a\n"
UPRIGHT = 1
_ORIENTATION_TAG = 0x0112
_GREY_MODES = ("L", "I", "I;16", "I;16B")
_MOSAIC = re.compile(r"(?P<pattern>bayer_\w{4})(8|16); (jpeg|png) compressed")
"""The format of a mosaic that was compressed as it is: no encoding is named at its end."""


@dataclass(frozen=True)
class Jpeg:
    """An encoded image and its size."""

    data: bytes
    width_px: int
    height_px: int


def from_compressed(data: bytes, format_text: str = "") -> Image.Image:
    """The image of a sensor_msgs/CompressedImage that is a JPEG or PNG.

    The bytes tell what they are: `format` is written as "jpeg", "jpg", "rgb8; jpeg compressed bgr8"
    and more. It counts only where the bytes do not hold a picture in colour or grey.

    Raises:
        EncodingUnsupported: a depth image, or neither JPEG nor PNG.
        ImageError: it is damaged.
    """
    if "compresseddepth" in format_text.lower():
        raise EncodingUnsupported(
            f"format {format_text!r} is a depth image: give the topic of the colour image"
        )
    if not data.startswith((_JPEG_START, _PNG_START)):
        raise EncodingUnsupported(
            f"{len(data)} bytes of format {format_text!r} are no whole JPEG or PNG image: publish "
            "jpeg or png"
        )
    try:
        image = Image.open(io.BytesIO(data), formats=("JPEG", "PNG"))
        image.load()
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ImageError(f"{len(data)} bytes are no whole JPEG or PNG image: {error}") from error
    if image.mode not in _GREY_MODES:
        return image
    pixels = np.asarray(image).astype(np.uint8 if image.mode == "L" else np.uint16)
    mosaic = _MOSAIC.fullmatch(format_text.strip())
    if mosaic is not None:
        pattern, bits = mosaic["pattern"], 8 * pixels.itemsize
        return Image.fromarray(to_rgb(pixels, f"{pattern}{bits}"))
    return image if image.mode == "L" else Image.fromarray(to_8_bits(pixels))


def exif_orientation(image: Image.Image) -> int:
    """1 to 8 as Exif numbers them; UPRIGHT where there is none, or none that can be read."""
    try:
        orientation = image.getexif().get(_ORIENTATION_TAG, UPRIGHT)
    except (OSError, SyntaxError, ValueError, struct.error):
        return UPRIGHT
    return orientation if orientation in range(1, 9) else UPRIGHT


def to_jpeg(image: Image.Image, max_side_px: int, quality: int) -> Jpeg:
    """Encodes an image, shrunk to a longest side where it is larger."""
    rgb = image.convert("RGB")
    rgb.thumbnail((max_side_px, max_side_px))
    buffer = io.BytesIO()
    rgb.save(buffer, "JPEG", quality=quality)
    return Jpeg(buffer.getvalue(), *rgb.size)


def keep_jpeg(data: bytes, image: Image.Image, max_side_px: int) -> Jpeg | None:
    """The bytes as they came, where they are an upright colour JPEG of an allowed size."""
    upright = exif_orientation(image) == UPRIGHT
    # An image that was made of the decoded one, as of a mosaic, has no format.
    plain = image.format == "JPEG" and image.mode == "RGB" and upright
    if plain and max(image.size) <= max_side_px:
        return Jpeg(data, *image.size)
    return None


def depth_from_raw(
    data: bytes,
    encoding: str,
    width_px: int,
    height_px: int,
    step_bytes: int,
    *,
    is_bigendian: bool = False,
) -> NDArray[np.float32]:
    """A depth image, shape (H, W), metres; 0 where nothing came back.

    Raises ImageError for anything but 16UC1 (millimetres) and 32FC1 (metres), REP-118.
    """
    kinds: dict[str, tuple[np.dtype[Any], float]] = {
        "16UC1": (np.dtype("<u2"), 0.001),
        "32FC1": (np.dtype("<f4"), 1.0),
    }
    if encoding not in kinds:
        raise ImageError(f"depth encoding {encoding!r} is not supported: publish 16UC1 or 32FC1")
    dtype, metres = kinds[encoding]
    if is_bigendian:
        dtype = dtype.newbyteorder(">")
    rows = unpadded_rows(data, encoding, width_px * dtype.itemsize, height_px, step_bytes)
    values = rows.view(dtype)
    metric: NDArray[np.float32] = values.astype(np.float32) * np.float32(metres)
    return np.nan_to_num(metric, posinf=0.0, neginf=0.0)


def depth_to_png(depth_m: NDArray[np.float32]) -> bytes:
    """A depth image as a 16-bit PNG in millimetres; what is beyond 65 m counts as unmeasured."""
    millimetres = np.rint(depth_m * 1000.0)
    is_measured = (millimetres >= 0.0) & (millimetres <= np.iinfo(np.uint16).max)
    stored = np.where(is_measured, millimetres, 0.0).astype(np.uint16)
    buffer = io.BytesIO()
    Image.fromarray(stored).save(buffer, "PNG")
    return buffer.getvalue()


def depth_from_png(data: bytes) -> NDArray[np.float32]:
    """What depth_to_png wrote: shape (H, W), metres, 0 = no return."""
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image).astype(np.float32) / np.float32(1000.0)


def write_durably(path: Path, data: bytes) -> None:
    """Writes a file so that after a power cut it is there whole or not at all.

    Raises ImageError when it cannot, the disk is full for instance.
    """
    partial = path.with_name(path.name + ".partial")
    try:
        _make_durably(path.parent)
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
        _sync(path.parent)
    except OSError as error:
        raise ImageError(f"cannot write {path}: {error}; is the disk full?") from error


def _make_durably(directory: Path) -> None:
    """Makes a directory and those above it; each is entered in its parent on return."""
    if directory.is_dir():
        return
    _make_durably(directory.parent)
    directory.mkdir(exist_ok=True)
    _sync(directory.parent)


def _sync(directory: Path) -> None:
    entries = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(entries)
    finally:
        os.close(entries)
