from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image, ImageColor

from memory_nodes.drawing.answer_picture import COLORS, answer_picture, draw_boxes
from memory_nodes.errors import ImageError
from memory_nodes.records import Box, RetrievedKeyframe
from memory_test_support.records import box, keyframe, view

BEST = ImageColor.getrgb(COLORS[0])


def hit(*boxes: Box) -> RetrievedKeyframe:
    ids = tuple(f"mug_{number}" for number in range(len(boxes)))
    return RetrievedKeyframe(keyframe(1), 1.0, ids, tuple(view(1, seen) for seen in boxes))


def store_image(memory_dir: Path) -> None:
    path = memory_dir / keyframe(1).image_path
    path.parent.mkdir(parents=True)
    Image.new("RGB", (640, 480), "gray").save(path, "JPEG")


def test_box_of_the_best_object_stands_in_its_colour(tmp_path: Path) -> None:
    store_image(tmp_path)
    image = answer_picture(tmp_path, hit(box(200.0, 150.0, 200.0)))
    assert (image.mode, image.size) == ("RGB", (640, 480))
    for corner in ((200, 350), (400, 350), (400, 250)):
        assert image.getpixel(corner) == BEST
    assert image.getpixel((300, 250)) != BEST


def test_best_box_lies_over_the_others() -> None:
    image = Image.new("RGB", (640, 480), "gray")
    draw_boxes(image, [(box(), "first"), (box(), "second")])
    assert image.getpixel((400, 350)) == BEST


@pytest.mark.parametrize("seen", [Box(0, 0, 640, 480), Box(600, 0, 640, 40), Box(0, 470, 5, 480)])
def test_label_at_the_border_stays_in_the_picture(seen: Box) -> None:
    image = Image.new("RGB", (640, 480), "white")
    draw_boxes(image, [(seen, "a label that is rather long")])
    drawn = [image.getpixel((x, y)) == BEST for x in range(0, 640, 4) for y in range(0, 480, 4)]
    assert sum(drawn) > 50


def test_image_that_is_gone_is_a_named_error(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="keyframe 1 is gone"):
        answer_picture(tmp_path, hit(box()))


def test_image_that_is_kept_no_longer_is_a_named_error(tmp_path: Path) -> None:
    dropped = RetrievedKeyframe(replace(keyframe(7), image_path=""), 1.0)
    with pytest.raises(ImageError, match="keyframe 7 is kept no longer"):
        answer_picture(tmp_path, dropped)
