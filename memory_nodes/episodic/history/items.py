"""What the history is told from: chunks and observations, in the order of their stamps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from memory_nodes.episodic.history.config import BATCH_SIZE
from memory_nodes.records import NS_PER_S
from memory_nodes.store.history_nodes import ToldUpTo
from memory_nodes.store.observations import is_interoceptive
from memory_nodes.store.past import ObservationInEpisode, Past, Scene

MAX_OBJECTS = 50
MAX_OBJECT_CHARS = 40
_COUNT = re.compile(r"^(?:\d+\s*x?|an?|the|some)\s+", re.IGNORECASE)


class Kind(Enum):
    """What an item may change."""

    SCENE = auto()
    GOAL = auto()
    ACTION = auto()
    SPEECH = auto()
    PLACE = auto()
    NOTE = auto()


_KINDS = {
    "goal": Kind.GOAL,
    "action": Kind.ACTION,
    "speech": Kind.SPEECH,
    "place": Kind.PLACE,
    "detections": Kind.SCENE,
}


@dataclass(frozen=True)
class Item:
    """A chunk or an observation."""

    item_id: str
    key: int
    """Ascending in the order of arrival, among chunks or among observations."""
    kind: Kind
    start_ns: int
    end_ns: int
    text: str = ""
    objects: tuple[str, ...] = ()
    """Names of what a scene shows."""
    session_id: str = ""
    """Of a chunk."""
    episode_id: str = ""
    """Of an observation; where a chunk belongs its stamp tells."""

    @property
    def is_chunk(self) -> bool:
        return self.item_id.startswith("chunk_")

    @property
    def is_silent(self) -> bool:
        """It tells nothing, or not any more."""
        return not self.is_chunk and not self.text


@dataclass(frozen=True)
class Batch:
    """Items by stamp, and how far the history is told with them."""

    items: tuple[Item, ...]
    told: ToldUpTo
    until_ns: int
    """All that arrived in order is told up to here."""
    is_last: bool
    """No more is there that is old enough."""


def read_batch(
    past: Past, told: ToldUpTo, horizon_ns: int, now_ns: int, size: int = BATCH_SIZE
) -> Batch:
    """What is to be told next: what has arrived, up to the first that is younger than the horizon.

    What is of a wrong clock's future is passed over: nothing may wait for that.
    """
    seen = past.observations_after(told.observation_key, size)
    scenes = past.scenes_after(told.chunk_id, size)
    streams = [
        [observed_item(each) for each in seen],
        [scene_item(scene) for scene in scenes if scene.keyframes],
    ]
    future_ns = 2 * now_ns - horizon_ns
    last_ns = [max(i.start_ns for i in stream) for stream in streams if len(stream) == size]
    until_ns = min([horizon_ns, *last_ns])
    chosen = [_up_to(stream, until_ns, future_ns) for stream in streams]
    keys = [
        stream[count - 1].key if count else None
        for stream, count in zip(streams, chosen, strict=True)
    ]
    items = [
        item
        for stream, count in zip(streams, chosen, strict=True)
        for item in stream[:count]
        if item.start_ns <= now_ns
    ]
    return Batch(
        tuple(sorted(items, key=lambda item: (item.start_ns, item.is_chunk, item.key))),
        ToldUpTo(
            chunk_id=told.chunk_id if keys[1] is None else keys[1],
            observation_key=told.observation_key if keys[0] is None else keys[0],
        ),
        until_ns=until_ns,
        is_last=all(
            stream[count].start_ns > horizon_ns if count < len(stream) else count < size
            for stream, count in zip(streams, chosen, strict=True)
        ),
    )


def observed_item(seen: ObservationInEpisode) -> Item:
    said = seen.observation
    kind = _KINDS.get(said.layer, Kind.NOTE)
    names = object_names(said.text) if said.layer == "detections" else ()
    return Item(
        item_id=said.observation_id,
        key=seen.key,
        kind=kind if names or kind is not Kind.SCENE else Kind.NOTE,
        start_ns=said.stamp_ns,
        end_ns=said.stamp_ns,
        # how the robot feels is no part of what happened
        text="" if is_interoceptive(said.layer) else said.text,
        objects=names,
        episode_id=seen.episode_id,
    )


def scene_item(scene: Scene) -> Item:
    stamps_ns = [keyframe.stamp_ns for keyframe in scene.keyframes]
    return Item(
        item_id=f"chunk_{scene.chunk_id}",
        key=scene.chunk_id,
        kind=Kind.SCENE,
        start_ns=min(stamps_ns),
        end_ns=max(stamps_ns),
        objects=tuple(dict.fromkeys(map(type_of, scene.object_ids))),
        session_id=scene.keyframes[0].session_id,
    )


def type_of(object_id: str) -> str:
    """'coffee machine' of coffee_machine_2."""
    return object_id.rpartition("_")[0].replace("_", " ") or object_id


def object_names(text: str) -> tuple[str, ...]:
    """The names in a list of detections; none where it is a sentence."""
    parts = [_COUNT.sub("", part.strip(" .")) for part in re.split(r"[,;\n]| and ", text)]
    names = tuple(dict.fromkeys(part for part in parts if part))[:MAX_OBJECTS]
    return names if all(len(name) <= MAX_OBJECT_CHARS for name in names) else ()


def seconds(duration_s: float) -> int:
    """In nanoseconds."""
    return round(duration_s * NS_PER_S)


def _up_to(stream: Sequence[Item], until_ns: int, future_ns: int) -> int:
    """How many there are in the order of arrival up to the first that must wait."""
    waiting = (n for n, item in enumerate(stream) if until_ns < item.start_ns <= future_ns)
    return next(waiting, len(stream))
