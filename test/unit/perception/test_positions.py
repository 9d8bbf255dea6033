"""Where an object is: by hand from depth, and from rays that were computed backwards."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from memory_nodes.geometry import Pose, Vector3
from memory_nodes.perception.positions import locate, surface_point
from memory_nodes.records import Box, Keyframe, ObjectView
from memory_test_support.records import CAMERA, keyframe

MUG_MAP_M = (3.0, 0.4, 0.8)


def _seen(point_map_m: Vector3, shown_by: Keyframe, half_px: float = 20.0) -> ObjectView:
    """The box around the pixel at which a point shows: u = f x / z + c."""
    rotation = shown_by.map_from_camera.rotation.as_matrix()
    x, y, z = rotation.T @ (np.array(point_map_m) - shown_by.map_from_camera.position_m)
    u_px, v_px = 500.0 * x / z + 320.0, 500.0 * y / z + 240.0
    box = Box(u_px - half_px, v_px - half_px, u_px + half_px, v_px + half_px)
    return ObjectView(shown_by.keyframe_id, box)


def _shifted(seen: ObjectView, px: float) -> ObjectView:
    """The box to the right, and up."""
    box = seen.box
    return replace(seen, box=Box(box.x0_px + px, box.y0_px - px, box.x1_px + px, box.y1_px - px))


def _walk(*places: tuple[float, float, float]) -> dict[int, Keyframe]:
    return {
        number: keyframe(number, base=Pose.planar(*place))
        for number, place in enumerate(places, start=1)
    }


def test_camera_of_test_records_looks_ahead_of_the_base() -> None:
    ahead = _seen((5.0, 0.0, 1.0), keyframe(1, base=Pose.planar(0.0, 0.0, 0.0)))
    left = _seen((5.0, 1.0, 1.0), keyframe(1, base=Pose.planar(0.0, 0.0, 0.0)))
    assert ahead.box.centre_px == pytest.approx((320.0, 240.0))
    assert left.box.centre_px == pytest.approx((220.0, 240.0))


def test_rays_through_box_centres_meet_in_the_object() -> None:
    keyframes = _walk((0.0, 0.0, 0.0), (0.5, -0.6, 0.2), (1.0, 0.9, -0.1))
    found = locate([_seen(MUG_MAP_M, item) for item in keyframes.values()], keyframes)
    assert found is not None
    assert math.dist(found.point_m, MUG_MAP_M) < 0.01
    assert not found.is_rough


def test_one_box_of_something_else_does_not_drag_the_point() -> None:
    keyframes = _walk(*((0.2 * n, 0.4 * (n % 3) - 0.4, 0.0) for n in range(8)))
    views = [_seen(MUG_MAP_M, item) for item in keyframes.values()]
    views[3] = _seen((3.0, -0.8, 0.8), keyframes[4])
    found = locate(views, keyframes)
    assert found is not None
    assert math.dist(found.point_m, MUG_MAP_M) < 0.05


def test_box_that_the_border_cuts_counts_little() -> None:
    keyframes = _walk((0.0, 0.0, 0.0), (0.5, -0.6, 0.2), (1.0, 0.9, -0.1))
    whole = [_seen(MUG_MAP_M, keyframes[number]) for number in (1, 2)]
    cut = ObjectView(3, Box(0.0, 200.0, 40.0, 240.0))  # its middle is half a metre off
    found = locate([*whole, cut], keyframes)
    assert found is not None
    assert math.dist(found.point_m, MUG_MAP_M) < 0.1


def test_view_that_shows_half_of_the_object_counts_little() -> None:
    """A cupboard of 0.8 m; what hides its left half shifts the middle of the box by 0.2 m."""
    keyframes = _walk((0.0, 0.0, 0.0), (0.2, -0.8, 0.1), (0.4, 0.8, -0.1), (0.6, 0.0, 0.0))
    views = []
    for item in keyframes.values():
        distance_m = MUG_MAP_M[0] - item.map_from_base.position_m[0]
        views.append(_seen(MUG_MAP_M, item, half_px=500.0 * 0.4 / distance_m))
    hidden = views[3].box
    middle_px = hidden.centre_px[0]
    views[3] = ObjectView(4, Box(middle_px, hidden.y0_px, hidden.x1_px, hidden.y1_px))
    found = locate(views, keyframes)
    assert found is not None
    assert math.dist(found.point_m, MUG_MAP_M) < 0.04


def test_one_view_without_depth_gives_a_bearing_and_says_that_it_is_rough() -> None:
    keyframes = _walk((0.0, 0.0, 0.0))
    found = locate([_seen((9.0, 0.0, 1.0), keyframes[1])], keyframes)
    assert found is not None
    assert found.is_rough
    x, y, z = found.point_m
    assert (y, z) == pytest.approx((0.0, 1.0), abs=0.01)
    assert 1.0 < x < 4.0
    along, _, _, _, across, *_ = found.covariance_m2
    assert math.sqrt(along) == pytest.approx(2.0, abs=0.2)
    assert math.sqrt(across) < 0.2


def test_turning_on_the_spot_tells_no_more_than_one_view() -> None:
    """Rays from one place meet in the camera, however few pixels off the boxes are."""
    keyframes = _walk(*((0.0, 0.0, 0.1 * n - 0.3) for n in range(6)))
    aside_px = (2.0, -3.0, 1.0, 3.0, -2.0, -1.0)
    views = [
        _shifted(_seen(MUG_MAP_M, item), px)
        for item, px in zip(keyframes.values(), aside_px, strict=True)
    ]
    turned, once = locate(views, keyframes), locate(views[:1], keyframes)
    assert turned is not None
    assert once is not None
    assert turned.is_rough
    assert math.dist(turned.point_m, once.point_m) < 0.1


def test_one_view_with_depth_is_not_rough() -> None:
    """The centre lies behind the measured surface by a fifth of the object's 0.16 m."""
    keyframes = _walk((0.0, 0.0, 0.0))
    seen = _seen((2.0, 0.0, 1.0), keyframes[1])
    view = ObjectView(1, seen.box, point_map_m=(2.0, 0.0, 1.0))
    found = locate([view], keyframes)
    assert found is not None
    assert not found.is_rough
    assert found.point_m == pytest.approx((2.03, 0.0, 1.0), abs=0.05)


