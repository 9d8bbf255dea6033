"""The ways in which models write boxes, all turned into pixels of the image."""

from __future__ import annotations

import math
from dataclasses import dataclass

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

Four = tuple[float, float, float, float]


@dataclass(frozen=True)
class BoxFormat:
    """How a model writes boxes; pixels may be those of a resized image."""

    name: str
    reference_width_px: int = 0
    """0: pixels of the image that was sent."""
    reference_height_px: int = 0

    @property
    def is_y_first(self) -> bool:
        return self.name.startswith("yxyx")

    def to_pixels(self, numbers: object, width_px: int, height_px: int) -> Box | None:
        """The box in pixels of the image, clamped to it, or None when it is impossible.

        Nothing is guessed: neither swapped corners nor another scale, since a guess puts objects
        where they are not.
        """
        four = _four_numbers(numbers)
        if four is None:
            return None
        if self.name.endswith("_pixels"):
            four = self._of_sent_image(four, width_px, height_px)
        return _clamped(*_corners(*four, self.name, width_px, height_px), width_px, height_px)

    def _of_sent_image(self, four: Four, width_px: int, height_px: int) -> Four:
        scale_x = width_px / self.reference_width_px if self.reference_width_px else 1.0
        scale_y = height_px / self.reference_height_px if self.reference_height_px else 1.0
        return four[0] * scale_x, four[1] * scale_y, four[2] * scale_x, four[3] * scale_y


def _four_numbers(numbers: object) -> Four | None:
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
    return a, b, c, d


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
