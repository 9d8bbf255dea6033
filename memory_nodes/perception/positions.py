"""Where an object is, from the views of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory_nodes.geometry import Array, PointEstimate, Vector3
from memory_nodes.records import Box, Keyframe, ObjectView

MAX_VIEWS = 100
"""Of more views the newest count: the others add time and nothing else."""
MIN_DEPTH_PIXELS = 8
ROUNDS = 15
OUTLIER_SIGMAS = 3.0

# How far a box centre is from the object's centre as seen: some pixels, some of its size, half of
# what the box lacks of the full size, and half an object where the picture cuts it.
PIXEL_SIGMA_PX = 2.0
SIZE_SIGMA = 0.03
LACKING_SIGMA = 0.5
CUT_SIGMA = 0.5
BORDER_PX = 2.0
FULL_SIZE_PERCENTILE = 80.0

# The surface that depth measures lies before the centre by some of the object's size.
SURFACE_OFFSET = 0.2
SURFACE_SIGMA = 0.6
DEPTH_SIGMA_M = 0.3

# Without parallax or depth only this is known of the distance.
PRIOR_RANGE_M = 2.5
PRIOR_SIGMA_M = 2.0
MIN_RANGE_M = 0.3

# What no number of views takes away: the middle of what is visible is not quite the middle.
FLOOR_SIGMA_M = 0.05
FLOOR_SIZE_SIGMA = 0.2


@dataclass(frozen=True)
class _Rays:
    """The views of one object as seen from the map; N views, metres, unit vectors."""

    origins_m: Array
    ahead: Array
    """Optical axes."""
    sideways: Array
    """Normals of the planes through the box's middle column."""
    upright: Array
    """Normals of the planes through the box's middle row."""
    tangents: Array
    """Width and height of the box at a distance of 1, shape (N, 2)."""
    pixel_tangents: Array
    """Width and height of a pixel at a distance of 1, shape (N, 2)."""
    is_cut: NDArray[np.bool_]
    """Whether the picture's border cuts the box in width, in height, shape (N, 2)."""
    depths_m: Array
    """Along the optical axis; NaN where there is none."""
    central: Array
    """Directions of the box centres."""


def locate(views: Iterable[ObjectView], keyframes: Mapping[int, Keyframe]) -> PointEstimate | None:
    """The object's centre in the map frame; None when no view has a calibrated camera.

    Each view gives two planes through its box's middle column and row, a measured depth a third
    one; all are weighted by what is believed of their errors and solved together, robustly. A
    view in which the object looks smaller than in others is hidden in part or cut, and counts
    less. With one view and no depth this leaves a bearing, a range prior and a large covariance.

    The paper has no positions (VL-KnG is monocular and keeps boxes); the goals set by poses are
    the same with and without them.
    """
    usable = [view for view in views if keyframes[view.keyframe_id].intrinsics is not None]
    if not usable:
        return None
    rays = _rays(usable[-MAX_VIEWS:], keyframes)
    return _solve(rays)


def surface_point(depth_m: NDArray[np.float32], box: Box, keyframe: Keyframe) -> Vector3 | None:
    """The middle of an object's visible surface in the map frame, from a depth image.

    Args:
        depth_m: shape (H, W), registered to the stored image, metres, 0 = no return. It may be
            of another resolution than the image.
        box: in the stored image.
    """
    if keyframe.intrinsics is None:
        return None
    scale_x = depth_m.shape[1] / keyframe.width_px
    scale_y = depth_m.shape[0] / keyframe.height_px
    # The inner half of the box shows less of what stands behind the object.
    inset_x, inset_y = box.width_px / 4.0, box.height_px / 4.0
    columns = slice(
        int((box.x0_px + inset_x) * scale_x), int(np.ceil((box.x1_px - inset_x) * scale_x))
    )
    rows = slice(
        int((box.y0_px + inset_y) * scale_y), int(np.ceil((box.y1_px - inset_y) * scale_y))
    )
    inside = depth_m[rows, columns]
    valid = inside[np.isfinite(inside) & (inside > 0.0)]
    if valid.size < MIN_DEPTH_PIXELS:
        return None
    point_camera_m = keyframe.intrinsics.ray(*box.centre_px) * float(np.median(valid))
    x, y, z = map(float, keyframe.map_from_camera.apply(point_camera_m[np.newaxis])[0])
    return (x, y, z)


