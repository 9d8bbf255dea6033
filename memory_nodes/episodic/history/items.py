"""What the history is told from: chunks and observations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from memory_nodes.records import NS_PER_S
from memory_nodes.store.observations import is_interoceptive
from memory_nodes.store.past import ObservationInEpisode, Scene

MAX_OBJECTS = 50
MAX_OBJECT_CHARS = 40
_CHUNK = re.compile(r"chunk_(\d{1,18})")
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
        return chunk_id_of(self.item_id) is not None

    @property
    def is_from_chunk(self) -> bool:
        """It is a chunk, or what one was put into: it comes when the model has seen it."""
        return self.item_id.startswith("chunk_")

    @property
    def is_silent(self) -> bool:
        """It tells nothing, or not any more."""
        return not self.is_chunk and not self.text


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


def chunk_id_of(item_id: str) -> int | None:
    """The number of a chunk; None for what is observed, also where a chunk said it."""
    matched = _CHUNK.fullmatch(item_id)
    return None if matched is None else int(matched[1])


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
