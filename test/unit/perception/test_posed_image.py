"""An image that is turned upright stays true to the map."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image

from memory_nodes.errors import ImageError
from memory_nodes.geometry import Intrinsics, Pose
from memory_nodes.perception.images import from_compressed
from memory_nodes.perception.posed_image import PosedImage, upright

ORIENTATION = 0x0112
SENT = np.arange(2 * 4 * 3, dtype=np.uint8).reshape(2, 4, 3) * 10
"""4 x 2 px, each another colour."""
LENS = Intrinsics(fx_px=5.0, fy_px=6.0, cx_px=1.4, cy_px=0.7)
CAMERA = Pose((1.0, 2.0, 3.0), (0.5, -0.5, 0.5, -0.5))
DEPTH_M = np.arange(8, dtype=np.float32).reshape(2, 4)


def _posed(orientation: int | None) -> PosedImage:
    exif = Image.Exif()
    if orientation is not None:
        exif[ORIENTATION] = orientation
    buffer = io.BytesIO()
    Image.fromarray(SENT).save(buffer, "PNG", exif=exif)
    return PosedImage(
        stamp_ns=0,
        image=from_compressed(buffer.getvalue(), "png"),
        encoded=buffer.getvalue(),
        map_frame="map",
        map_from_base=Pose.identity(),
        map_from_camera=CAMERA,
        intrinsics=LENS,
        depth_m=DEPTH_M,
    )


@pytest.mark.parametrize(
    ("orientation", "clockwise_deg"), [(1, 0), (6, 90), (3, 180), (8, 270), (None, 0), (0, 0)]
)
def test_image_and_depth_are_shown_as_exif_wants(
    orientation: int | None, clockwise_deg: int
) -> None:
    turned = upright(_posed(orientation))
    quarters = -clockwise_deg // 90  # of numpy, which turns the other way
    assert_array_equal(np.asarray(turned.image), np.rot90(SENT, quarters))
    assert turned.depth_m is not None
    assert_array_equal(turned.depth_m, np.rot90(DEPTH_M, quarters))


@pytest.mark.parametrize("orientation", [1, 6, 3, 8])
def test_each_pixel_keeps_its_ray_in_the_map(orientation: int) -> None:
    turned = upright(_posed(orientation))
    assert turned.intrinsics is not None
    shown = np.asarray(turned.image)
    for row, column in np.ndindex(2, 4):
        (there,) = np.argwhere((shown == SENT[row, column]).all(axis=2))
        before = CAMERA.rotation.apply(LENS.ray(column, row))
        after = turned.map_from_camera.rotation.apply(
            turned.intrinsics.ray(float(there[1]), float(there[0]))
        )
        assert_allclose(after, before, atol=1e-12)
    assert turned.map_from_camera.position_m == pytest.approx(CAMERA.position_m)


def test_quarter_turn_swaps_the_sides_of_the_camera() -> None:
    turned = upright(_posed(6))
    lens = turned.intrinsics
    assert lens is not None
    # Column = height - 1 - row: 2 - 1 - 0.7 = 0.3.
    found = (lens.fx_px, lens.fy_px, lens.cx_px, lens.cy_px)
    assert found == pytest.approx((6.0, 5.0, 0.3, 1.4))
    assert turned.map_from_camera.angle_rad(CAMERA) == pytest.approx(math.pi / 2.0)


def test_turned_image_is_upright() -> None:
    once = upright(_posed(6))
    assert upright(once) is once
    assert once.encoded is None


@pytest.mark.parametrize("orientation", [2, 4, 5, 7])
def test_mirrored_image_is_refused(orientation: int) -> None:
    with pytest.raises(ImageError, match=f"orientation {orientation} is a mirrored image"):
        upright(_posed(orientation))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_damaged_exif_changes_nothing() -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    buffer = io.BytesIO()
    Image.fromarray(SENT).save(buffer, "JPEG", exif=exif)
    whole = buffer.getvalue()
    start = whole.index(b"Exif")
    chance = np.random.default_rng(0)
    for _ in range(300):
        damaged = bytearray(whole)
        for place in chance.integers(start, start + 32, 3):
            damaged[place] = int(chance.integers(0, 256))
        posed = _posed(1)
        try:
            image = from_compressed(bytes(damaged), "jpeg")
            upright(PosedImage(**{**vars(posed), "image": image}))
        except ImageError:
            continue
