"""The ways in which models write boxes, all turned into pixels of the image."""

from __future__ import annotations

import math

from memory_nodes.records import Box

BBOX_FORMATS = (
    "xyxy_pixels",
    "xyxy_norm1000",
    "yxyx_norm1000",
    "xyxy_norm1",
    "xywh_pixels",
    "cxcywh_norm1",
)
MAX_OVERSHOOT = 0.02
"""Beyond the image by more than this share of the axis, a box is an invention."""
MIN_SIDE_PX = 1.0


def to_pixels(numbers: object, bbox_format: str, width_px: int, height_px: int) -> Box | None:
    """The box in pixels, clamped to the image, or None when it is impossible.

    Nothing is guessed: neither swapped corners nor another scale, since a guess puts objects
    where they are not.
    """
    if not isinstance(numbers, list | tuple) or len(numbers) != 4:
        return None
    if not all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers):
        return None
    try:
        a, b, c, d = map(float, numbers)
    except OverflowError:  # an int of hundreds of digits
        return None
    if not all(map(math.isfinite, (a, b, c, d))):
        return None
    corners = _corners(a, b, c, d, bbox_format, width_px, height_px)
    return _clamped(*corners, width_px, height_px)


def _corners(
    a: float, b: float, c: float, d: float, bbox_format: str, width_px: int, height_px: int
) -> tuple[float, float, float, float]:
    """x0, y0, x1, y1 in pixels."""
    layout, _, scale = bbox_format.partition("_")
    if layout == "yxyx":
        a, b, c, d = b, a, d, c
    if scale != "pixels":
        extent = 1000.0 if scale == "norm1000" else 1.0
        a, c = a * width_px / extent, c * width_px / extent
        b, d = b * height_px / extent, d * height_px / extent
    if layout == "xywh":
        return a, b, a + c, b + d
    if layout == "cxcywh":
        return a - c / 2.0, b - d / 2.0, a + c / 2.0, b + d / 2.0
    return a, b, c, d


def _clamped(
    x0: float, y0: float, x1: float, y1: float, width_px: int, height_px: int
) -> Box | None:
    over_x, over_y = MAX_OVERSHOOT * width_px, MAX_OVERSHOOT * height_px
    if x1 <= x0 or y1 <= y0:
        return None
    if min(x0 + over_x, y0 + over_y, width_px + over_x - x1, height_px + over_y - y1) < 0.0:
        return None
    box = Box(
        min(max(x0, 0.0), width_px),
        min(max(y0, 0.0), height_px),
        min(max(x1, 0.0), width_px),
        min(max(y1, 0.0), height_px),
    )
    if box.width_px < MIN_SIDE_PX or box.height_px < MIN_SIDE_PX:
        return None
    return box
