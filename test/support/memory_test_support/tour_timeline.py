"""When the player of the tour says what: stamps, and transforms between them. No ROS here."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass

from memory_test_support.poses import (
    LINK_FROM_OPTICAL,
    Pose,
    floor_projection,
    interpolate,
    planar_pose,
)
from memory_test_support.tour import TourFrame

LEAD_NS = 500_000_000  # stamped time before the first image, so that its transform is bracketed
TRANSFORM_STEP_NS = 100_000_000
# Not the identity, so that a node that leaves out a link of the chain is found out.
MAP_FROM_ODOM = planar_pose(0.35, -0.2, 0.12)


@dataclass(frozen=True)
class TransformSample:
    """The moving links of the chain at one stamp."""

    stamp_ns: int
    odom_from_base: Pose
    base_from_link: Pose


class Timeline:
    """The walk through the chosen frames; before and after it the camera stands still."""

    def __init__(self, frames: tuple[TourFrame, ...], stamp_offset_ns: int = 0) -> None:
        if not frames:
            raise ValueError("no frames chosen")
        self.frames = frames
        self.stamps_ns = [frame.stamp_ns + stamp_offset_ns for frame in frames]
        self.start_ns = self.stamps_ns[0] - LEAD_NS
        self._odom_from_map = MAP_FROM_ODOM.inverse()

    def camera_at(self, stamp_ns: int) -> Pose:
        """The optical frame in the map: as recorded at the stamps, interpolated between."""
        after = bisect.bisect_left(self.stamps_ns, stamp_ns)
        if after == len(self.stamps_ns):
            return self.frames[-1].world_from_optical
        if after == 0 or self.stamps_ns[after] == stamp_ns:
            return self.frames[after].world_from_optical
        begin_ns, end_ns = self.stamps_ns[after - 1 : after + 1]
        return interpolate(
            self.frames[after - 1].world_from_optical,
            self.frames[after].world_from_optical,
            (stamp_ns - begin_ns) / (end_ns - begin_ns),
        )

    def sample(self, stamp_ns: int) -> TransformSample:
        """The links at a stamp; the base is the floor projection of the camera."""
        map_from_optical = self.camera_at(stamp_ns)
        map_from_base = floor_projection(map_from_optical)
        return TransformSample(
            stamp_ns=stamp_ns,
            odom_from_base=self._odom_from_map @ map_from_base,
            base_from_link=(
                map_from_base.inverse() @ map_from_optical @ LINK_FROM_OPTICAL.inverse()
            ),
        )

    def samples(self, after_ns: int, until_ns: int) -> Iterator[TransformSample]:
        """Samples in (after, until]: on a steady grid and exactly at every image stamp."""
        first = after_ns // TRANSFORM_STEP_NS + 1
        grid = range(first * TRANSFORM_STEP_NS, until_ns + 1, TRANSFORM_STEP_NS)
        exact = [stamp for stamp in self.stamps_ns if after_ns < stamp <= until_ns]
        for stamp_ns in sorted({*grid, *exact}):
            yield self.sample(stamp_ns)
