"""The floor of the tour, as its depth pictures show it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from memory_nodes.geometry import Array, Pose
from memory_nodes.navigation.preflight import NO_ANSWER, NoAnswer
from memory_nodes.perception.images import depth_from_png
from memory_test_support.floor_plan import INSCRIBED, UNKNOWN
from memory_test_support.tour import Tour, TourFrame

VOXEL_M = 0.1
PIXEL_STEP = 3
MIN_POINTS = 5
"""Fewer in a voxel are noise."""
ROBOT_RADIUS_M = 0.25
STANDS_M = (0.15, 1.5)
"""Between these heights a thing is in the robot's way."""
FLOOR_M = 0.1
KNOWN_WITHIN_M = 0.3
EYE_M = 1.5
THING_M = 0.4
"""So much of a line of sight is the thing itself."""


class MeasuredFloor:
    """A Planner that knows costs and no paths, and what is true of the place."""

    def __init__(self, tour: Tour) -> None:
        voxels, counts = np.unique(
            np.concatenate([_voxels(frame, tour) for frame in tour.frames]),
            axis=0,
            return_counts=True,
        )
        voxels = voxels[counts >= MIN_POINTS]
        heights_m = (voxels[:, 2] + 0.5) * VOXEL_M
        places_m = (voxels[:, :2] + 0.5) * VOXEL_M
        stands = (heights_m > STANDS_M[0]) & (heights_m < STANDS_M[1])
        walked_m = [frame.world_from_base.position_m[:2] for frame in tour.frames]
        self._filled = set(map(tuple, voxels.tolist()))
        self._taken = cKDTree(places_m[stands])
        self._known = cKDTree(np.concatenate([places_m[np.abs(heights_m) < FLOOR_M], walked_m]))

    def is_free(self, x_m: float, y_m: float) -> bool:
        return self._cost(x_m, y_m) < INSCRIBED

    def is_sight_free(self, from_m: Sequence[float], to_m: Sequence[float]) -> bool:
        """By the voxels that the way of the light goes through."""
        eye_m, thing_m = np.array([*from_m[:2], EYE_M]), np.array(to_m)
        away_m = float(np.linalg.norm(thing_m - eye_m))
        for far_m in np.arange(0.0, away_m - THING_M, VOXEL_M / 2.0):
            point_m = eye_m + (thing_m - eye_m) * far_m / away_m
            if tuple(np.floor(point_m / VOXEL_M).astype(int).tolist()) in self._filled:
                return False
        return True

    async def costs(self, poses: Sequence[Pose]) -> Sequence[float] | NoAnswer:
        return [self._cost(*pose.position_m[:2]) for pose in poses]

    async def path(self, goal: Pose) -> Sequence[Pose] | NoAnswer:
        return NO_ANSWER

    def _cost(self, x_m: float, y_m: float) -> float:
        if self._taken.query((x_m, y_m))[0] < ROBOT_RADIUS_M:
            return INSCRIBED
        return 0.0 if self._known.query((x_m, y_m))[0] < KNOWN_WITHIN_M else UNKNOWN


def _voxels(frame: TourFrame, tour: Tour) -> NDArray[np.int64]:
    """Where depth was measured in a frame, shape (N, 3)."""
    lens = tour.intrinsics
    depth_m = depth_from_png(frame.depth_path.read_bytes())
    v_px, u_px = np.mgrid[0 : depth_m.shape[0] : PIXEL_STEP, 0 : depth_m.shape[1] : PIXEL_STEP]
    z_m = depth_m[v_px, u_px].astype(np.float64)
    rays: Array = np.stack(
        [(u_px - lens.cx_px) / lens.fx_px, (v_px - lens.cy_px) / lens.fy_px, np.ones_like(z_m)], -1
    )
    points_m = (rays * z_m[..., np.newaxis])[z_m > 0.0]
    camera = frame.world_from_optical
    world_m = Pose(camera.position_m, camera.quaternion_xyzw).apply(points_m)
    return np.asarray(np.floor(world_m / VOXEL_M), np.int64)
