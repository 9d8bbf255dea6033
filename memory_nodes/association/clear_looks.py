"""Evidence of absence: what is not where it was, though one could see it.

A look is clear where nothing else explains that the object was not reported: the detector worked,
the robot knew where it was, the place is known well and lies within the picture, nothing stands in
front of it, and the object has been seen from about there before. The last keeps walls out, which
no box shows: between a place and a camera that saw it the way is free. That sighting also tells
which part of the object to look for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory_nodes.association.known_places import (
    MIN_DEPTH_M,
    KnownPlace,
    KnownPlaces,
    in_camera,
)
from memory_nodes.geometry import Array, Intrinsics, PointEstimate, camera_axes
from memory_nodes.parameters import parameter
from memory_nodes.records import (
    Box,
    ChunkGraph,
    ClearLook,
    DepthGrid,
    Keyframe,
    ObjectView,
)

BEHIND_SIGMAS = 2.0
"""What is behind a place by fewer may as well be at it: the object itself, by another name."""
CARRIER_DEPTH_M = 0.5
"""The middle of what carries an object is nearer than the object by less than this."""
GRID = 5
"""An object is looked for in so many rows and columns of points."""
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
        0.5, "share of the object that may be hidden, not its middle", low=0.0, high=1.0
    )
    look_at_empty_keyframes: bool = parameter(
        True,
        "a keyframe in which nothing was detected counts too, where others of its chunk show"
        " something and only one known object should be in it; off for a detector that often"
        " passes an image over",
    )


@dataclass(frozen=True)
class _Expected:
    """What a keyframe would show of an object."""

    object_id: str
    box: Box
    depth_m: float
    depth_sigma_m: float
    as_in_id: int
    """The keyframe that showed it so."""


def clear_looks(
    graph: ChunkGraph, known: KnownPlaces, config: ClearLookConfig
) -> tuple[ClearLook, ...]:
    """The looks of a resolved chunk, in the order of its keyframes.

    An object that the chunk shows anywhere is not missed. A chunk with a problem of the detector
    is no evidence. Nor is a keyframe in which nothing was detected, unless only one object should
    be in it: where several are lacking at once, the detector passed the picture over.
    """
    if not graph.objects or any(not line.startswith(HARMLESS_PROBLEMS) for line in graph.problems):
        return ()
    seen_ids = {item.object_id for item in graph.objects}
    positions = _positions(graph, known.places)
    looks = []
    for keyframe in graph.chunk.keyframes:
        shown = _boxes(graph, keyframe, positions)
        if not shown and not config.look_at_empty_keyframes:
            continue
        should_be_in = list(_in_plain_view(known, keyframe, shown, config))
        if shown or len(should_be_in) == 1:
            lacking = (object_id for object_id in should_be_in if object_id not in seen_ids)
            looks += [ClearLook(object_id, keyframe.keyframe_id) for object_id in lacking]
    return tuple(looks)


def _in_plain_view(
    known: KnownPlaces,
    keyframe: Keyframe,
    shown: Sequence[tuple[str, Box, float]],
    config: ClearLookConfig,
) -> Iterator[str]:
    """The objects that a keyframe would show, were all of them in their places."""
    if keyframe.intrinsics is None or not keyframe.is_localized:
        return
    for expected in _expected(known.places, keyframe, keyframe.intrinsics, config):
        through = known.seen_through(expected.object_id, expected.as_in_id)
        carrying_m = expected.depth_m - CARRIER_DEPTH_M
        before = [
            (box, depth_m)
            for name, box, depth_m in shown
            if name not in through or depth_m < carrying_m
        ]
        if not _is_hidden(expected, keyframe, before, config):
            yield expected.object_id


def _expected(
    places: Sequence[KnownPlace], keyframe: Keyframe, lens: Intrinsics, config: ClearLookConfig
) -> Iterator[_Expected]:
    """What should show, large enough, of places that are certain enough."""
    if not places:
        return
    points_map_m = np.array([place.position.point_m for place in places])
    camera = keyframe.map_from_camera
    points_m = (points_map_m - camera.position_m) @ camera_axes(camera)
    ahead = np.flatnonzero(points_m[:, 2] >= max(config.look_min_range_m, MIN_DEPTH_M))
    image_px = np.array([keyframe.width_px, keyframe.height_px])
    for index, shown_px in zip(ahead, lens.project(points_m[ahead]), strict=True):
        place, point_m = places[index], points_m[index]
        if (np.abs(shown_px - image_px / 2.0) > image_px).any():
            continue
        sighting = _nearest_sighting(place, keyframe, config)
        if sighting is None:
            continue
        if _sigma_px(place.position, point_m, keyframe, lens) > config.look_max_sigma_px:
            continue
        scales_px = np.array([lens.fx_px, lens.fy_px, lens.fx_px, lens.fy_px]) / point_m[2]
        edges_px = shown_px[[0, 1, 0, 1]] + place.outlines_m[sighting] * scales_px
        box = Box(*map(float, edges_px))
        if min(box.width_px, box.height_px) >= config.look_min_size_px:
            as_in_id = place.keyframe_ids[sighting]
            depth_sigma_m = _depth_sigma_m(place.position, keyframe)
            yield _Expected(place.object_id, box, float(point_m[2]), depth_sigma_m, as_in_id)


def _nearest_sighting(place: KnownPlace, keyframe: Keyframe, config: ClearLookConfig) -> int | None:
    """The number of that from the nearest camera in about this direction, and not much nearer."""
    ways_m = place.cameras_map_m - place.position.point_m
    way_m = np.subtract(keyframe.map_from_camera.position_m, place.position.point_m)
    ranges_m, range_m = np.linalg.norm(ways_m, axis=1), float(np.linalg.norm(way_m))
    least = math.cos(math.radians(config.look_angle_deg))
    is_alike = ways_m @ way_m >= least * ranges_m * range_m
    is_alike &= range_m <= config.look_range_factor * ranges_m
    if not is_alike.any():
        return None
    gaps_m = np.where(is_alike, np.linalg.norm(ways_m - way_m, axis=1), np.inf)
    return int(np.argmin(gaps_m))


def _sigma_px(
    position: PointEstimate, point_m: Array, keyframe: Keyframe, lens: Intrinsics
) -> float:
    """Standard deviation in the picture, in the direction in which it is larger; first order.

    Args:
        point_m: the position in the optical frame, shape (3,).
    """
    x_m, y_m, z_m = point_m
    jacobian = np.array([[1.0, 0.0, -x_m / z_m], [0.0, 1.0, -y_m / z_m]])
    jacobian *= np.array([[lens.fx_px], [lens.fy_px]]) / z_m
    from_map = jacobian @ camera_axes(keyframe.map_from_camera).T
    covariance_px2 = from_map @ np.reshape(position.covariance_m2, (3, 3)) @ from_map.T
    return math.sqrt(max(0.0, float(np.linalg.eigvalsh(covariance_px2)[-1])))


def _depth_sigma_m(position: PointEstimate, keyframe: Keyframe) -> float:
    ahead = camera_axes(keyframe.map_from_camera)[:, 2]
    return math.sqrt(max(0.0, ahead @ np.reshape(position.covariance_m2, (3, 3)) @ ahead))


def _is_hidden(
    expected: _Expected,
    keyframe: Keyframe,
    shown: Sequence[tuple[Box, float]],
    config: ClearLookConfig,
) -> bool:
    """Whether the border, boxes of what is not behind it or measured depth hide much of it."""
    box, tolerance_m = expected.box, config.look_depth_tolerance_m
    shares = (np.arange(GRID) + 0.5) / GRID
    across_px, down_px = np.meshgrid(
        box.x0_px + shares * box.width_px, box.y0_px + shares * box.height_px
    )
    picture = Box(0.0, 0.0, keyframe.width_px, keyframe.height_px)
    is_covered = ~_is_in(picture, across_px, down_px)
    behind_m = expected.depth_m + tolerance_m + BEHIND_SIGMAS * expected.depth_sigma_m
    for other, depth_m in shown:
        if depth_m < behind_m:
            is_covered |= _is_in(other, across_px, down_px)
    if keyframe.depth_grid is not None:
        measured_m = _measured_m(keyframe.depth_grid, keyframe, across_px, down_px)
        is_covered |= (measured_m > 0.0) & (measured_m < expected.depth_m - tolerance_m)
    is_middle_covered = bool(is_covered[GRID // 2, GRID // 2])
    return is_middle_covered or float(is_covered.mean()) > config.look_max_hidden


def _is_in(box: Box, across_px: Array, down_px: Array) -> NDArray[np.bool_]:
    is_in: NDArray[np.bool_] = (
        (box.x0_px <= across_px)
        & (across_px < box.x1_px)
        & (box.y0_px <= down_px)
        & (down_px < box.y1_px)
    )
    return is_in


def _measured_m(grid: DepthGrid, keyframe: Keyframe, across_px: Array, down_px: Array) -> Array:
    """The depth of the cells that pixels are in, 0 where none was measured."""
    columns = (across_px * grid.columns / keyframe.width_px).astype(np.intp)
    rows = (down_px * grid.rows / keyframe.height_px).astype(np.intp)
    depths_m: Array = np.reshape(grid.depths_mm, (grid.rows, grid.columns)) / 1000.0
    found: Array = depths_m[rows.clip(0, grid.rows - 1), columns.clip(0, grid.columns - 1)]
    return found


def _boxes(
    graph: ChunkGraph, keyframe: Keyframe, positions: Mapping[str, PointEstimate]
) -> list[tuple[str, Box, float]]:
    """Whose boxes are in a keyframe, and the depth of what they show; 0 where it is not known."""
    return [
        (item.object_id, view.box, _box_depth_m(view, positions.get(item.object_id), keyframe))
        for item in graph.objects
        for view in item.views
        if view.keyframe_id == keyframe.keyframe_id
    ]


def _box_depth_m(view: ObjectView, position: PointEstimate | None, keyframe: Keyframe) -> float:
    if view.point_map_m is not None:
        position = PointEstimate(view.point_map_m, (0.0,) * 9)
    if position is None or position.is_rough:
        return 0.0
    return float(in_camera(position, keyframe)[2])


def _positions(graph: ChunkGraph, known: Sequence[KnownPlace]) -> dict[str, PointEstimate]:
    """Of what the chunk shows: from its own views, or from before where these tell too little."""
    positions = {place.object_id: place.position for place in known}
    for item in graph.objects:
        if item.position is not None and not item.position.is_rough:
            positions[item.object_id] = item.position
    return positions
