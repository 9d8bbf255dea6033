"""The declared box format against what the first replies hold."""

from __future__ import annotations

import json

import pytest

from memory_nodes.perception.boxes import BBOX_FORMATS, BoxFormat
from memory_nodes.perception.format_check import MIN_BOXES, FormatCheck
from memory_test_support.recorded_models import reply

WIDTH, HEIGHT = 640, 480
CORNERS = [
    (40.0 * n, 30.0 * n, 40.0 * n + 150.0, 30.0 * n + 60.0) for n in range(12)
]  # across the whole picture, wide and low


def _written(bbox_format: str, corners: tuple[float, float, float, float]) -> list[float]:
    """The inverse of reading: a box in pixels as a model of that format writes it."""
    x0, y0, x1, y1 = corners
    scale_x, scale_y = {
        "pixels": (1.0, 1.0),
        "norm1000": (1000.0 / WIDTH, 1000.0 / HEIGHT),
        "norm1": (1.0 / WIDTH, 1.0 / HEIGHT),
    }[bbox_format.partition("_")[2]]
    x0, x1, y0, y1 = x0 * scale_x, x1 * scale_x, y0 * scale_y, y1 * scale_y
    return {
        "xyxy": [x0, y0, x1, y1],
        "yxyx": [y0, x0, y1, x1],
        "xywh": [x0, y0, x1 - x0, y1 - y0],
        "cxcywh": [(x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0],
    }[bbox_format.partition("_")[0]]


def _checked(declared: str, written: str) -> str | None:
    check = FormatCheck(BoxFormat(declared))
    corners = [box for box in CORNERS if box[2] <= WIDTH]
    for _ in range(2):
        objects = [{"type": "mug", "bbox": _written(written, box)} for box in corners]
        check.look(reply(json.dumps(objects)), WIDTH, HEIGHT)
    return check.problem


@pytest.mark.parametrize("bbox_format", BBOX_FORMATS)
def test_right_format_is_no_problem(bbox_format: str) -> None:
    assert _checked(bbox_format, bbox_format) is None


@pytest.mark.parametrize(
    ("declared", "written"),
    [
        ("xyxy_norm1", "xyxy_pixels"),
        ("xyxy_pixels", "xyxy_norm1"),
        ("xyxy_norm1000", "xyxy_norm1"),
        ("cxcywh_norm1", "xyxy_pixels"),
    ],
)
def test_impossible_format_is_named_with_the_right_one(declared: str, written: str) -> None:
    problem = _checked(declared, written)
    assert problem is not None
    assert f"bbox_format {declared} cannot be" in problem
    assert f"set bbox_format to {written}" in problem


def test_few_boxes_settle_nothing() -> None:
    check = FormatCheck(BoxFormat("xyxy_norm1"))
    few = [{"type": "mug", "bbox": [10 + n, 20, 300, 400]} for n in range(MIN_BOXES - 1)]
    assert not check.look(reply(json.dumps(few)), WIDTH, HEIGHT)
    assert check.look(reply(json.dumps(few[:1])), WIDTH, HEIGHT)


def test_boxes_that_are_impossible_in_every_format_accuse_none() -> None:
    check = FormatCheck(BoxFormat("xyxy_norm1"))
    bad = [{"type": "mug", "bbox": [9000, 9000 + n, -5, -5]} for n in range(40)]
    assert not check.look(reply(json.dumps(bad)), WIDTH, HEIGHT)


def test_reply_without_json_is_passed_over() -> None:
    check = FormatCheck(BoxFormat("xyxy_norm1"))
    assert not check.look(reply("sorry"), WIDTH, HEIGHT)
    assert not check.look(reply(""), WIDTH, HEIGHT)


def test_formats_that_cannot_be_told_apart_are_both_named() -> None:
    problem = _checked("xyxy_norm1", "yxyx_norm1000") or ""
    assert "xyxy_norm1000 or yxyx_norm1000" in problem


def test_pixels_beyond_the_image_may_be_those_of_a_resized_one() -> None:
    check = FormatCheck(BoxFormat("xyxy_pixels"))
    boxes = [[900.0, 600.0 + n, 990.0, 700.0 + n] for n in range(2 * MIN_BOXES)]
    check.look(reply(json.dumps([{"type": "mug", "bbox": box} for box in boxes])), WIDTH, HEIGHT)
    assert "bbox_reference_width_px" in (check.problem or "")
