"""Decides which images become keyframes, and writes them down."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from memory_nodes.geometry import Intrinsics, Pose
from memory_nodes.parameters import parameter
from memory_nodes.perception.images import Jpeg, depth_to_png, keep_jpeg, to_jpeg, write_durably
from memory_nodes.perception.posed_image import PosedImage, upright
from memory_nodes.perception.spool import Spool
from memory_nodes.records import NS_PER_S, Keyframe

IMAGES_DIR = "images"
LATE_S = 1.0
"""Images may overtake each other by less; more is time that has jumped back."""


@dataclass(frozen=True)
class RecorderConfig:
    """Which images are remembered, and how they are kept."""

    min_interval_s: float = parameter(
        0.5, "least time between keyframes", unit="s", low=0.0, high=3600.0, is_dynamic=True
    )
    min_translation_m: float = parameter(
        0.25,
        "way since the last keyframe that asks for another",
        unit="m",
        low=0.0,
        is_dynamic=True,
    )
    min_rotation_rad: float = parameter(
        0.26,
        "turn since the last keyframe that asks for another",
        unit="rad",
        low=0.0,
        is_dynamic=True,
    )
    max_still_s: float = parameter(
        60.0,
        "a robot that stands still adds a keyframe this often",
        unit="s",
        low=0.0,
        is_dynamic=True,
    )
    session_gap_s: float = parameter(
        300.0, "after a longer silence a new session begins", unit="s", low=0.0
    )
    sharpness_window_s: float = parameter(
        0.2,
        "the sharpest frame of this time becomes the keyframe; 0 takes the first",
        unit="s",
        low=0.0,
        high=10.0,
    )
    max_side_px: int = parameter(
        1280, "larger images are shrunk to this longest side", unit="px", low=64, high=8192
    )
    jpeg_quality: int = parameter(
        90, "of images that are encoded here", low=30, high=100, is_dynamic=True
    )
    min_free_mb: int = parameter(
        500, "recording stops when less of the disk is free", unit="MB", low=0, is_dynamic=True
    )
    max_spool_mb: int = parameter(
        2000,
        "keyframes that wait for a model are thinned beyond this",
        unit="MB",
        low=1,
        is_dynamic=True,
    )


class Recorder:
    """Turns posed images into keyframes: on disk first, then in the spool."""

    def __init__(self, memory_dir: Path, map_id: str, spool: Spool, config: RecorderConfig) -> None:
        self._memory_dir = memory_dir
        self._map_id = map_id
        self._spool = spool
        self.config = config
        """May be replaced; the next image is judged by it."""
        # A restarted node goes on where it was: same session, same open chunk.
        self._last = spool.last_keyframe()
        self._has_jumped = False

    def wants(self, stamp_ns: int, map_from_base: Pose) -> bool:
        """Whether an image from this time and place would become a keyframe."""
        last, config = self._last, self.config
        if last is None or self._starts_session(stamp_ns):
            return True
        waited_s = (stamp_ns - last.stamp_ns) / NS_PER_S
        if waited_s <= 0.0 or waited_s < config.min_interval_s:
            return False
        return (
            map_from_base.distance_m(last.map_from_base) >= config.min_translation_m
            or map_from_base.angle_rad(last.map_from_base) >= config.min_rotation_rad
            or waited_s >= config.max_still_s
        )

    def change_map(self, map_id: str) -> None:
        """Poses belong to this map from now on; the next keyframe starts a session."""
        self._map_id = map_id

    def end_session(self) -> None:
        """The next keyframe starts a session, whatever its stamp: time has jumped back."""
        self._has_jumped = self._last is not None

    def starts_session(self, stamp_ns: int) -> bool:
        """Whether a keyframe at this time would leave the last one's session behind."""
        return self._last is not None and self._starts_session(stamp_ns)

    def record(self, posed: PosedImage) -> Keyframe:
        """Writes the image, then announces it to the spool; durable on return."""
        config = self.config
        posed = upright(posed)
        jpeg = posed.encoded and keep_jpeg(posed.encoded, posed.image, config.max_side_px)
        if not jpeg:
            jpeg = to_jpeg(posed.image, config.max_side_px, config.jpeg_quality)
        keyframe_id = self._spool.next_keyframe_id()
        keyframe = Keyframe(
            keyframe_id=keyframe_id,
            stamp_ns=posed.stamp_ns,
            map_id=self._map_id,
            session_id=self._session_at(posed.stamp_ns),
            map_frame=posed.map_frame,
            map_from_base=posed.map_from_base,
            map_from_camera=posed.map_from_camera,
            width_px=jpeg.width_px,
            height_px=jpeg.height_px,
            intrinsics=_scaled(posed, jpeg),
            image_path=_image_path(keyframe_id, posed.stamp_ns),
            is_localized=posed.is_localized,
        )
        write_durably(self._memory_dir / keyframe.image_path, jpeg.data)
        depth = None if posed.depth_m is None else depth_to_png(posed.depth_m)
        self._spool.add(keyframe, depth, len(jpeg.data))
        self._last = keyframe
        self._has_jumped = False
        return keyframe

    def forget(self, keyframe: Keyframe) -> None:
        """Deletes the image of a keyframe that the spool has dropped."""
        (self._memory_dir / keyframe.image_path).unlink(missing_ok=True)

    def _starts_session(self, stamp_ns: int) -> bool:
        assert self._last is not None
        if self._has_jumped:
            return True
        gap_s = (stamp_ns - self._last.stamp_ns) / NS_PER_S
        same_map = self._last.map_id == self._map_id
        return gap_s < -LATE_S or gap_s > self.config.session_gap_s or not same_map

    def _session_at(self, stamp_ns: int) -> str:
        if self._last is None or self._starts_session(stamp_ns):
            return f"session_{self._spool.next_keyframe_id()}"
        return self._last.session_id


def _scaled(posed: PosedImage, jpeg: Jpeg) -> Intrinsics | None:
    if posed.intrinsics is None:
        return None
    return posed.intrinsics.scaled(jpeg.width_px / posed.image.width)


def _image_path(keyframe_id: int, stamp_ns: int) -> str:
    day = datetime.fromtimestamp(stamp_ns / NS_PER_S, timezone.utc).date()
    return f"{IMAGES_DIR}/{day.isoformat()}/{keyframe_id:09d}.jpg"
