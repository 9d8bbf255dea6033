"""Where an object is: by hand from depth, and from rays that were computed backwards."""

from __future__ import annotations

import math

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
    views = [_seen(MUG_MAP_M, item) for item in keyframes.values()]
    found = locate(views, keyframes)
    assert found is not None
    assert found.point_m == pytest.approx(MUG_MAP_M, abs=1e-5)


def test_box_that_the_border_cuts_is_left_out_where_there_are_others() -> None:
    keyframes = _walk((0.0, 0.0, 0.0), (0.5, -0.6, 0.2), (1.0, 0.9, -0.1))
    whole = [_seen(MUG_MAP_M, keyframes[number]) for number in (1, 2)]
    cut = ObjectView(3, Box(0.0, 200.0, 80.0, 300.0))
    found = locate([*whole, cut], keyframes)
    assert found is not None
    assert found.point_m == pytest.approx(MUG_MAP_M, abs=1e-5)


def test_cut_boxes_are_better_than_none() -> None:
    keyframes = _walk((0.0, 0.0, 0.0), (0.0, -1.5, 0.0))
    views = [_seen(MUG_MAP_M, item, half_px=260.0) for item in keyframes.values()]
    found = locate(views, keyframes)
    assert found is not None
    assert found.point_m == pytest.approx(MUG_MAP_M, abs=1e-4)


def test_one_view_without_depth_does_not_tell() -> None:
    keyframes = _walk((0.0, 0.0, 0.0))
    assert locate([_seen(MUG_MAP_M, keyframes[1])], keyframes) is None


def test_views_without_calibration_do_not_tell() -> None:
    keyframes = {number: keyframe(number, intrinsics=None) for number in (1, 2)}
    views = [ObjectView(number, Box(100, 100, 200, 200)) for number in keyframes]
    assert locate(views, keyframes) is None


def test_no_view_does_not_tell() -> None:
    assert locate([], {}) is None


def test_measured_points_win_over_rays_and_their_median_over_outliers() -> None:
    keyframes = _walk((0.0, 0.0, 0.0), (0.5, -0.6, 0.2), (1.0, 0.9, -0.1), (1.0, 0.0, 0.0))
    points: list[Vector3 | None] = [(2.0, 0.0, 1.0), (2.1, 0.1, 1.0), (9.0, 9.0, 9.0), None]
    views = [
        ObjectView(number, _seen(MUG_MAP_M, keyframes[number]).box, point_map_m=point)
        for number, point in enumerate(points, start=1)
    ]
    found = locate(views, keyframes)
    assert found is not None
    assert found.point_m == pytest.approx((2.1, 0.1, 1.0))
    # 0.1 m of a surface, and 1.4826 x the median distance 0.1 m, of three points
    assert found.covariance_m2[0] == pytest.approx(0.1**2 + 0.14826**2 / 3.0)


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
