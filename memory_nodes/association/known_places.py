"""Where known objects should be, and how they were seen there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memory_nodes.geometry import Array, PointEstimate, camera_axes
from memory_nodes.records import Box, Chunk, Keyframe, ObjectDescriptor, ObjectStatus

MAX_SIGHTINGS = 50
"""Of more sightings the newest count."""
MIN_DEPTH_M = 0.01
MAX_DEPTH_M = 10.0
"""What is farther is not looked for."""


@dataclass(frozen=True)
class KnownPlace:
    """Where an object should be, and how it was seen there; N sightings."""

    object_id: str
    position: PointEstimate
    keyframe_ids: tuple[int, ...]
    cameras_map_m: Array
    """Positions of the cameras, shape (N, 3)."""
    outlines_m: Array
    """Of what each of them saw: left, top, right and bottom edge relative to the position, across
    and down the picture, at the depth of the position, shape (N, 4)."""


@dataclass(frozen=True)
class KnownPlaces:
    """Places, and all that was seen together with what should be there."""

    places: tuple[KnownPlace, ...] = ()
    boxes: Mapping[int, Mapping[str, Box]] = field(default_factory=dict)
    """By keyframe and object."""

    def seen_through(self, object_id: str, keyframe_id: int) -> set[str]:
        """The objects whose boxes lay over that of an object, and did not hide it."""
        boxes = self.boxes[keyframe_id]
        own = boxes[object_id]
        return {other_id for other_id, box in boxes.items() if box.overlaps(own)}


def in_view(points_map_m: Array, chunk: Chunk) -> NDArray[np.bool_]:
    """Which points on the chunk's map are in the picture of a keyframe, or just beside it.

    Of many known places few are: only these are worth asking more about.

    Args:
        points_map_m: shape (N, 3).
    """
    is_in = np.zeros(len(points_map_m), np.bool_)
    for keyframe in chunk.keyframes:
        lens, camera = keyframe.intrinsics, keyframe.map_from_camera
        if lens is None:
            continue
        points_m = (points_map_m - camera.position_m) @ camera_axes(camera)
        ahead = np.flatnonzero((points_m[:, 2] > MIN_DEPTH_M) & (points_m[:, 2] < MAX_DEPTH_M))
        image_px = np.array([keyframe.width_px, keyframe.height_px])
        beside_px = np.abs(lens.project(points_m[ahead]) - image_px / 2.0)
        is_in[ahead[(beside_px <= image_px).all(axis=1)]] = True
    return is_in


def sightings(objects: Sequence[ObjectDescriptor]) -> set[int]:
    """The keyframes that ``known_places`` needs."""
    return {view.keyframe_id for item in objects for view in item.views[-MAX_SIGHTINGS:]}


def known_places(
    objects: Sequence[ObjectDescriptor], keyframes: Mapping[int, Keyframe]
) -> KnownPlaces:
    """The places of what can be missed: not of what is missing or expired already.

    Args:
        keyframes: those that show the objects on the present map; views in others do not count.
    """
    boxes: dict[int, dict[str, Box]] = {}
    for item in objects:
        for view in item.views[-MAX_SIGHTINGS:]:
            boxes.setdefault(view.keyframe_id, {})[item.object_id] = view.box
    gone = (ObjectStatus.MISSING, ObjectStatus.EXPIRED)
    found = (_place(item, keyframes) for item in objects if item.status not in gone)
    return KnownPlaces(tuple(place for place in found if place is not None), boxes)


def in_camera(position: PointEstimate, keyframe: Keyframe) -> Array:
    """A position in the map as the optical frame has it, shape (3,)."""
    camera = keyframe.map_from_camera
    point_m: Array = np.subtract(position.point_m, camera.position_m) @ camera_axes(camera)
    return point_m


def _place(descriptor: ObjectDescriptor, keyframes: Mapping[int, Keyframe]) -> KnownPlace | None:
    """None where no camera saw it there."""
    position = descriptor.position
    if position is None:
        return None
    seen: list[tuple[Keyframe, Array]] = []
    for view in descriptor.views[-MAX_SIGHTINGS:]:
        keyframe = keyframes.get(view.keyframe_id)
        if keyframe is None or view.keyframe_id < descriptor.placed_since:
            continue
        outline_m = _outline_m(view.box, position, keyframe)
        if outline_m is not None:
            seen.append((keyframe, outline_m))
    if not seen:
        return None
    return KnownPlace(
        object_id=descriptor.object_id,
        position=position,
        keyframe_ids=tuple(keyframe.keyframe_id for keyframe, _ in seen),
        cameras_map_m=np.array([keyframe.map_from_camera.position_m for keyframe, _ in seen]),
        outlines_m=np.array([outline_m for _, outline_m in seen]),
    )


def _outline_m(box: Box, position: PointEstimate, keyframe: Keyframe) -> Array | None:
    """As in KnownPlace; None where the camera cannot tell."""
    lens, point_m = keyframe.intrinsics, in_camera(position, keyframe)
    if lens is None or point_m[2] <= 0.0:
        return None
    u_px, v_px = lens.project(point_m[None])[0]
    edges_px = np.array([box.x0_px, box.y0_px, box.x1_px, box.y1_px])
    focal_px = np.array([lens.fx_px, lens.fy_px, lens.fx_px, lens.fy_px])
    outline_m: Array = (edges_px - np.array([u_px, v_px, u_px, v_px])) * point_m[2] / focal_px
    return outline_m
