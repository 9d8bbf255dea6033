"""Evidence of absence: what is not where it was, though one could see it.

A look is clear where nothing else explains that the object was not reported: the detector worked,
the robot knew where it was, the place is known well and lies within the picture, nothing stands in
front of it, and the object has been seen from about there before. The last keeps walls out, which
no box shows: between a place and a camera that saw it the way is free.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memory_nodes.geometry import Array, Intrinsics, PointEstimate
from memory_nodes.parameters import parameter
from memory_nodes.records import (
    Box,
    Chunk,
    ChunkGraph,
    ClearLook,
    DepthGrid,
    Keyframe,
    ObjectDescriptor,
    ObjectStatus,
    ObjectView,
)

MAX_SIGHTINGS = 50
"""Of more sightings the newest count."""
NEAR_M = 10.0
"""What is farther from every camera of a chunk is not looked for."""
GRID = 5
"""The place is looked at in so many rows and columns of points."""
HARMLESS_PROBLEMS = ("relation_", "frames_one_based:", "duplicate_id:")
"""Lines of a chunk that do not mean that an object may have been lost."""


@dataclass(frozen=True)
class ClearLookConfig:
    """When it counts that an object was not seen."""

    look_range_factor: float = parameter(
        1.2, "a look from farther, as a multiple of an earlier sighting, says nothing", low=1.0
    )
    look_angle_deg: float = parameter(
        30.0, "so near to the direction of an earlier sighting", unit="deg", low=1.0, high=180.0
    )
    look_min_range_m: float = parameter(
        0.3, "a look from nearer says nothing", unit="m", low=0.0, high=10.0
    )
    look_min_size_px: float = parameter(
        12.0, "an object that would show smaller may be overlooked", unit="px", low=1.0
    )
    look_max_sigma_px: float = parameter(
        80.0, "of a place in the picture; one less certain is not looked at", unit="px", low=1.0
    )
    look_depth_tolerance_m: float = parameter(
        0.3, "what is nearer than the place by more stands in front of it", unit="m", low=0.0
    )
    look_max_hidden: float = parameter(
        0.3, "share of the object that may be hidden", low=0.0, high=1.0
    )


@dataclass(frozen=True)
class KnownPlace:
    """Where an object should be, and from where it was seen there."""

    object_id: str
    position: PointEstimate
    cameras_map_m: Array
    """Positions of the cameras that saw it, shape (N, 3)."""
    extent_m: tuple[float, float]
    """Width and height, as its boxes show them."""


def near_chunk(known: Sequence[ObjectDescriptor], chunk: Chunk) -> list[ObjectDescriptor]:
    """Objects with a place on the chunk's map near enough to a camera of it to be looked for."""
    placed = [item for item in known if item.position is not None]
    if not placed:
        return []
    points_m = np.array([item.position.point_m for item in placed if item.position])
    cameras_m = np.array([item.map_from_camera.position_m for item in chunk.keyframes])
    low_m, high_m = cameras_m.min(axis=0) - NEAR_M, cameras_m.max(axis=0) + NEAR_M
    is_near = ((points_m >= low_m) & (points_m <= high_m)).all(axis=1)
    return [placed[index] for index in np.flatnonzero(is_near)]


def known_place(
    descriptor: ObjectDescriptor, keyframes: Mapping[int, Keyframe]
) -> KnownPlace | None:
    """None for what cannot be missed: without a place, missing or expired already.

    Args:
        keyframes: those that show it on the present map; views in others do not count.
    """
    if descriptor.position is None or descriptor.status in (
        ObjectStatus.MISSING,
        ObjectStatus.EXPIRED,
    ):
        return None
    seen = [
        (view, keyframes[view.keyframe_id])
        for view in descriptor.views[-MAX_SIGHTINGS:]
        if view.keyframe_id >= descriptor.placed_since and view.keyframe_id in keyframes
    ]
    sizes_m = [
        (view.box.width_px / lens.fx_px * depth_m, view.box.height_px / lens.fy_px * depth_m)
        for view, keyframe in seen
        if (lens := keyframe.intrinsics) is not None
        and (depth_m := _depth_m(descriptor.position, keyframe)) > 0.0
    ]
    if not sizes_m:
        return None
    width_m, height_m = map(float, np.median(sizes_m, axis=0))
    cameras_m = np.array([keyframe.map_from_camera.position_m for _, keyframe in seen])
    return KnownPlace(
        descriptor.object_id, descriptor.position, cameras_m, (width_m, height_m)
    )


