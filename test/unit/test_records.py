"""Boxes by hand."""

from __future__ import annotations

import pytest

from memory_nodes.records import Box


def test_box_measures_by_hand() -> None:
    box = Box(10.0, 20.0, 40.0, 80.0)
    assert (box.width_px, box.height_px, box.area_px2) == (30.0, 60.0, 1800.0)
    assert box.centre_px == (25.0, 50.0)


@pytest.mark.parametrize(
    ("box", "expected"),
    [
        (Box(10.0, 10.0, 90.0, 90.0), False),
        (Box(1.0, 10.0, 90.0, 90.0), True),
        (Box(10.0, 2.0, 90.0, 90.0), True),
        (Box(10.0, 10.0, 98.5, 90.0), True),
        (Box(10.0, 10.0, 90.0, 100.0), True),
    ],
)
def test_box_within_two_pixels_of_the_border_touches_it(box: Box, expected: bool) -> None:
    assert box.touches_border(100, 100) is expected
