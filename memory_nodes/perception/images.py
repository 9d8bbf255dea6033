"""Images in, JPEG on disk out."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from memory_nodes.errors import ImageError

_PIXELS = {
    # encoding: (channels, order of red, green and blue in them)
    "rgb8": (3, (0, 1, 2)),
    "bgr8": (3, (2, 1, 0)),
    "rgba8": (4, (0, 1, 2)),
    "bgra8": (4, (2, 1, 0)),
    "mono8": (1, (0, 0, 0)),
}
_JPEG_START = b"\xff\xd8\xff"
_ORIENTATION_TAG = 0x0112


@dataclass(frozen=True)
class Jpeg:
    """An encoded image and its size."""

    data: bytes
    width_px: int
    height_px: int


def from_raw(
    data: bytes, encoding: str, width_px: int, height_px: int, step_bytes: int
) -> Image.Image:
    """An uncompressed image as it comes in a sensor_msgs/Image, rows possibly padded.

    Raises ImageError for an encoding that is not known, or for too few bytes.
    """
    if encoding not in _PIXELS:
        known = ", ".join(_PIXELS)
        raise ImageError(f"encoding {encoding!r} is not supported: publish one of {known}")
    channels, order = _PIXELS[encoding]
    row_bytes = width_px * channels
    if width_px < 1 or height_px < 1:
        raise ImageError(f"an image of {width_px}x{height_px} px is empty: mend the camera driver")
    if step_bytes < row_bytes or len(data) < step_bytes * height_px:
        raise ImageError(
            f"{encoding} of {width_px}x{height_px} px needs rows of {row_bytes} bytes, the step is "
            f"{step_bytes} and {len(data)} bytes came: mend the camera driver"
        )
    padded = np.frombuffer(data, np.uint8, step_bytes * height_px).reshape(height_px, step_bytes)
    pixels = padded[:, :row_bytes].reshape(height_px, width_px, channels)
    return Image.fromarray(np.ascontiguousarray(pixels[:, :, order]))


def from_compressed(data: bytes) -> Image.Image:
    """A JPEG or PNG image. Raises ImageError when it is neither or is damaged."""
    try:
        image = Image.open(io.BytesIO(data), formats=("JPEG", "PNG"))
        image.load()
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ImageError(f"{len(data)} bytes are no whole JPEG or PNG image: {error}") from error
    return image


def to_jpeg(image: Image.Image, max_side_px: int, quality: int) -> Jpeg:
    """Encodes an image, shrunk to a longest side where it is larger."""
    rgb = image.convert("RGB")
    rgb.thumbnail((max_side_px, max_side_px))
    buffer = io.BytesIO()
    rgb.save(buffer, "JPEG", quality=quality)
    return Jpeg(buffer.getvalue(), *rgb.size)


def keep_jpeg(data: bytes, image: Image.Image, max_side_px: int) -> Jpeg | None:
    """The bytes as they came, where they are an upright colour JPEG of an allowed size."""
    upright = image.getexif().get(_ORIENTATION_TAG, 1) == 1
    plain = data.startswith(_JPEG_START) and image.mode == "RGB" and upright
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
    row_bytes = width_px * dtype.itemsize
    if step_bytes < row_bytes or len(data) < step_bytes * height_px:
        raise ImageError(f"depth of {width_px}x{height_px} px came with {len(data)} bytes")
    padded = np.frombuffer(data, np.uint8, step_bytes * height_px).reshape(height_px, step_bytes)
    values = np.ascontiguousarray(padded[:, :row_bytes]).view(dtype)
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
