"""A robot at work in a synthetic house: quarters of an hour, each with a round, a task and rest.

What is assumed: a round through all rooms in each quarter, a keyframe every two seconds, and a task
of the household meanwhile; then the robot stands, and takes a keyframe a minute. Each chunk
comes with one sentence on the scene, and one relation for each pair of neighbours. Somebody comes
or goes in each quarter. The battery falls by ten percent an hour; four motors warm up on the round.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import SimpleNamespace

from memory_nodes.episodic.layers.config import READY
from memory_nodes.episodic.layers.layer import Layer
from memory_nodes.geometry import Pose
from memory_nodes.perception.recorder import RecorderConfig
from memory_nodes.records import (
    NS_PER_S,
    ChunkGraph,
    Keyframe,
    ObjectDescriptor,
    ObjectView,
    Observation,
    Relation,
)
from memory_test_support.house import House, HouseOptions, patrol
from memory_test_support.house.days import DAY_S
from memory_test_support.household.histories import DATES, FIRST_DAY, PastEpisode, episode_of
from memory_test_support.household.tasks import random_task

QUARTER_S = 900
QUARTERS_PER_HOUR = 4
FIRST_HOUR = 9
MAP_ID = "map"
_SENSED_EVERY_S = 5
_MOTORS = ("hip_left", "hip_right", "wheel_left", "wheel_right")
_FROM_TOPICS = ("goal", "speech", "action")
"""What a task tells the memory by topics; what it shows, chunks tell."""


@dataclass(frozen=True)
class Quarter:
    """What is to be stored of one quarter of an hour; stamps ascend in each of the parts."""

    graphs: tuple[ChunkGraph, ...]
    """Resolved, numbered through all quarters."""
    task: PastEpisode
    sensed: tuple[Observation, ...]
    """On the layers human_presence, battery and diagnostics: what these layers let through."""


def working_day(house: House, quarters: int, seed: int = 7) -> Iterator[Quarter]:
    """So many quarters from nine in the morning on; in each but the first one thing has
    moved, where there is a free slot.
    """
    rng = random.Random(seed)
    body = _Body()
    options = HouseOptions(seed=seed, days=quarters, moved_per_day=1, removed_per_day=0)
    rooms = {thing.thing_id: thing.room for thing in house.things}
    day_start_ns = DATES.start_ns(FIRST_DAY.date()) + FIRST_HOUR * 3600 * NS_PER_S
    next_chunk = next_keyframe = 1
    for number, round_ in enumerate(patrol(house, options)):
        start_ns = day_start_ns + number * QUARTER_S * NS_PER_S
        shift_ns = start_ns - round(number * DAY_S * NS_PER_S)
        seen = [_shifted(chunk.resolved, shift_ns) for chunk in round_.chunks]
        seen += _resting(seen[-1], start_ns + QUARTER_S * NS_PER_S)
        rooms.update((thing.thing_id, thing.room) for thing in round_.standing.things)
        graphs = []
        for graph in seen:
            graphs.append(_told(_numbered(graph, next_chunk, next_keyframe), rooms))
            next_chunk += 1
            next_keyframe += len(graph.chunk.keyframes)
        pose = graphs[-1].chunk.keyframes[-1].map_from_base
        task = episode_of(random_task(rng), start_ns + 10 * NS_PER_S, rng)
        yield Quarter(tuple(graphs), _by_topics(task), tuple(body.quarter(start_ns, number, pose)))


def _shifted(graph: ChunkGraph, shift_ns: int) -> ChunkGraph:
    keyframes = [
        replace(item, stamp_ns=item.stamp_ns + shift_ns, session_id="session_1")
        for item in graph.chunk.keyframes
    ]
    objects = [
        replace(
            item,
            first_seen_ns=item.first_seen_ns + shift_ns,
            last_seen_ns=item.last_seen_ns + shift_ns,
        )
        for item in graph.objects
    ]
    chunk = replace(graph.chunk, keyframes=tuple(keyframes))
    return replace(graph, chunk=chunk, objects=tuple(objects))


def _resting(last: ChunkGraph, until_ns: int) -> Iterator[ChunkGraph]:
    """What the last keyframe shows again and again; each keyframe is a chunk of its own."""
    pause_ns = round(RecorderConfig().max_still_s * NS_PER_S)
    seen = last.chunk.keyframes[-1]
    for stamp_ns in range(seen.stamp_ns + pause_ns, until_ns, pause_ns):
        keyframe = replace(seen, stamp_ns=stamp_ns)
        objects = [
            replace(item, views=views, view_count=1, first_seen_ns=stamp_ns, last_seen_ns=stamp_ns)
            for item in last.objects
            if (views := _views_in(item, seen.keyframe_id))
        ]
        chunk = replace(last.chunk, keyframes=(keyframe,))
        yield replace(last, chunk=chunk, objects=tuple(objects))


def _views_in(item: ObjectDescriptor, keyframe_id: int) -> tuple[ObjectView, ...]:
    return tuple(view for view in item.views if view.keyframe_id == keyframe_id)


def _numbered(graph: ChunkGraph, chunk_id: int, first_id: int) -> ChunkGraph:
    numbers = {
        item.keyframe_id: first_id + index for index, item in enumerate(graph.chunk.keyframes)
    }
    keyframes = tuple(_renamed(item, numbers[item.keyframe_id]) for item in graph.chunk.keyframes)
    objects = tuple(
        replace(
            item,
            views=tuple(
                replace(view, keyframe_id=numbers[view.keyframe_id]) for view in item.views
            ),
        )
        for item in graph.objects
    )
    return replace(
        graph, chunk=replace(graph.chunk, chunk_id=chunk_id, keyframes=keyframes), objects=objects
    )


def _renamed(keyframe: Keyframe, keyframe_id: int) -> Keyframe:
    day = DATES.date_of(keyframe.stamp_ns).isoformat()
    path = f"images/{day}/{keyframe_id:09d}.jpg"
    return replace(keyframe, keyframe_id=keyframe_id, image_path=path)


def _told(graph: ChunkGraph, rooms: dict[str, str]) -> ChunkGraph:
    """With what a model says besides objects: the scene, the place, and what is near what."""
    if not graph.objects:
        return replace(graph, scene="An empty corridor with plain walls.", place="corridor")
    room = Counter(rooms[item.object_id] for item in graph.objects).most_common(1)[0][0]
    place = room.replace("_", " ")
    chance = random.Random(graph.chunk.chunk_id)
    named = [item.description for item in chance.sample(graph.objects, min(4, len(graph.objects)))]
    return replace(
        graph,
        relations=tuple(_near(graph.objects)),
        scene=f"A {place} with {', '.join(named)}; the floor between them is free.",
        place=place,
    )


def _near(objects: Sequence[ObjectDescriptor]) -> Iterator[Relation]:
    for one, other in pairwise(objects):
        shown = {view.keyframe_id for view in one.views}
        together = sorted(shown & {view.keyframe_id for view in other.views})
        if together:
            yield Relation(one.object_id, "near", other.object_id, tuple(together))


def _by_topics(task: PastEpisode) -> PastEpisode:
    told = tuple(
        replace(item, map_id=MAP_ID) for item in task.observations if item.layer in _FROM_TOPICS
    )
    return replace(task, observations=told)


class _Body:
    """What the robot senses besides pictures, through the layers as they are by default."""

    def __init__(self) -> None:
        counters: Counter[str] = Counter()
        self._layers = {
            name: Layer(name, READY[name], counters)
            for name in ("human_presence", "battery", "diagnostics")
        }

    def quarter(self, start_ns: int, number: int, pose: Pose) -> Iterator[Observation]:
        """In the order of stamps."""
        for second in range(0, QUARTER_S, _SENSED_EVERY_S):
            stamp_ns = start_ns + second * NS_PER_S
            hours = number / QUARTERS_PER_HOUR + second / 3600
            for name, message in (
                ("human_presence", _people(number)),
                ("battery", _battery(hours)),
                ("diagnostics", _diagnostics(second)),
            ):
                layer = self._layers[name]
                for said in layer.news(message, stamp_ns):
                    layer.note(said, stamp_ns)
                    yield Observation(stamp_ns, MAP_ID, "map", name, said.text, pose)


def _people(quarter: int) -> SimpleNamespace:
    return SimpleNamespace(data=("nobody", "one person, sitting", "two people")[quarter % 3])


def _battery(hours: float) -> SimpleNamespace:
    """As sensor_msgs/BatteryState: discharging."""
    charge = max(0.05, 1.0 - 0.1 * hours)
    return SimpleNamespace(power_supply_status=2, percentage=charge, voltage=24.0)


def _diagnostics(second: int) -> SimpleNamespace:
    """As diagnostic_msgs/DiagnosticArray: motors between 35 and 55 degrees."""
    degrees = 45.0 + 10.0 * math.sin(2.0 * math.pi * second / QUARTER_S)
    status = [
        SimpleNamespace(
            level=b"\0",
            name=f"motor {name}",
            message="ok",
            hardware_id="base",
            values=[SimpleNamespace(key="temperature", value=f"{degrees:.1f}")],
        )
        for name in _MOTORS
    ]
    return SimpleNamespace(status=status)
