"""Small records for tests; what a test does not care about has a plain default."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memory_nodes.geometry import Intrinsics, PointEstimate, Pose, Vector3
from memory_nodes.records import (
    NS_PER_S,
    Box,
    Chunk,
    ChunkGraph,
    Gist,
    Keyframe,
    ObjectDescriptor,
    ObjectStatus,
    ObjectView,
    Observation,
    Relation,
)

BASE_FROM_CAMERA = Pose((0.0, 0.0, 1.0), (-0.5, 0.5, -0.5, 0.5))
"""One metre above the base, looking ahead: its z is the base's x, its x the base's -y."""
CAMERA = Intrinsics(500.0, 500.0, 320.0, 240.0)


def keyframe(
    keyframe_id: int,
    *,
    stamp_s: float | None = None,
    base: Pose | None = None,
    map_id: str = "map",
    intrinsics: Intrinsics | None = CAMERA,
    size_px: tuple[int, int] = (640, 480),
) -> Keyframe:
    """640 x 480 px, one second after the keyframe before it."""
    map_from_base = base if base is not None else Pose.planar(0.1 * keyframe_id, 0.0, 0.0)
    seconds = stamp_s if stamp_s is not None else float(keyframe_id)
    return Keyframe(
        keyframe_id=keyframe_id,
        stamp_ns=round(seconds * NS_PER_S),
        map_id=map_id,
        session_id="session_1",
        map_frame="map",
        map_from_base=map_from_base,
        map_from_camera=map_from_base @ BASE_FROM_CAMERA,
        width_px=size_px[0],
        height_px=size_px[1],
        intrinsics=intrinsics,
        image_path=f"images/{keyframe_id}.jpg",
    )


def box(x0_px: float = 200.0, y0_px: float = 150.0, side_px: float = 200.0) -> Box:
    """A square; by default large, and clear of the border."""
    return Box(x0_px, y0_px, x0_px + side_px, y0_px + side_px)


def view(
    keyframe_id: int, seen: Box | None = None, point_map_m: Vector3 | None = None
) -> ObjectView:
    """By default large and clear of the border, or around the pixel that shows the point."""
    if seen is None and point_map_m is not None:
        seen = _around(point_map_m, keyframe(keyframe_id))
    return ObjectView(keyframe_id, seen or box(), point_map_m=point_map_m)


def measured(shown_by: Keyframe, point_map_m: Vector3) -> ObjectView:
    """A view of a place, around the pixel that shows it, with its depth."""
    return ObjectView(shown_by.keyframe_id, _around(point_map_m, shown_by), point_map_m=point_map_m)


def _around(point_map_m: Vector3, shown_by: Keyframe, side_px: float = 50.0) -> Box:
    """A square whose middle is where the camera shows a point."""
    turn = shown_by.map_from_camera.rotation.as_matrix().T
    x, y, z = turn @ (np.array(point_map_m) - shown_by.map_from_camera.position_m)
    u_px, v_px = CAMERA.fx_px * x / z + CAMERA.cx_px, CAMERA.fy_px * y / z + CAMERA.cy_px
    return box(u_px - side_px / 2.0, v_px - side_px / 2.0, side_px)


def point(x_m: float, y_m: float, z_m: float = 0.5, sigma_m: float = 0.1) -> PointEstimate:
    variance = sigma_m**2
    return PointEstimate(
        (x_m, y_m, z_m), (variance, 0.0, 0.0, 0.0, variance, 0.0, 0.0, 0.0, variance)
    )


def descriptor(
    object_id: str,
    *views: ObjectView,
    description: str = "",
    color: str = "",
    position: PointEstimate | None = None,
    status: ObjectStatus = ObjectStatus.PRESENT,
    affordances: tuple[str, ...] = (),
) -> ObjectDescriptor:
    """Its type is its id without the number; its stamps are those of ``keyframe``."""
    seen = views or (view(1),)
    return ObjectDescriptor(
        object_id=object_id,
        type=object_id.rpartition("_")[0].replace("_", " "),
        description=description,
        attributes={"color": color} if color else {},
        affordances=affordances,
        views=seen,
        position=position,
        first_seen_ns=seen[0].keyframe_id * NS_PER_S,
        last_seen_ns=seen[-1].keyframe_id * NS_PER_S,
        view_count=len(seen),
        status=status,
    )


def graph(
    chunk_id: int,
    keyframes: Sequence[Keyframe],
    objects: Sequence[ObjectDescriptor] = (),
    relations: Sequence[Relation] = (),
    *,
    resolved: bool = True,
) -> ChunkGraph:
    return ChunkGraph(
        chunk=Chunk(chunk_id, tuple(keyframes)),
        objects=tuple(objects),
        relations=tuple(relations),
        resolved=resolved,
        prompt_version="detect_v1",
        model="recorded",
    )


def observation(
    text: str = "battery at 40 %",
    *,
    stamp_ns: int = 0,
    stamp_s: float | None = None,
    at_map_m: Vector3 = (0.0, 0.0, 0.0),
    map_id: str = "map",
    layer: str = "text",
    observation_id: str = "",
) -> Observation:
    return Observation(
        stamp_ns=stamp_ns if stamp_s is None else round(stamp_s * NS_PER_S),
        map_id=map_id,
        map_frame="map",
        layer=layer,
        text=text,
        map_from_base=Pose(at_map_m, (0.0, 0.0, 0.0, 1.0)),
        observation_id=observation_id,
    )


def gist(
    text: str = "a quiet morning",
    *,
    center_map_m: Vector3 = (0.0, 0.0, 0.0),
    radius_m: float = 0.0,
    start_ns: int = 0,
    end_ns: int = 0,
    map_id: str = "map",
    episode_id: str = "",
    observation_ids: tuple[str, ...] = (),
) -> Gist:
    return Gist(
        text=text,
        map_id=map_id,
        map_frame="map",
        center_map_m=center_map_m,
        radius_m=radius_m,
        start_ns=start_ns,
        end_ns=end_ns,
        observation_ids=observation_ids,
        episode_id=episode_id,
    )