def _solve(rays: _Rays) -> PointEstimate:
    """Iteratively re-weighted least squares with Cauchy weights.

    What a box misses is an angle: fewer metres where the point is nearer, and no better a fit.
    So each plane is tilted until it leads past the point as its camera sees it (Gauss-Newton).
    Else views from one place would draw the point into the camera, where their rays meet.
    """
    ranges_m = np.where(np.isnan(rays.depths_m), PRIOR_RANGE_M, rays.depths_m)
    weights: Array = np.ones(1)
    tilts: Array = np.zeros(2 * len(ranges_m))
    ahead = np.vstack([rays.ahead, rays.ahead])
    point_m = np.zeros(3)
    for _ in range(ROUNDS):
        normals, offsets_m, sigmas_m, size_m = _planes(rays, ranges_m)
        slopes, beyond_m = normals.copy(), offsets_m.copy()
        slopes[: len(tilts)] -= tilts[:, np.newaxis] * ahead
        beyond_m[: len(tilts)] -= tilts * (ahead @ point_m)
        scaled = weights / sigmas_m**2
        information = np.einsum("n,ni,nj->ij", scaled, slopes, slopes)
        point_m = np.linalg.solve(information, np.einsum("n,ni,n->i", scaled, slopes, beyond_m))
        misses = (normals @ point_m - offsets_m) / sigmas_m
        weights = 1.0 / (1.0 + (misses / OUTLIER_SIGMAS) ** 2)
        ranges_m = np.einsum("ni,ni->n", rays.ahead, point_m - rays.origins_m)
        ranges_m = np.maximum(ranges_m, MIN_RANGE_M)
        tilts = (normals @ point_m - offsets_m)[: len(tilts)] / np.tile(ranges_m, 2)
    excess = max(1.0, float(weights @ misses**2) / max(1, len(misses) - 3))
    floor_m2 = FLOOR_SIGMA_M**2 + (FLOOR_SIZE_SIGMA * size_m) ** 2
    covariance = np.linalg.inv(information) * excess + np.eye(3) * floor_m2
    x, y, z = map(float, point_m)
    return PointEstimate((x, y, z), tuple(map(float, covariance.ravel())))


def _planes(rays: _Rays, ranges_m: Array) -> tuple[Array, Array, Array, float]:
    """normal . point = offset, with the sigma of each, and the object's smaller side, metres."""
    sizes_m = rays.tangents * ranges_m[:, np.newaxis]
    full_m = np.percentile(sizes_m, FULL_SIZE_PERCENTILE, axis=0)
    box_sigmas_m = (
        PIXEL_SIGMA_PX * rays.pixel_tangents * ranges_m[:, np.newaxis]
        + SIZE_SIGMA * sizes_m
        + LACKING_SIGMA * np.maximum(0.0, full_m - sizes_m)
        + CUT_SIGMA * full_m * rays.is_cut
    )
    size_m = float(full_m.min())
    measured = ~np.isnan(rays.depths_m)
    normals = np.vstack([rays.sideways, rays.upright, rays.ahead[measured], rays.central[:1]])
    origins_m = np.vstack(
        [rays.origins_m, rays.origins_m, rays.origins_m[measured], rays.origins_m[:1]]
    )
    beyond_m = np.concatenate(
        [
            np.zeros(2 * len(ranges_m)),
            rays.depths_m[measured] + SURFACE_OFFSET * size_m,
            [PRIOR_RANGE_M],
        ]
    )
    sigmas_m = np.concatenate(
        [
            *(box_sigmas_m[:, 0], box_sigmas_m[:, 1]),
            np.full(int(measured.sum()), DEPTH_SIGMA_M + SURFACE_SIGMA * size_m),
            [PRIOR_SIGMA_M],
        ]
    )
    return normals, np.einsum("ni,ni->n", normals, origins_m) + beyond_m, sigmas_m, size_m


def _rays(views: list[ObjectView], keyframes: Mapping[int, Keyframe]) -> _Rays:
    seen = [(view, keyframes[view.keyframe_id]) for view in views]
    origins_m = np.array([keyframe.map_from_camera.position_m for _, keyframe in seen])
    turns = np.array([keyframe.map_from_camera.rotation.as_matrix() for _, keyframe in seen])
    lenses = np.array([_lens_px(keyframe) for _, keyframe in seen])
    focal_px, middle_px = lenses[:, :2], lenses[:, 2:]
    sizes_px = np.array([(view.box.width_px, view.box.height_px) for view, _ in seen])
    tangents = (np.array([view.box.centre_px for view, _ in seen]) - middle_px) / focal_px
    one, none = np.ones(len(seen)), np.zeros(len(seen))
    points_m = np.array([view.point_map_m or (np.nan,) * 3 for view, _ in seen])
    return _Rays(
        origins_m=origins_m,
        ahead=turns[:, :, 2],
        sideways=_turned(turns, np.stack([-one, none, tangents[:, 0]], axis=1)),
        upright=_turned(turns, np.stack([none, -one, tangents[:, 1]], axis=1)),
        tangents=sizes_px / focal_px,
        pixel_tangents=1.0 / focal_px,
        is_cut=np.array([_is_cut(view.box, keyframe) for view, keyframe in seen]),
        depths_m=np.einsum("ni,ni->n", turns[:, :, 2], points_m - origins_m),
        central=_turned(turns, np.stack([tangents[:, 0], tangents[:, 1], one], axis=1)),
    )


def _lens_px(keyframe: Keyframe) -> tuple[float, float, float, float]:
    lens = keyframe.intrinsics
    assert lens is not None
    return lens.fx_px, lens.fy_px, lens.cx_px, lens.cy_px


def _turned(turns: Array, vectors: Array) -> Array:
    """Unit vectors of the optical frames in the map, shape (N, 3)."""
    turned = np.einsum("nij,nj->ni", turns, vectors)
    unit: Array = turned / np.linalg.norm(turned, axis=1, keepdims=True)
    return unit


def _is_cut(box: Box, keyframe: Keyframe) -> tuple[bool, bool]:
    """Whether the picture's border cuts the box in width, in height."""
    return (
        box.x0_px <= BORDER_PX or box.x1_px >= keyframe.width_px - BORDER_PX,
        box.y0_px <= BORDER_PX or box.y1_px >= keyframe.height_px - BORDER_PX,
    )