def test_views_without_calibration_do_not_tell() -> None:
    keyframes = {number: keyframe(number, intrinsics=None) for number in (1, 2)}
    views = [ObjectView(number, Box(100, 100, 200, 200)) for number in keyframes]
    assert locate(views, keyframes) is None


def test_no_view_does_not_tell() -> None:
    assert locate([], {}) is None


def test_surface_point_by_hand() -> None:
    depth_m = np.full((480, 640), 9.0, np.float32)
    depth_m[200:280, 380:460] = 2.0
    shown_by = keyframe(1, base=Pose.planar(1.0, 2.0, math.pi / 2.0))
    found = surface_point(depth_m, Box(370.0, 190.0, 470.0, 290.0), shown_by)
    # centre (420, 240): 100 px right of the middle, 2 m x 100 / 500 = 0.4 m to the right
    assert found == pytest.approx((1.4, 4.0, 1.0))


def test_depth_of_half_the_resolution_gives_the_same_point() -> None:
    depth_m = np.full((240, 320), 2.0, np.float32)
    found = surface_point(depth_m, Box(370.0, 190.0, 470.0, 290.0), keyframe(1))
    assert found == pytest.approx((2.1, -0.4, 1.0))


def test_too_few_returns_do_not_tell() -> None:
    depth_m = np.zeros((480, 640), np.float32)
    depth_m[240, 316:323] = 2.0
    assert surface_point(depth_m, Box(300.0, 220.0, 340.0, 260.0), keyframe(1)) is None


def test_depth_without_calibration_does_not_tell() -> None:
    depth_m = np.full((480, 640), 2.0, np.float32)
    box = Box(300.0, 220.0, 340.0, 260.0)
    assert surface_point(depth_m, box, keyframe(1, intrinsics=None)) is None
    assert surface_point(depth_m, box, keyframe(1, intrinsics=CAMERA)) is not None
