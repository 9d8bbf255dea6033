"""What a picture shows: keyframes, boxes, sightings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memory_nodes.geometry import Array, Intrinsics, Pose, Vector3

CUT_OFF = 0.25
"""The middle of a thing may lie so far beside a picture that shows a part of it, as a share."""
MAX_STALE_M = 1.0
"""A pose that may be off by more is as one of a robot that did not know where it was."""


@dataclass(frozen=True)
class Box:
    """The visible part of an object in an image: [x0, x1) by [y0, y1), pixels."""

    x0_px: float
    y0_px: float
    x1_px: float
    y1_px: float

    @property
    def width_px(self) -> float:
        return self.x1_px - self.x0_px

    @property
    def height_px(self) -> float:
        return self.y1_px - self.y0_px

    @property
    def area_px2(self) -> float:
        return self.width_px * self.height_px

    @property
    def centre_px(self) -> tuple[float, float]:
        return (self.x0_px + self.x1_px) / 2.0, (self.y0_px + self.y1_px) / 2.0

    def overlaps(self, other: Box) -> bool:
        """Whether they have more than an edge in common."""
        return (
            self.x0_px < other.x1_px
            and other.x0_px < self.x1_px
            and self.y0_px < other.y1_px
            and other.y0_px < self.y1_px
        )

    def touches_border(self, width_px: int, height_px: int, margin_px: float = 2.0) -> bool:
        """Whether the object may go on outside the picture: its box centre then misleads."""
        return (
            self.x0_px <= margin_px
            or self.y0_px <= margin_px
            or self.x1_px >= width_px - margin_px
            or self.y1_px >= height_px - margin_px
        )


@dataclass(frozen=True)
class DepthGrid:
    """A depth image made coarse: enough to tell what stood in the way."""

    columns: int
    rows: int
    depths_mm: tuple[int, ...]
    """Row by row from the top left: the median of what was measured in the cell, along the optical
    axis; 0 = nothing was."""


@dataclass(frozen=True)
class Keyframe:
    """One remembered image with the poses AT its stamp."""

    keyframe_id: int
    stamp_ns: int
    map_id: str
    session_id: str
    map_frame: str
    map_from_base: Pose
    map_from_camera: Pose
    """Of the optical frame."""
    width_px: int
    height_px: int
    intrinsics: Intrinsics | None
    image_path: str
    """Relative to the memory directory; empty once the image is kept no longer."""
    is_localized: bool = True
    """False: the robot was not sure where it was; never to be driven to."""
    stale_m: float = 0.0
    """How far the map has moved since, nobody knows where to; 0 where the pose is level with it."""
    depth_grid: DepthGrid | None = None
    """Travels with the chunk and is not kept in the memory."""

    def holds(self, point_map_m: Array, margin: float = 0.0) -> bool:
        """Whether a point, shape (3,), is within the picture, in front of it or behind a wall.

        Args:
            margin: share of the picture's size by which it may lie beside it.
        """
        point_camera_m = self.map_from_camera.inverse().apply(point_map_m[np.newaxis])
        if self.intrinsics is None or point_camera_m[0, 2] <= 0.0:
            return False
        u_px, v_px = self.intrinsics.project(point_camera_m)[0]
        shares = (u_px / self.width_px, v_px / self.height_px)
        return all(-margin <= share < 1.0 + margin for share in shares)


@dataclass(frozen=True)
class ObjectView:
    """One sighting: where an object shows in one keyframe."""

    keyframe_id: int
    box: Box
    confidence: float = 1.0
    point_map_m: Vector3 | None = None
    """Middle of the visible surface, where depth was measured."""
    embedding: bytes = b""
    """Vector of the picture in the box, as vectors.packed writes it; empty where none was asked
    for, and in what is read back from the memory. ChunkGraph.embedding_model made it."""


@dataclass(frozen=True)
class ClearLook:
    """A known object's place, in clear view in a keyframe that does not show it."""

    object_id: str
    keyframe_id: int


@dataclass(frozen=True)
class ArrivalLook:
    """A look for an object after a drive to where a keyframe had shown it from."""

    object_id: str
    keyframe_id: int
    stamp_ns: int
    map_id: str
    is_there: bool


@dataclass(frozen=True)
class Chunk:
    """Consecutive keyframes that one model call looks at together."""

    chunk_id: int
    keyframes: tuple[Keyframe, ...]
