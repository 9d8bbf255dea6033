"""The tour and its annotation as loaded, against the files read another way."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest

from memory_test_support.poses import Pose, interpolate, planar_pose
from memory_test_support.tour import load_tour, load_truth, tour_directory


def _link_rows() -> list[dict[str, str]]:
    path = tour_directory() / "poses_camera_link.csv"
    with path.open(newline="", encoding="utf-8") as rows:
        return list(csv.DictReader(rows))


def test_all_75_frames_have_image_depth_and_rising_stamps() -> None:
    frames = load_tour().frames
    assert len(frames) == 75
    assert all(frame.image_path.is_file() and frame.depth_path.is_file() for frame in frames)
    stamps = [frame.stamp_ns for frame in frames]
    assert stamps == sorted(set(stamps))
    assert stamps[0] == 800_000_000


def test_base_is_the_floor_projection_given_by_the_body_poses() -> None:
    for frame, row in zip(load_tour().frames, _link_rows(), strict=True):
        base = frame.world_from_base
        assert frame.image_path.name == row["file"]
        assert base.position_m == pytest.approx((float(row["x"]), float(row["y"]), 0.0), abs=1e-6)
        assert math.remainder(base.yaw_rad - float(row["yaw"]), math.tau) == pytest.approx(
            0.0, abs=1e-3
        )


def test_annotation_is_whole() -> None:
    truth = load_truth()
    assert (len(truth.instances), len(truth.views), len(truth.relations)) == (97, 75, 108)
    assert len(truth.questions) == 41
    assert {view.instance_id for views in truth.views for view in views} == set(truth.instances)


def test_annotated_positions_project_into_their_boxes() -> None:
    """A check of poses, intrinsics and annotation against each other: pinhole by hand."""
    tour, truth = load_tour(), load_truth()
    camera = tour.intrinsics
    inside = seen = 0
    for frame in tour.frames:
        optical_from_world = frame.world_from_optical.inverse()
        for view in truth.views[frame.index]:
            if view.visible != "full":
                continue
            centre = truth.instances[view.instance_id].position_m
            x, y, z = (optical_from_world @ Pose(centre)).position_m
            u = camera.fx_px * x / z + camera.cx_px
            v = camera.fy_px * y / z + camera.cy_px
            x0, y0, x1, y1 = view.box_px
            seen += 1
            inside += x0 - 8 <= u <= x1 + 8 and y0 - 8 <= v <= y1 + 8
    assert seen > 200
    assert inside / seen > 0.95


def test_pose_and_its_inverse_cancel() -> None:
    for frame in load_tour().frames:
        identity = frame.world_from_optical @ frame.world_from_optical.inverse()
        assert np.allclose(identity.position_m, 0.0, atol=1e-12)
        assert abs(identity.quaternion_xyzw[3]) == pytest.approx(1.0, abs=1e-12)


def test_interpolation_takes_the_short_way_round() -> None:
    start, end = planar_pose(0.0, 0.0, math.radians(170)), planar_pose(2.0, 0.0, -math.radians(170))
    middle = interpolate(start, end, 0.5)
    assert middle.position_m == pytest.approx((1.0, 0.0, 0.0))
    assert abs(middle.yaw_rad) == pytest.approx(math.pi)
