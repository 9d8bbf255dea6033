"""Positions from the hand-drawn boxes of the tour, against the hand-measured ones."""

from __future__ import annotations

import math
import statistics
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_nodes.geometry import Intrinsics, PointEstimate, Pose
from memory_nodes.perception.images import depth_from_png
from memory_nodes.perception.positions import locate, surface_point
from memory_nodes.records import Box, Keyframe, ObjectView
from memory_test_support.tour import load_tour, load_truth

MIN_PARALLAX_RAD = math.radians(5.0)


@cache
def _keyframes() -> dict[int, Keyframe]:
    tour = load_tour()
    lens = tour.intrinsics
    return {
        frame.index: Keyframe(
            keyframe_id=frame.index,
            stamp_ns=frame.stamp_ns,
            map_id="tour",
            session_id="tour",
            map_frame="map",
            map_from_base=Pose.identity(),
            map_from_camera=Pose(
                frame.world_from_optical.position_m, frame.world_from_optical.quaternion_xyzw
            ),
            width_px=lens.width_px,
            height_px=lens.height_px,
            intrinsics=Intrinsics(lens.fx_px, lens.fy_px, lens.cx_px, lens.cy_px),
            image_path="",
        )
        for frame in tour.frames
    }


def _views(instance_id: str, with_depth: bool) -> list[ObjectView]:
    tour, keyframes = load_tour(), _keyframes()
    views = []
    for frame, seen in zip(tour.frames, load_truth().views, strict=True):
        for view in seen:
            if view.instance_id != instance_id:
                continue
            box = Box(*view.box_px)
            point = None
            if with_depth:
                depth_m = _depth_m(frame.index)
                point = surface_point(depth_m, box, keyframes[frame.index])
            views.append(ObjectView(frame.index, box, point_map_m=point))
    return views


@cache
def _depth_m(index: int) -> NDArray[np.float32]:
    return depth_from_png(load_tour().frames[index].depth_path.read_bytes())


def _parallax_rad(views: list[ObjectView]) -> float:
    rays = []
    for view in views:
        keyframe = _keyframes()[view.keyframe_id]
        assert keyframe.intrinsics is not None
        ray = keyframe.map_from_camera.rotation.apply(keyframe.intrinsics.ray(*view.box.centre_px))
        rays.append(ray / np.linalg.norm(ray))
    return float(np.arccos(np.clip(np.array(rays) @ np.array(rays).T, -1.0, 1.0)).max())


@cache
def _located(with_depth: bool) -> dict[str, PointEstimate | None]:
    """Every annotated object with two or more views and parallax."""
    found = {}
    for instance_id in load_truth().instances:
        views = _views(instance_id, with_depth)
        if len(views) >= 2 and _parallax_rad(views) > MIN_PARALLAX_RAD:
            found[instance_id] = locate(views, _keyframes())
    return found


@pytest.mark.parametrize("with_depth", [False, True])
def test_every_object_with_parallax_has_a_position(with_depth: bool) -> None:
    found = _located(with_depth)
    assert len(found) > 80
    assert None not in found.values()


@pytest.mark.parametrize(("with_depth", "nine_in_ten_m"), [(False, 0.5), (True, 0.45)])
def test_positions_are_where_a_hand_has_measured_them(
    with_depth: bool, nine_in_ten_m: float
) -> None:
    instances = load_truth().instances
    errors_m = sorted(
        math.dist(estimate.point_m, instances[key].position_m)
        for key, estimate in _located(with_depth).items()
        if estimate is not None
    )
    assert statistics.median(errors_m) < 0.08
    assert errors_m[int(0.9 * len(errors_m))] < nine_in_ten_m


@pytest.mark.parametrize("with_depth", [False, True])
def test_two_sigma_of_the_stated_covariance_hold_the_error(with_depth: bool) -> None:
    instances = load_truth().instances
    held = []
    for key, estimate in _located(with_depth).items():
        assert estimate is not None
        error_m = np.subtract(estimate.point_m, instances[key].position_m)
        covariance_m2 = np.reshape(estimate.covariance_m2, (3, 3))
        held.append(float(error_m @ np.linalg.solve(covariance_m2, error_m)) <= 2.0**2)
    assert sum(held) / len(held) >= 0.85
