"""When the transform from map to odometry jumps, the map has moved under the robot."""

from __future__ import annotations

from dataclasses import dataclass

from memory_nodes.geometry import Pose


@dataclass(frozen=True)
class Jump:
    """By how much, and when."""

    stamp_ns: int
    distance_m: float


class Jumps:
    """Compares each transform with the one before it."""

    def __init__(self) -> None:
        self._last: tuple[int, Pose] | None = None
        self.began_ns: int | None = None
        """The stamp of the first transform; None while there is none."""
        self.largest: Jump | None = None
        """Since ``forget``."""
        self.odom_from_base = Pose.identity()
        """Where the robot is, if that is known: a turn moves it, and not the odometry's origin."""

    def heard(self, stamp_ns: int, map_from_odom: Pose) -> Jump | None:
        """The step from the transform before; None for the first, or when time has jumped back."""
        last, self._last = self._last, (stamp_ns, map_from_odom)
        if last is None or stamp_ns < last[0]:
            self.began_ns, self.largest = stamp_ns, None
            return None
        before, base = last[1], self.odom_from_base
        distance_m = max(
            map_from_odom.distance_m(before), (map_from_odom @ base).distance_m(before @ base)
        )
        jump = Jump(stamp_ns, distance_m)
        if self.largest is None or jump.distance_m > self.largest.distance_m:
            self.largest = jump
        return jump

    def forget(self) -> None:
        """What came until now is explained."""
        self.largest = None
