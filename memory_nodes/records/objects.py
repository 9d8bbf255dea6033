"""Objects and relations, of a chunk or of the whole memory, and what becomes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import NamedTuple

from memory_nodes.geometry import PointEstimate
from memory_nodes.records.views import Chunk, ClearLook, ObjectView


class ObjectStatus(IntEnum):
    """As in ObjectDescriptor.msg."""

    PRESENT = 0
    MOVED = 1
    MISSING = 2
    PROVISIONAL = 3
    """Neither the language model nor a person has ever confirmed its identity."""
    EXPIRED = 4


class AttributeValue(NamedTuple):
    """What an attribute was said to be from a stamp on, until the next value."""

    value: str
    since_ns: int | None
    """None where no view is left that tells when."""


@dataclass(frozen=True)
class ObjectDescriptor:
    """One object: of a chunk while its graph is unresolved, of the whole memory afterwards.

    Source: VL-KnG, section 5 (object descriptors).
    """

    object_id: str
    type: str
    description: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    """color, material, size, state."""
    affordances: tuple[str, ...] = ()
    views: tuple[ObjectView, ...] = ()
    position: PointEstimate | None = None
    first_seen_ns: int = 0
    last_seen_ns: int = 0
    view_count: int = 0
    status: ObjectStatus = ObjectStatus.PRESENT
    wordings: tuple[str, ...] = ()
    """Every name, type name, description and attribute it was ever given, for matching words."""
    placed_since: int = 0
    """The first keyframe whose views count for the position: it has moved before that."""
    name: str = ""
    """Given by a person; empty where nobody has."""
    is_pinned: bool = False
    """Description, type and place stay as they are, by the word of a person."""
    aliases: tuple[str, ...] = ()
    """Ids of objects that were merged into it: they still mean it."""
    attribute_history: Mapping[str, tuple[AttributeValue, ...]] = field(default_factory=dict)
    """Of the attributes whose value has changed, oldest first; the last is the newest that was
    said."""


@dataclass(frozen=True)
class ObjectState:
    """What was said of an object from a stamp on, until the next one."""

    since_ns: int | None
    """None where no view is left that tells when."""
    type: str
    description: str
    attributes: Mapping[str, str]
    affordances: tuple[str, ...]


@dataclass(frozen=True)
class ObjectPlace:
    """Where an object was seen from one stamp to another."""

    map_id: str
    map_frame: str
    position: PointEstimate
    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class ObjectHistory:
    """What became of an object's words and places, oldest first; the last place is the present."""

    states: tuple[ObjectState, ...] = ()
    places: tuple[ObjectPlace, ...] = ()


@dataclass(frozen=True)
class Relation:
    """subject - predicate - object, and the keyframes that show it."""

    subject_id: str
    predicate: str
    object_id: str
    keyframe_ids: tuple[int, ...] = ()


@dataclass(frozen=True)
class ChunkGraph:
    """The scene graph of one chunk. Source: VL-KnG, section 6.1."""

    chunk: Chunk
    objects: tuple[ObjectDescriptor, ...]
    relations: tuple[Relation, ...]
    resolved: bool = False
    prompt_version: str = ""
    model: str = ""
    problems: tuple[str, ...] = ()
    embedding_model: str = ""
    """Id of the model that made the vectors of the views; empty where there are none."""
    clear_looks: tuple[ClearLook, ...] = ()
    """Of objects that the chunk does not show; known once it is resolved."""
    new_ids: tuple[str, ...] | None = None
    """Of the objects that the memory did not know when the graph was resolved: free then, perhaps
    not any more. None: nobody says, and each id means the object that has it, or a new one."""
    joins: tuple[tuple[str, str], ...] = ()
    """Objects known as PROVISIONAL that turned out to be known ones that the chunk shows: the id of
    each, and that of what it is."""
    scene: str = ""
    """One sentence on what the place looks like; empty where the model does not say."""
    place: str = ""
    """What kind of room or place it is, in a few words; empty where the model does not say."""


class ChangeKind(str, Enum):
    """What may become of an object."""

    NEW = "new"
    """It is where the robot had looked before, and had not seen it."""
    MOVED = "moved"
    MISSING = "missing"
    FOUND = "found"
    """Where it was, after it had been missing."""
    EXPIRED = "expired"
    """It was seen once, without confidence, and is not there: it may never have been."""


@dataclass(frozen=True)
class Change:
    """What became of an object, and when the robot noticed."""

    kind: ChangeKind
    descriptor: ObjectDescriptor
    """As it is known now."""
    stamp_ns: int
    """Of the keyframe that showed it."""
    old_position: PointEstimate | None = None
    """Of what was moved, or is missing."""
    new_position: PointEstimate | None = None
