"""A crop shows what is in the box and a little around it, and never what is not in the image."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from memory_nodes.errors import ImageError
from memory_nodes.perception.crops import crops, with_margin
from memory_nodes.records import Box


@pytest.mark.parametrize(
    ("box", "margin", "pixels"),
    [
        (Box(20, 10, 40, 20), 0.0, (20, 10, 40, 20)),
        (Box(20, 10, 40, 20), 0.1, (18, 9, 42, 21)),
        (Box(20.4, 10.6, 39.6, 19.2), 0.0, (20, 10, 40, 20)),
        (Box(0, 0, 30, 20), 0.1, (0, 0, 33, 22)),
        (Box(90, 40, 100, 50), 0.2, (88, 38, 100, 50)),
        (Box(0, 0, 100, 50), 1.0, (0, 0, 100, 50)),
        (Box(30, 20, 30, 20), 0.1, (30, 20, 31, 21)),
        (Box(100, 50, 100, 50), 0.1, (99, 49, 100, 50)),
    ],
)
def test_margin_is_added_on_each_side_and_ends_at_the_border(
    box: Box, margin: float, pixels: tuple[int, int, int, int]
) -> None:
    assert with_margin(box, margin, 100, 50) == pixels


def test_crops_come_in_the_order_of_the_boxes_with_their_pixels(tmp_path: Path) -> None:
    path = _halves(tmp_path)
    right, left = crops(path, [Box(60, 10, 80, 30), Box(5, 5, 25, 15)], 0.0)
    assert (right.size, left.size) == ((20, 20), (20, 10))
    assert np.asarray(right).mean(axis=(0, 1)) == pytest.approx((0, 0, 255), abs=3)
    assert np.asarray(left).mean(axis=(0, 1)) == pytest.approx((255, 0, 0), abs=3)


def test_grey_image_gives_crops_in_three_channels(tmp_path: Path) -> None:
    path = tmp_path / "grey.jpg"
    Image.new("L", (40, 30), 90).save(path)
    assert crops(path, [Box(0, 0, 10, 10)], 0.0)[0].mode == "RGB"


@pytest.mark.parametrize("kept_bytes", [0, 100])
def test_damaged_or_empty_image_is_named(tmp_path: Path, kept_bytes: int) -> None:
    path = _halves(tmp_path)
    path.write_bytes(path.read_bytes()[:kept_bytes])
    with pytest.raises(ImageError, match=r"halves\.jpg cannot be read"):
        crops(path, [Box(0, 0, 10, 10)], 0.1)


def test_image_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"7\.jpg cannot be read"):
        crops(tmp_path / "7.jpg", [Box(0, 0, 10, 10)], 0.1)


def _halves(directory: Path) -> Path:
    """Red on the left, blue on the right."""
    path = directory / "halves.jpg"
    image = Image.new("RGB", (96, 48), (255, 0, 0))
    image.paste((0, 0, 255), (48, 0, 96, 48))
    image.save(path, quality=95)
    return path
