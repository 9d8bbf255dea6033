"""An image message, and all that belongs to its stamp: poses, calibration, depth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from memory_nodes.errors import TransformNotYet
from memory_nodes.geometry import Intrinsics, Pose
from memory_nodes.perception.messages import depth_of, image_of, intrinsics_of, stamp_of
from memory_nodes.perception.posed_image import PosedImage
from memory_nodes.records import NS_PER_S

Lookup: TypeAlias = Callable[[str, str, int], Pose]
"""``target_from_source`` of two frames at a stamp, or TransformError."""

MAX_DEPTHS = 100


@dataclass(frozen=True)
class PosedMessage:
    """An image message with all that belongs to its stamp."""

    message: Any
    stamp_ns: int
    map_from_base: Pose
    map_from_camera: Pose
    intrinsics: Intrinsics | None
    depth: Any | None
    is_localized: bool

    def decoded(self, map_frame: str) -> PosedImage:
        """Raises ImageError."""
        image, encoded = image_of(self.message)
        return PosedImage(
            stamp_ns=self.stamp_ns,
            image=image,
            encoded=encoded,
            map_frame=map_frame,
            map_from_base=self.map_from_base,
            map_from_camera=self.map_from_camera,
            intrinsics=self.intrinsics,
            depth_m=None if self.depth is None else depth_of(self.depth),
            is_localized=self.is_localized,
        )


class Gatherer:
    """Keeps what was heard last, and finds what belongs to an image."""

    def __init__(
        self,
        lookup: Lookup,
        map_frame: str,
        base_frame: str,
        *,
        use_depth: bool,
        depth_slop_s: float,
        is_localized: bool = True,
    ) -> None:
        self._lookup = lookup
        self._map_frame, self._base_frame = map_frame, base_frame
        self._use_depth, self._depth_slop_s = use_depth, depth_slop_s
        self._intrinsics: Intrinsics | None = None
        self._depths: dict[int, Any] = {}
        self.is_localized = is_localized
        """Whether the robot knows where it is right now."""

    def take_camera_info(self, message: Any) -> None:
        self._intrinsics = intrinsics_of(message)

    def take_depth(self, message: Any) -> None:
        self._depths[stamp_of(message)] = message
        while len(self._depths) > MAX_DEPTHS:
            del self._depths[next(iter(self._depths))]

    def clear(self) -> None:
        """Time has jumped back: the depth images are of another time."""
        self._depths.clear()

    def gather(self, message: Any, is_last_call: bool) -> PosedMessage:
        """All that belongs to an image; depth and calibration are done without at the last call.

        Raises TransformError.
        """
        stamp_ns, camera_frame = stamp_of(message), message.header.frame_id.lstrip("/")
        map_from_base = self._lookup(self._map_frame, self._base_frame, stamp_ns)
        map_from_camera = self._lookup(self._map_frame, camera_frame, stamp_ns)
        depth = self._depth_at(stamp_ns, is_last_call)
        has_depth = depth is not None or not self._use_depth
        if not (has_depth and self._intrinsics is not None) and not is_last_call:
            raise TransformNotYet("its camera_info or depth has not come yet")
        return PosedMessage(
            message=message,
            stamp_ns=stamp_ns,
            map_from_base=map_from_base,
            map_from_camera=map_from_camera,
            intrinsics=self._intrinsics,
            depth=depth,
            is_localized=self.is_localized,
        )

    def _depth_at(self, stamp_ns: int, is_last_call: bool) -> Any | None:
        """The depth of the same stamp; the nearest one as soon as that will not come any more."""
        if stamp_ns in self._depths:
            return self._depths[stamp_ns]
        may_come = max(self._depths, default=stamp_ns) <= stamp_ns
        if may_come and not is_last_call:
            return None
        nearest = min(self._depths, key=lambda other: abs(other - stamp_ns), default=None)
        if nearest is None or abs(nearest - stamp_ns) > self._depth_slop_s * NS_PER_S:
            return None
        return self._depths[nearest]
