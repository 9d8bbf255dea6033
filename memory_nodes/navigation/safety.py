"""Where the robot may be sent, and on what memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory_nodes.errors import ConfigurationError
from memory_nodes.geometry import Pose
from memory_nodes.navigation.outcomes import Cause
from memory_nodes.parameters import parameter
from memory_nodes.records import MAX_STALE_M, NS_PER_S, Keyframe


@dataclass(frozen=True)
class SafetyConfig:
    """Where the robot is never sent, whatever it remembers."""

    keep_out: tuple[str, ...] = parameter(
        ("",),
        "polygons in the map frame that no goal may lie in, each as 'x y, x y, x y', metres; [''] "
        "for none. A way through one is refused where the planner can be asked",
        is_dynamic=True,
    )
    allowed_maps: tuple[str, ...] = parameter(
        ("",), "maps on which the robot may be sent anywhere; [''] for all", is_dynamic=True
    )
    max_memory_age_s: float = parameter(
        0.0,
        "older keyframes are never driven to; 0: of any age",
        unit="s",
        low=0.0,
        is_dynamic=True,
    )
    max_stale_m: float = parameter(
        0.5,
        "keyframes that may be off by more, since the map has moved nobody knows how, are never "
        "driven to",
        unit="m",
        low=0.0,
        high=MAX_STALE_M,
        is_dynamic=True,
    )
    dry_run: bool = parameter(False, "only publish the goal, never drive to it", is_dynamic=True)

    def __post_init__(self) -> None:
        """Raises ConfigurationError for a polygon that is none."""
        self.areas()

    def areas(self) -> tuple[KeepOut, ...]:
        """Where no goal may lie."""
        return tuple(KeepOut.parsed(text) for text in self.keep_out if text.strip())


@dataclass(frozen=True)
class KeepOut:
    """A polygon on the floor, with its border; its corners are in the map frame, metres."""

    corners_m: tuple[tuple[float, float], ...]

    @classmethod
    def parsed(cls, text: str) -> KeepOut:
        """From 'x y, x y, x y'. Raises ConfigurationError for what is no polygon."""
        try:
            corners = (map(float, corner.split()) for corner in text.split(","))
            corners_m = tuple((x_m, y_m) for x_m, y_m in corners)
        except ValueError:
            corners_m = ()
        if len(corners_m) < 3 or not all(math.isfinite(v) for xy in corners_m for v in xy):
            raise ConfigurationError(
                f"keep_out has {text!r}: give at least three corners as 'x y, x y, x y', metres"
            )
        return cls(corners_m)

    def holds(self, x_m: float, y_m: float) -> bool:
        """By the number of edges that a ray to the right crosses."""
        is_inside = False
        for (x0, y0), (x1, y1) in zip(self.corners_m, self._next_corners(), strict=True):
            if _is_on_edge(x_m, y_m, (x0, y0), (x1, y1)):
                return True
            if (y0 > y_m) != (y1 > y_m) and x_m < x0 + (y_m - y0) * (x1 - x0) / (y1 - y0):
                is_inside = not is_inside
        return is_inside

    def is_crossed(self, start_m: tuple[float, float], end_m: tuple[float, float]) -> bool:
        """Whether the straight way from one point outside to another leads through it."""
        return any(
            _is_left(start_m, end_m, one) != _is_left(start_m, end_m, other)
            and _is_left(one, other, start_m) != _is_left(one, other, end_m)
            for one, other in zip(self.corners_m, self._next_corners(), strict=True)
        )

    def _next_corners(self) -> Sequence[tuple[float, float]]:
        return (*self.corners_m[1:], self.corners_m[0])


@dataclass(frozen=True)
class Rules:
    """What may be driven to right now."""

    map_id: str
    """Of the map that the robot is on."""
    map_frame: str = ""
    """In which goals are sent; a pose in another one is of another map. Empty: nobody sends any."""
    allowed_maps: frozenset[str] = frozenset()
    """Empty: all."""
    keep_out: tuple[KeepOut, ...] = ()
    max_age_ns: int | None = None
    max_stale_m: float = MAX_STALE_M
    dry_run: bool = False
    """Nothing is driven to, goals are only published."""

    @classmethod
    def of(cls, config: SafetyConfig, map_id: str, map_frame: str = "") -> Rules:
        max_age_ns = round(config.max_memory_age_s * NS_PER_S)
        return cls(
            map_id,
            map_frame,
            frozenset(filter(None, config.allowed_maps)),
            config.areas(),
            max_age_ns if max_age_ns > 0 else None,
            config.max_stale_m,
            config.dry_run,
        )

    def refusal_of(self, keyframe: Keyframe, now_ns: int) -> Cause | None:
        """Why a keyframe is not driven to; None where it may be.

        A pose of another map means nothing in this one, and a pose that is not finite or whose
        quaternion is not of unit length came from a defect.
        """
        if keyframe.map_id != self.map_id or self.map_frame not in ("", keyframe.map_frame):
            return Cause.OTHER_MAP
        if self.allowed_maps and self.map_id not in self.allowed_maps:
            return Cause.MAP_FORBIDDEN
        if keyframe.stale_m > self.max_stale_m:
            return Cause.STALE
        if not (keyframe.is_localized and keyframe.map_from_base.is_valid):
            return Cause.UNSURE_PLACE
        # The age of what is ahead of now is not known: the clock has been set back.
        if self.max_age_ns is not None and abs(now_ns - keyframe.stamp_ns) > self.max_age_ns:
            return Cause.TOO_OLD
        return None

    def forbids(self, map_from_goal: Pose) -> bool:
        """Whether a pose is where the robot must not be."""
        x_m, y_m, _ = map_from_goal.position_m
        return any(area.holds(x_m, y_m) for area in self.keep_out)

    def forbids_way(self, path: Iterable[Pose]) -> bool:
        """Whether a path enters a place where the robot must not be; it may leave one."""
        before_m: tuple[float, float] | None = None
        """The pose before, if that one is outside."""
        for pose in path:
            x_m, y_m, _ = pose.position_m
            is_inside = self.forbids(pose)
            if before_m is not None and (is_inside or self._parts(before_m, (x_m, y_m))):
                return True
            before_m = None if is_inside else (x_m, y_m)
        return False

    def _parts(self, start_m: tuple[float, float], end_m: tuple[float, float]) -> bool:
        """Whether a narrow place where the robot must not be lies between two poses."""
        return any(area.is_crossed(start_m, end_m) for area in self.keep_out)


def _is_left(
    start_m: tuple[float, float], end_m: tuple[float, float], point_m: tuple[float, float]
) -> bool:
    """Whether a point lies to the left of a line."""
    (x0, y0), (x1, y1), (x, y) = start_m, end_m, point_m
    return (x1 - x0) * (y - y0) > (y1 - y0) * (x - x0)


def _is_on_edge(
    x_m: float, y_m: float, start_m: tuple[float, float], end_m: tuple[float, float]
) -> bool:
    here = (x_m, y_m)
    detour_m = math.dist(start_m, here) + math.dist(here, end_m) - math.dist(start_m, end_m)
    return detour_m < 1e-9
