"""Which frame of a window is taken, and what counts as sharp."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageFilter

from memory_nodes.perception.sharpness import SharpnessWindow, sharpness
from memory_nodes.records import NS_PER_S


def _ns(seconds: float) -> int:
    return round(seconds * NS_PER_S)


def _scene(side_px: int = 400) -> Image.Image:
    """Squares of chance brightness, with edges as a room has them."""
    small = np.random.default_rng(0).integers(0, 256, (20, 20)).astype(np.uint8)
    return Image.fromarray(small).resize((side_px, side_px), Image.Resampling.NEAREST)


def test_flat_image_has_no_sharpness() -> None:
    assert sharpness(Image.new("RGB", (64, 48), "red")) == 0.0


def test_sharpness_of_one_edge_is_as_computed_by_hand() -> None:
    # Columns 0 0 0 9 9 9: the Laplacian is 0 0 9 -9 0 0 in each row, its variance 2 * 81 / 6.
    columns = np.tile(np.array([0, 0, 0, 9, 9, 9], np.uint8), (5, 1))
    assert sharpness(Image.fromarray(columns)) == pytest.approx(27.0)


@pytest.mark.parametrize("side_px", [400, 1600])
def test_blur_makes_an_image_less_sharp_step_by_step(side_px: int) -> None:
    scene = _scene(side_px)
    found = [sharpness(scene.filter(ImageFilter.BoxBlur(radius))) for radius in (0, 2, 4, 8, 16)]
    assert found == sorted(found, reverse=True)
    assert found[0] > 2.0 * found[-1]


def test_window_of_length_zero_gives_each_frame_at_once() -> None:
    window = SharpnessWindow[str](0.0)
    for stamp_s in (0.0, 0.1, 0.1, 0.0):
        assert window.leave(_ns(stamp_s)) is None
        assert window.offer("frame", _ns(stamp_s), 1.0) == "frame"
        assert not window.is_open


def test_sharpest_of_a_window_is_taken_as_soon_as_none_can_follow() -> None:
    window = SharpnessWindow[str](0.2)
    assert window.offer("blurred", _ns(0.0), 1.0) is None
    assert window.offer("sharp", _ns(0.1), 3.0) is None
    assert window.offer("last", _ns(0.2), 2.0) == "sharp"
    assert not window.is_open


def test_first_of_equally_sharp_frames_is_taken() -> None:
    window = SharpnessWindow[str](0.2)
    window.offer("first", 0, 1.0)
    window.offer("second", 1, 1.0)
    assert window.take() == "first"


@pytest.mark.parametrize(("stamp_s", "closes"), [(10.2, False), (10.21, True), (9.99, True)])
def test_frame_outside_of_the_window_closes_it(stamp_s: float, closes: bool) -> None:
    window = SharpnessWindow[str](0.2)
    window.offer("kept", _ns(10.0), 1.0)
    assert window.leave(_ns(stamp_s)) == ("kept" if closes else None)
    assert window.is_open is not closes


def test_what_was_taken_is_not_given_again() -> None:
    window = SharpnessWindow[str](0.2)
    window.offer("only", 0, 1.0)
    assert window.take() == "only"
    assert window.take() is None
    assert window.leave(_ns(99.0)) is None
