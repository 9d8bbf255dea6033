"""A robot's days in the house: a round through all rooms each day, in chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from memory_nodes.geometry import Pose
from memory_nodes.records import Chunk, Keyframe
from memory_test_support.house.camera import Sight, visible
from memory_test_support.house.changes import Standing, days_of
from memory_test_support.house.detector import DetectedChunk, detect, down
from memory_test_support.house.options import HouseOptions
from memory_test_support.house.plan import House, Thing, Waypoint
from memory_test_support.model_server.chance import draw
from memory_test_support.records import keyframe

DAY_S = 86_400.0
KEYFRAME_PERIOD_S = 2.0
MAX_DETOUR_M = 0.15
MAX_TURN_RAD = 0.05
"""How far the robot is from a waypoint, and from its heading, on any day."""


@dataclass(frozen=True)
class HouseDay:
    """One day: the truth, and what the detector made of it."""

    standing: Standing
    chunks: tuple[DetectedChunk, ...]
    views_of_gaps: dict[str, int]
    """For each thing that was removed: in how many keyframes it would show, were it still there."""

    @property
    def is_down(self) -> bool:
        """Whether the detector found nothing all day."""
        return all(chunk.graph.problems for chunk in self.chunks)


def patrol(house: House, options: HouseOptions) -> Iterator[HouseDay]:
    """The days in order; keyframes and chunks are numbered from 1 through all of them."""
    next_keyframe, next_chunk = 1, 1
    for standing in days_of(house, options):
        keyframes = [
            _keyframe(waypoint, next_keyframe + index, index, standing.day, options)
            for index, waypoint in enumerate(house.waypoints)
        ]
        in_room = list(zip(keyframes, (waypoint.room for waypoint in house.waypoints), strict=True))
        chunks: list[DetectedChunk] = []
        for members in _batches(in_room, options.chunk_size):
            chunk = Chunk(next_chunk + len(chunks), tuple(taken for taken, _ in members))
            chunks.append(_look(chunk, members, standing, options))
        yield HouseDay(standing, tuple(chunks), _views_of_gaps(in_room, standing))
        next_keyframe += len(keyframes)
        next_chunk += len(chunks)


def _keyframe(
    waypoint: Waypoint, keyframe_id: int, index: int, day: int, options: HouseOptions
) -> Keyframe:
    x_m, y_m, yaw = (
        2.0 * draw(options.seed, keyframe_id, "path", axis) - 1.0 for axis in ("x", "y", "yaw")
    )
    detour = Pose.planar(x_m * MAX_DETOUR_M, y_m * MAX_DETOUR_M, yaw * MAX_TURN_RAD)
    stamp_s = (day - 1) * DAY_S + index * KEYFRAME_PERIOD_S
    made = keyframe(keyframe_id, stamp_s=stamp_s, base=waypoint.base @ detour)
    return replace(made, session_id=f"day_{day}")


def _look(
    chunk: Chunk,
    members: Sequence[tuple[Keyframe, str]],
    standing: Standing,
    options: HouseOptions,
) -> DetectedChunk:
    if standing.day == options.down_day:
        return down(chunk)
    sights = {
        taken.keyframe_id: visible(_of_room(standing.things, room), taken)
        for taken, room in members
    }
    return detect(chunk, sights, options)


def _views_of_gaps(in_room: Sequence[tuple[Keyframe, str]], standing: Standing) -> dict[str, int]:
    counts = {}
    for gone in standing.removed:
        things = (*standing.things, gone)
        counts[gone.thing_id] = sum(
            _shows(gone, visible(_of_room(things, room), taken))
            for taken, room in in_room
            if room == gone.room
        )
    return counts


def _shows(thing: Thing, sights: Sequence[Sight]) -> bool:
    return any(sight.thing is thing for sight in sights)


def _of_room(things: Sequence[Thing], room: str) -> list[Thing]:
    return [thing for thing in things if thing.room == room]


def _batches(
    members: Sequence[tuple[Keyframe, str]], size: int
) -> Iterator[list[tuple[Keyframe, str]]]:
    rest = iter(members)
    while batch := list(islice(rest, size)):
        yield batch
