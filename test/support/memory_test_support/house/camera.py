"""What a camera one metre above the floor sees of things that are upright boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from memory_nodes.geometry import Array, Intrinsics, Pose
from memory_nodes.records import Box, Keyframe
from memory_test_support.house.plan import Thing

MAX_DEPTH_M = 8.0
MIN_DEPTH_M = 0.2
"""A thing of which a corner is nearer stands beside the robot: it is not projected."""
MIN_SIDE_PX = 8.0
MIN_VISIBLE_SHARE = 0.3
"""Of the projected box, whether the picture's border or a nearer thing hides the rest."""

_CORNERS = np.array(list(product((-0.5, 0.5), repeat=3)))


@dataclass(frozen=True)
class Sight:
    """The visible part of a thing, and how far its front is along the optical axis."""

    thing: Thing
    box: Box
    depth_m: float


@dataclass(frozen=True)
class _Projection:
    thing: Thing
    whole: Box
    """Of all eight corners, beyond the picture too."""
    centre_depth_m: float
    front_depth_m: float


def visible(things: Sequence[Thing], keyframe: Keyframe) -> list[Sight]:
    """What a keyframe shows of these things, farthest first; nothing else is in the way.

    A thing is hidden where the projected box of a nearer one (by the depth of its centre) covers
    it. Partly hidden it gets the box around its visible pixels.
    """
    camera_from_map = keyframe.map_from_camera.inverse()
    found = (_projected(thing, camera_from_map, keyframe) for thing in things)
    projections = [item for item in found if item is not None]
    projections.sort(key=lambda item: -item.centre_depth_m)
    owner = np.full((keyframe.height_px, keyframe.width_px), -1, np.int16)
    boxes = [_clipped(item.whole, keyframe) for item in projections]
    for index, clipped in enumerate(boxes):
        owner[_pixels(clipped)] = index
    sights = []
    for index, (item, clipped) in enumerate(zip(projections, boxes, strict=True)):
        box = _visible_box(item.whole, clipped, owner[_pixels(clipped)] == index)
        if box is not None:
            sights.append(Sight(item.thing, box, item.front_depth_m))
    return sights


def _projected(thing: Thing, camera_from_map: Pose, keyframe: Keyframe) -> _Projection | None:
    """None for what is behind the camera, beside it, or too far."""
    corners_m: Array = np.array(thing.centre_m) + _CORNERS * np.array(thing.kind.size_m)
    points_m = camera_from_map.apply(np.vstack([corners_m, thing.centre_m]))
    depths_m, centre_depth_m = points_m[:-1, 2], float(points_m[-1, 2])
    if depths_m.min() < MIN_DEPTH_M or centre_depth_m > MAX_DEPTH_M:
        return None
    lens = lens_of(keyframe)
    u_px = lens.fx_px * points_m[:-1, 0] / depths_m + lens.cx_px
    v_px = lens.fy_px * points_m[:-1, 1] / depths_m + lens.cy_px
    whole = Box(*map(float, (u_px.min(), v_px.min(), u_px.max(), v_px.max())))
    return _Projection(thing, whole, centre_depth_m, float(depths_m.min()))


def _visible_box(whole: Box, clipped: Box, own: NDArray[np.bool_]) -> Box | None:
    """``own``: which pixels of the clipped box nothing nearer covers."""
    count = int(np.count_nonzero(own))
    if count == 0 or count < MIN_VISIBLE_SHARE * whole.area_px2:
        return None
    rows, columns = _pixels(clipped)
    box = clipped if count == own.size else _around(own, rows.start, columns.start)
    return box if min(box.width_px, box.height_px) >= MIN_SIDE_PX else None


def _around(own: NDArray[np.bool_], first_row: int, first_column: int) -> Box:
    rows = np.flatnonzero(own.any(axis=1)) + first_row
    columns = np.flatnonzero(own.any(axis=0)) + first_column
    return Box(float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1))


def _clipped(box: Box, keyframe: Keyframe) -> Box:
    width_px, height_px = float(keyframe.width_px), float(keyframe.height_px)
    return Box(
        *(min(max(box.x0_px, 0.0), width_px), min(max(box.y0_px, 0.0), height_px)),
        *(min(max(box.x1_px, 0.0), width_px), min(max(box.y1_px, 0.0), height_px)),
    )


def _pixels(box: Box) -> tuple[slice, slice]:
    """Rows and columns of the pixels that a box touches most."""
    return (
        slice(round(box.y0_px), round(box.y1_px)),
        slice(round(box.x0_px), round(box.x1_px)),
    )


def lens_of(keyframe: Keyframe) -> Intrinsics:
    """The intrinsics, which every keyframe of the house has."""
    assert keyframe.intrinsics is not None
    return keyframe.intrinsics
