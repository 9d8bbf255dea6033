"""The pictures of objects, cut out of keyframes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from memory_nodes.errors import ImageError
from memory_nodes.records import Box


def crops(image_path: Path, boxes: Sequence[Box], margin: float) -> list[Image.Image]:
    """What shows in each box of one stored image, RGB, in their order.

    Args:
        margin: part of a box's width and height that is added on each side.

    Raises ImageError when the image is gone or damaged.
    """
    try:
        with Image.open(image_path) as stored:
            image = stored.convert("RGB")
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ImageError(f"{image_path.name} cannot be read: {error}") from error
    return [image.crop(with_margin(box, margin, *image.size)) for box in boxes]


def with_margin(
    box: Box, margin: float, width_px: int, height_px: int
) -> tuple[int, int, int, int]:
    """The whole pixels of a widened box that are in the image, at least one: x0, y0, x1, y1."""
    x0, x1 = _widened(box.x0_px, box.x1_px, margin, width_px)
    y0, y1 = _widened(box.y0_px, box.y1_px, margin, height_px)
    return x0, y0, x1, y1


def _widened(low_px: float, high_px: float, margin: float, size_px: int) -> tuple[int, int]:
    added_px = margin * (high_px - low_px)
    low = min(max(math.floor(low_px - added_px), 0), size_px - 1)
    high = min(max(math.ceil(high_px + added_px), low + 1), size_px)
    return low, high
