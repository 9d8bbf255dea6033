"""Where an object is, from the views of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from memory_nodes.geometry import Array, PointEstimate, Vector3, triangulate
from memory_nodes.records import Box, Keyframe, ObjectView

MIN_DEPTH_PIXELS = 8
SURFACE_SIGMA_M = 0.1
"""A surface point is not the object's centre; neither are box edges exact."""


def locate(views: Iterable[ObjectView], keyframes: Mapping[int, Keyframe]) -> PointEstimate | None:
    """The object's position in the map frame, or None when the views do not tell.

    Measured depth wins; without it the rays through the box centres are intersected, those of
    boxes that the picture's border cuts only where there is no other way.
    """
    listed = list(views)
    points = [view.point_map_m for view in listed if view.point_map_m is not None]
    if points:
        return _middle(np.array(points))
    rays = [view for view in listed if keyframes[view.keyframe_id].intrinsics is not None]
    whole = [view for view in rays if not _is_cut(view, keyframes[view.keyframe_id])]
    return _intersect(whole, keyframes) or _intersect(rays, keyframes)


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


def _middle(points_map_m: Array) -> PointEstimate:
    """The median of points, shape (N, 3), with a spread that a few bad ones do not widen."""
    middle = np.median(points_map_m, axis=0)
    spread = 1.4826 * np.median(np.abs(points_map_m - middle), axis=0)
    variance = SURFACE_SIGMA_M**2 + spread**2 / len(points_map_m)
    x, y, z = map(float, middle)
    return PointEstimate((x, y, z), tuple(map(float, np.diag(variance).ravel())))


def _is_cut(view: ObjectView, keyframe: Keyframe) -> bool:
    return view.box.touches_border(keyframe.width_px, keyframe.height_px)


def _intersect(views: list[ObjectView], keyframes: Mapping[int, Keyframe]) -> PointEstimate | None:
    origins, directions = [], []
    for view in views:
        keyframe = keyframes[view.keyframe_id]
        assert keyframe.intrinsics is not None
        ray = keyframe.map_from_camera.rotation.apply(keyframe.intrinsics.ray(*view.box.centre_px))
        origins.append(keyframe.map_from_camera.position_m)
        directions.append(ray / np.linalg.norm(ray))
    return triangulate(np.array(origins), np.array(directions)) if views else None