def clear_looks(
    graph: ChunkGraph, known: Sequence[KnownPlace], config: ClearLookConfig
) -> tuple[ClearLook, ...]:
    """The looks of a resolved chunk, in the order of its keyframes.

    An object that the chunk shows anywhere is not missed. A chunk with a problem of the detector,
    and a keyframe in which nothing was detected, are no evidence.
    """
    if any(not line.startswith(HARMLESS_PROBLEMS) for line in graph.problems):
        return ()
    seen_ids = {item.object_id for item in graph.objects}
    places = [place for place in known if place.object_id not in seen_ids]
    positions = _positions(graph, known)
    looks = []
    for keyframe in graph.chunk.keyframes:
        shown = _boxes(graph, keyframe, positions)
        if not shown or keyframe.intrinsics is None or not keyframe.is_localized:
            continue
        for place in _within(places, keyframe, keyframe.intrinsics, config):
            if not _is_hidden(place, keyframe, keyframe.intrinsics, shown, config):
                looks.append(ClearLook(place.object_id, keyframe.keyframe_id))
    return tuple(looks)


def _within(
    places: Sequence[KnownPlace], keyframe: Keyframe, lens: Intrinsics, config: ClearLookConfig
) -> Iterable[KnownPlace]:
    """Those that would show large enough and whole, from where they have been seen before."""
    if not places:
        return []
    camera_from_map = keyframe.map_from_camera.inverse()
    points_m = camera_from_map.apply(np.array([place.position.point_m for place in places]))
    turn = camera_from_map.rotation.as_matrix()
    covariances_m2 = turn @ np.reshape(
        [place.position.covariance_m2 for place in places], (-1, 3, 3)
    ) @ turn.T
    depths_m = np.maximum(points_m[:, 2], 1e-6)
    shown_px = lens.project(np.column_stack([points_m[:, :2], depths_m]))
    sigmas_px = _sigmas_px(points_m, depths_m, covariances_m2, lens)
    focal_px = np.array([lens.fx_px, lens.fy_px])
    sizes_px = np.array([place.extent_m for place in places]) * focal_px / depths_m[:, None]
    margins_px = sizes_px / 2.0 + sigmas_px
    image_px = np.array([keyframe.width_px, keyframe.height_px])
    is_within = (
        (points_m[:, 2] >= config.look_min_range_m)
        & (sizes_px.min(axis=1) >= config.look_min_size_px)
        & (sigmas_px.max(axis=1) <= config.look_max_sigma_px)
        & (shown_px >= margins_px).all(axis=1)
        & (shown_px <= image_px - margins_px).all(axis=1)
    )
    inside = (places[index] for index in np.flatnonzero(is_within))
    return [place for place in inside if _was_seen_from(place, keyframe, config)]


def _sigmas_px(
    points_m: Array, depths_m: Array, covariances_m2: Array, lens: Intrinsics
) -> Array:
    """Standard deviations across and down the picture, shape (N, 2), to first order."""
    jacobians = np.zeros((len(points_m), 2, 3))
    jacobians[:, 0, 0] = lens.fx_px / depths_m
    jacobians[:, 1, 1] = lens.fy_px / depths_m
    jacobians[:, 0, 2] = -lens.fx_px * points_m[:, 0] / depths_m**2
    jacobians[:, 1, 2] = -lens.fy_px * points_m[:, 1] / depths_m**2
    variances_px2 = np.einsum("nij,njk,nik->ni", jacobians, covariances_m2, jacobians)
    sigmas_px: Array = np.sqrt(np.maximum(variances_px2, 0.0))
    return sigmas_px


