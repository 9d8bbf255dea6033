"""Whether an object has moved, from its views in order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memory_nodes.geometry import Array, PointEstimate, camera_axes
from memory_nodes.perception.positions import BORDER_PX, locate
from memory_nodes.records import Box, Keyframe, ObjectView

CONTRADICTING_SIGMAS = 2.0
CONTRADICTING_PX = 10.0


@dataclass(frozen=True)
class Move:
    """From where to where, and the keyframes between which it happened."""

    old: PointEstimate
    new: PointEstimate
    last_id: int
    """The last keyframe that shows it at the old place."""
    since_id: int
    """The first one that shows it at the new place."""


@dataclass(frozen=True)
class Elsewhere:
    """Where an object was seen, however roughly, that is not its place."""

    position: PointEstimate
    after_ns: int
    """Since it was seen at its place last."""


def find(
    views: Sequence[ObjectView],
    keyframes: Mapping[int, Keyframe],
    place: PointEstimate,
    chunk_from: int,
    moved_m: float,
    moved_sigmas: float,
) -> Move | None:
    """The move that the newest views prove, if they do.

    None of them shows it where it was; those of the newest chunk may be the only ones that show
    it where it is. Nor did all earlier ones show it there already: what is large, hidden in part
    or cut by the border is measured here today and there tomorrow, within its boxes. One view
    without depth proves nothing: its place is rough.

    Args:
        views: ascending by keyframe, all since the last move.
        place: where the earlier ones say that it is.
        chunk_from: the first keyframe of the newest chunk that shows it.
    """
    until = _first_contradicting(views, keyframes, place)
    of_chunk = sum(view.keyframe_id < chunk_from for view in views)
    for first in sorted({until, max(until, of_chunk)}):
        move = _move(views, keyframes, until, first)
        if move is None or move.new.is_rough:
            continue
        was_elsewhere = any(
            contradicts(view, keyframes, move.new, goes_on=True) for view in views[:until]
        )
        if was_elsewhere and is_elsewhere(move.old, move.new, moved_m, moved_sigmas):
            return move
    return None


def presumed(
    views: Sequence[ObjectView], keyframes: Mapping[int, Keyframe], place: PointEstimate
) -> Move | None:
    """The move of what is not at its place any more, and was seen elsewhere last, however roughly.

    Args: as those of ``find``.
    """
    first = _first_contradicting(views, keyframes, place)
    return _move(views, keyframes, first, first)


def settled(
    views: Sequence[ObjectView], keyframes: Mapping[int, Keyframe], place: PointEstimate | None
) -> PointEstimate | None:
    """Where views show an object; None where no camera is calibrated.

    The newest do not count while they show it elsewhere, but too roughly to prove that it moved:
    a place between both is where it never was.

    Args: as those of ``find``; ``place`` is None where nothing is known yet.
    """
    first = len(views) if place is None else _first_contradicting(views, keyframes, place)
    if 0 < first < len(views):
        newest = locate(views[first:], keyframes)
        if newest is None or newest.is_rough:
            views = views[:first]
    return locate(views, keyframes)


def elsewhere(
    views: Sequence[ObjectView], keyframes: Mapping[int, Keyframe], place: PointEstimate
) -> Elsewhere | None:
    """Where the newest views show what they do not show at its place; None where they may.

    Args: as those of ``find``.
    """
    first = _first_contradicting(views, keyframes, place)
    position = locate(views[first:], keyframes) if 0 < first < len(views) else None
    if position is None:
        return None
    last, since = (keyframes[view.keyframe_id] for view in views[first - 1 : first + 1])
    return Elsewhere(position, since.stamp_ns - last.stamp_ns)


def is_elsewhere(
    old: PointEstimate, new: PointEstimate, moved_m: float, moved_sigmas: float
) -> bool:
    """Farther apart than a distance, and than the uncertainty of both (Mahalanobis distance)."""
    gap_m = np.subtract(new.point_m, old.point_m)
    covariance_m2 = np.reshape(np.add(old.covariance_m2, new.covariance_m2), (3, 3))
    distance2 = float(gap_m @ np.linalg.solve(covariance_m2, gap_m))
    return math.dist(old.point_m, new.point_m) >= moved_m and distance2 >= moved_sigmas**2


def _move(
    views: Sequence[ObjectView], keyframes: Mapping[int, Keyframe], until: int, first: int
) -> Move | None:
    """From where the views before ``until`` show it to where those from the ``first`` on do.

    Some of the latter may show it at a third place, before it came to the new one: they do not
    count. None where one side is empty, or no place fits the newest view.
    """
    if not 0 < until <= first < len(views):
        return None
    old, new = locate(views[:until], keyframes), locate(views[first:], keyframes)
    if old is None or new is None:
        return None
    since = len(views)
    while since > first and not contradicts(views[since - 1], keyframes, new):
        since -= 1
    settled_at = locate(views[since:], keyframes)
    if settled_at is None:
        return None
    return Move(old, settled_at, views[until - 1].keyframe_id, views[since].keyframe_id)


def _first_contradicting(
    views: Sequence[ObjectView], keyframes: Mapping[int, Keyframe], place: PointEstimate
) -> int:
    """From which view on all contradict the place; the number of views where the last does not."""
    first = len(views)
    while first and contradicts(views[first - 1], keyframes, place):
        first -= 1
    return first


def contradicts(
    view: ObjectView,
    keyframes: Mapping[int, Keyframe],
    place: PointEstimate,
    goes_on: bool = False,
) -> bool:
    """Whether the place is clearly outside the box.

    Args:
        goes_on: whether a box that the picture's border cuts holds all that is beyond it.
    """
    keyframe, lens = keyframes[view.keyframe_id], keyframes[view.keyframe_id].intrinsics
    if lens is None:
        return False
    camera = keyframe.map_from_camera
    point_m = np.subtract(place.point_m, camera.position_m) @ camera_axes(camera)
    depth_m = float(point_m[2])
    low_px, high_px = _edges_px(view.box, keyframe, goes_on)
    if depth_m <= 0.0:
        return bool(np.isfinite([low_px, high_px]).all())
    shown_px = lens.project(point_m[np.newaxis])[0]
    sigma_px = CONTRADICTING_SIGMAS * place.sigma_m * lens.fx_px / depth_m + CONTRADICTING_PX
    return bool(np.maximum(low_px - shown_px, shown_px - high_px).max() > sigma_px)


def _edges_px(box: Box, keyframe: Keyframe, goes_on: bool) -> tuple[Array, Array]:
    """Left and top, right and bottom; infinite where the border cuts a box that goes on."""
    low_px, high_px = np.reshape((box.x0_px, box.y0_px, box.x1_px, box.y1_px), (2, 2))
    if not goes_on:
        return low_px, high_px
    size_px = np.array([keyframe.width_px, keyframe.height_px])
    return (
        np.where(low_px <= BORDER_PX, -np.inf, low_px),
        np.where(high_px >= size_px - BORDER_PX, np.inf, high_px),
    )
