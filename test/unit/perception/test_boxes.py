"""Box conventions by hand: one box of an image of 800 x 400 px in every way models write it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_nodes.perception.boxes import BBOX_FORMATS, BoxFormat
from memory_nodes.records import Box

WIDTH, HEIGHT = 800, 400
BOX = Box(80.0, 100.0, 240.0, 300.0)
WAYS: dict[str, list[float]] = {
    "xyxy_pixels": [80, 100, 240, 300],
    "xyxy_norm1000": [100, 250, 300, 750],
    "yxyx_norm1000": [250, 100, 750, 300],
    "xyxy_norm1": [0.1, 0.25, 0.3, 0.75],
    "xywh_pixels": [80, 100, 160, 200],
    "cxcywh_norm1": [0.2, 0.5, 0.2, 0.5],
}


def test_every_format_has_a_case() -> None:
    assert set(WAYS) == set(BBOX_FORMATS)


@pytest.mark.parametrize("bbox_format", BBOX_FORMATS)
def test_every_format_gives_the_same_pixels(bbox_format: str) -> None:
    found = BoxFormat(bbox_format).to_pixels(WAYS[bbox_format], WIDTH, HEIGHT)
    assert found is not None
    expected = (BOX.x0_px, BOX.y0_px, BOX.x1_px, BOX.y1_px)
    assert (found.x0_px, found.y0_px, found.x1_px, found.y1_px) == pytest.approx(expected)


def test_small_overshoot_is_clamped() -> None:
    found = BoxFormat("xyxy_pixels").to_pixels([-16, 10, 816, 408], WIDTH, HEIGHT)
    assert found == Box(0.0, 10.0, 800.0, 400.0)


@pytest.mark.parametrize(
    "numbers",
    [
        [240, 100, 80, 300],
        [80, 300, 240, 100],
        [80, 100, 80, 300],
        [-17, 100, 240, 300],
        [80, 100, 817, 300],
        [80, 100, 240, 409],
        [80, 100, 80.5, 300],
        [900, 100, 950, 300],
        [80, 100, 240],
        [80, 100, 240, 300, 1],
        [80, 100, 240, "300"],
        [80, 100, 240, True],
        [80, 100, 240, None],
        [80, 100, math.nan, 300],
        [80, 100, math.inf, 300],
        [80, 100, 10**400, 300],
        "80 100 240 300",
        {"x0": 80},
        None,
    ],
)
def test_impossible_box_is_none(numbers: object) -> None:
    assert BoxFormat("xyxy_pixels").to_pixels(numbers, WIDTH, HEIGHT) is None


@pytest.mark.parametrize(
    ("bbox_format", "numbers"),
    [("xyxy_pixels", [40, 25, 120, 75]), ("xywh_pixels", [40, 25, 80, 50])],
)
def test_pixels_may_be_those_of_a_resized_image(bbox_format: str, numbers: list[float]) -> None:
    """The model saw 400 x 100 px: half as wide, a quarter as high."""
    found = BoxFormat(bbox_format, 400, 100).to_pixels(numbers, WIDTH, HEIGHT)
    assert found == BOX


def test_reference_size_means_nothing_to_fractions() -> None:
    found = BoxFormat("xyxy_norm1000", 400, 100).to_pixels([100, 250, 300, 750], WIDTH, HEIGHT)
    assert found == BOX


NUMBERS = st.lists(st.floats() | st.integers(), min_size=4, max_size=4)


@given(NUMBERS, st.sampled_from(BBOX_FORMATS))
def test_whatever_comes_a_box_lies_in_the_image(numbers: list[float], bbox_format: str) -> None:
    found = BoxFormat(bbox_format).to_pixels(numbers, WIDTH, HEIGHT)
    assert found is None or (
        0.0 <= found.x0_px < found.x1_px <= WIDTH and 0.0 <= found.y0_px < found.y1_px <= HEIGHT
    )