def _was_seen_from(place: KnownPlace, keyframe: Keyframe, config: ClearLookConfig) -> bool:
    """From about this direction, and not much nearer."""
    ways_m = place.cameras_map_m - place.position.point_m
    way_m = np.subtract(keyframe.map_from_camera.position_m, place.position.point_m)
    ranges_m, range_m = np.linalg.norm(ways_m, axis=1), float(np.linalg.norm(way_m))
    least = math.cos(math.radians(config.look_angle_deg))
    is_alike = ways_m @ way_m >= least * ranges_m * range_m
    return bool((is_alike & (range_m <= config.look_range_factor * ranges_m)).any())


def _is_hidden(
    place: KnownPlace,
    keyframe: Keyframe,
    lens: Intrinsics,
    shown: Sequence[tuple[Box, float]],
    config: ClearLookConfig,
) -> bool:
    """Whether boxes of what is not behind the place, or measured depth, cover much of it."""
    point_m = keyframe.map_from_camera.inverse().apply(np.array([place.position.point_m]))[0]
    depth_m = float(point_m[2])
    middle_px = lens.project(point_m[None])[0]
    size_px = np.array(place.extent_m) * (lens.fx_px, lens.fy_px) / depth_m
    steps = (np.arange(GRID) + 0.5) / GRID - 0.5
    across_px, down_px = np.meshgrid(*(middle_px[:, None] + size_px[:, None] * steps))
    behind_m = depth_m + config.look_depth_tolerance_m
    is_covered = np.zeros((GRID, GRID), np.bool_)
    for box, box_depth_m in shown:
        if box_depth_m < behind_m:
            is_covered |= (
                (box.x0_px <= across_px)
                & (across_px < box.x1_px)
                & (box.y0_px <= down_px)
                & (down_px < box.y1_px)
            )
    if is_covered[GRID // 2, GRID // 2] or is_covered.mean() > config.look_max_hidden:
        return True
    if keyframe.depth_grid is None:
        return False
    measured_m = _measured_m(keyframe.depth_grid, keyframe, across_px, down_px)
    is_before = (measured_m > 0.0) & (measured_m < depth_m - config.look_depth_tolerance_m)
    return bool(is_before.mean() > config.look_max_hidden)


def _measured_m(grid: DepthGrid, keyframe: Keyframe, across_px: Array, down_px: Array) -> Array:
    """The depth of the cells that pixels are in, 0 where none was measured."""
    columns = (across_px * grid.columns / keyframe.width_px).astype(np.intp)
    rows = (down_px * grid.rows / keyframe.height_px).astype(np.intp)
    depths_m: Array = np.reshape(grid.depths_mm, (grid.rows, grid.columns)) / 1000.0
    found: Array = depths_m[rows.clip(0, grid.rows - 1), columns.clip(0, grid.columns - 1)]
    return found


def _boxes(
    graph: ChunkGraph, keyframe: Keyframe, positions: Mapping[str, PointEstimate]
) -> list[tuple[Box, float]]:
    """The boxes in a keyframe with the depth of what they show; 0 where that is not known."""
    return [
        (view.box, _box_depth_m(view, positions.get(item.object_id), keyframe))
        for item in graph.objects
        for view in item.views
        if view.keyframe_id == keyframe.keyframe_id
    ]


def _box_depth_m(view: ObjectView, position: PointEstimate | None, keyframe: Keyframe) -> float:
    if view.point_map_m is not None:
        position = PointEstimate(view.point_map_m, (0.0,) * 9)
    return 0.0 if position is None or position.is_rough else _depth_m(position, keyframe)


def _positions(graph: ChunkGraph, known: Sequence[KnownPlace]) -> dict[str, PointEstimate]:
    """Of what the chunk shows: from its own views, or from before where these tell too little."""
    positions = {place.object_id: place.position for place in known}
    for item in graph.objects:
        if item.position is not None and not item.position.is_rough:
            positions[item.object_id] = item.position
    return positions


def _depth_m(position: PointEstimate, keyframe: Keyframe) -> float:
    point_m = keyframe.map_from_camera.inverse().apply(np.array([position.point_m]))
    return float(point_m[0, 2])
