"""The vocabulary: what one stage hands to the next.

Stamps are int nanoseconds of the robot's clock, and 0 is a valid time. Poses and points are in
the map frame named by the keyframe. Boxes are pixels of the stored image.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum

import numpy as np

from memory_nodes.geometry import Array, Intrinsics, PointEstimate, Pose, Vector3

NS_PER_S = 1_000_000_000


@dataclass(frozen=True)
class Box:
    """The visible part of an object in an image: [x0, x1) by [y0, y1), pixels."""

    x0_px: float
    y0_px: float
    x1_px: float
    y1_px: float

    @property
    def width_px(self) -> float:
        return self.x1_px - self.x0_px

    @property
    def height_px(self) -> float:
        return self.y1_px - self.y0_px

    @property
    def area_px2(self) -> float:
        return self.width_px * self.height_px

    @property
    def centre_px(self) -> tuple[float, float]:
        return (self.x0_px + self.x1_px) / 2.0, (self.y0_px + self.y1_px) / 2.0

    def overlaps(self, other: Box) -> bool:
        """Whether they have more than an edge in common."""
        return (
            self.x0_px < other.x1_px
            and other.x0_px < self.x1_px
            and self.y0_px < other.y1_px
            and other.y0_px < self.y1_px
        )

    def touches_border(self, width_px: int, height_px: int, margin_px: float = 2.0) -> bool:
        """Whether the object may go on outside the picture: its box centre then misleads."""
        return (
            self.x0_px <= margin_px
            or self.y0_px <= margin_px
            or self.x1_px >= width_px - margin_px
            or self.y1_px >= height_px - margin_px
        )


@dataclass(frozen=True)
class DepthGrid:
    """A depth image made coarse: enough to tell what stood in the way."""

    columns: int
    rows: int
    depths_mm: tuple[int, ...]
    """Row by row from the top left: the median of what was measured in the cell, along the optical
    axis; 0 = nothing was."""


@dataclass(frozen=True)
class Keyframe:
    """One remembered image with the poses AT its stamp."""

    keyframe_id: int
    stamp_ns: int
    map_id: str
    session_id: str
    map_frame: str
    map_from_base: Pose
    map_from_camera: Pose
    """Of the optical frame."""
    width_px: int
    height_px: int
    intrinsics: Intrinsics | None
    image_path: str
    """Relative to the memory directory; empty once the image is kept no longer."""
    is_localized: bool = True
    """False: the robot was not sure where it was; never to be driven to."""
    depth_grid: DepthGrid | None = None
    """Travels with the chunk and is not kept in the memory."""

    def holds(self, point_map_m: Array) -> bool:
        """Whether a point, shape (3,), is within the picture, in front of it or behind a wall."""
        point_camera_m = self.map_from_camera.inverse().apply(point_map_m[np.newaxis])
        if self.intrinsics is None or point_camera_m[0, 2] <= 0.0:
            return False
        u_px, v_px = self.intrinsics.project(point_camera_m)[0]
        return bool(0.0 <= u_px < self.width_px and 0.0 <= v_px < self.height_px)


@dataclass(frozen=True)
class ObjectView:
    """One sighting: where an object shows in one keyframe."""

    keyframe_id: int
    box: Box
    confidence: float = 1.0
    point_map_m: Vector3 | None = None
    """Middle of the visible surface, where depth was measured."""
    embedding: bytes = b""
    """Vector of the picture in the box, as vectors.packed writes it; empty where none was asked
    for, and in what is read back from the memory. ChunkGraph.embedding_model made it."""


class ObjectStatus(IntEnum):
    """As in ObjectDescriptor.msg."""

    PRESENT = 0
    MOVED = 1
    MISSING = 2
    PROVISIONAL = 3
    EXPIRED = 4


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


@dataclass(frozen=True)
class Relation:
    """subject - predicate - object, and the keyframes that show it."""

    subject_id: str
    predicate: str
    object_id: str
    keyframe_ids: tuple[int, ...] = ()


@dataclass(frozen=True)
class Chunk:
    """Consecutive keyframes that one model call looks at together."""

    chunk_id: int
    keyframes: tuple[Keyframe, ...]


@dataclass(frozen=True)
class ClearLook:
    """A known object's place, in clear view in a keyframe that does not show it."""

    object_id: str
    keyframe_id: int


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


class ItemKind(IntEnum):
    """What a search finds, and whose vectors and words they are. Source: eMEM, node types."""

    OBSERVATION = 0
    OBJECT = 1
    GIST = 2
    TEXT = 3
    """Never found itself: the text that one or more of the others share."""
    ENTITY = 4


class Tier(IntEnum):
    """How far an observation has come. Source: eMEM, tiers."""

    WORKING = 0
    """Not yet on disk."""
    SHORT_TERM = 1
    LONG_TERM = 2
    ARCHIVED = 3
    """Its text is dropped; the gist that covers it stays."""


@dataclass(frozen=True)
class Observation:
    """One thing perceived at one place and time, on one layer. Source: eMEM, layers."""

    stamp_ns: int
    map_id: str
    map_frame: str
    layer: str
    text: str
    map_from_base: Pose
    confidence: float = 1.0
    source: str = ""
    observation_id: str = ""
    """Given by who observed, to send one observation twice without doubling it; empty: the
    memory gives one."""


class EpisodeStatus(IntEnum):
    """As in Episode.msg."""

    ACTIVE = 0
    COMPLETED = 1
    INTERRUPTED = 2


class EpisodeOrigin(str, Enum):
    """Who began an episode."""

    REQUEST = "request"
    SESSION = "session"
    """The robot: it was switched on, or moved again after a long rest."""
    GOAL = "goal"
    """A navigation goal."""


@dataclass(frozen=True)
class Episode:
    """A named stretch of the robot's life. Source: eMEM, episodes."""

    episode_id: str
    parent_id: str
    name: str
    status: EpisodeStatus
    start_ns: int
    end_ns: int | None
    origin: EpisodeOrigin = EpisodeOrigin.REQUEST


@dataclass(frozen=True)
class Gist:
    """A summary of observations of one place and time. Source: eMEM, consolidation."""

    text: str
    map_id: str
    map_frame: str
    center_map_m: Vector3
    radius_m: float
    start_ns: int
    end_ns: int
    observation_ids: tuple[str, ...] = ()
    """What it summarises."""
    episode_id: str = ""
    source: str = ""
    """The model that wrote it, or how it was made without one."""


@dataclass(frozen=True)
class Entity:
    """A thing that observations speak of, at one place over time. Source: eMEM, entities.

    An object is known by its views, an entity by words: it may be of things that no picture shows.
    """

    name: str
    map_id: str
    map_frame: str
    position_map_m: Vector3
    """Mean of where the robot was when it observed it, by weight."""
    weight: float
    """Sum of the weights of its observations."""
    first_seen_ns: int
    last_seen_ns: int
    observation_count: int = 1
    entity_id: str = ""
    object_id: str = ""
    """The object that it is; empty where none is known."""


@dataclass(frozen=True)
class EntitySighting:
    """Observations of one view that speak of an entity."""

    name: str
    position_map_m: Vector3
    weight: float
    stamp_ns: int
    observation_ids: tuple[str, ...]
    entity_id: str = ""
    """The known entity that it is; empty for a new one, or ``new_<number>`` where several views of
    one piece show it."""
    object_id: str = ""


class HistoryUnit(str, Enum):
    """What a node of the history tree stands for. Source: H-EMV, section III-A.

    L0, keyframes and observations, and L1, the scene graphs of chunks, are not written down
    again: an event names them.
    """

    EVENT = "event"
    """L2."""
    GOAL = "goal"
    """L3, of one episode or of a stretch outside of any; may be within another one."""
    GROUP = "group"
    """L4 and above: consecutive nodes that belong together."""
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"
    ROOT = "root"


@dataclass(frozen=True)
class HistoryNode:
    """What happened in a stretch of time. Source: H-EMV, section III-A."""

    unit: HistoryUnit
    level: int
    """2 for an event, 3 for a goal (4 for one around it), then one more than the highest child."""
    start_ns: int
    end_ns: int
    text: str
    evidence: tuple[str, ...] = ()
    """Ids of chunks (``chunk_3``), observations, keyframes, episodes that it tells of."""
    source: str = ""
    """The model that wrote the text, or ``template``."""
    is_open: bool = False
    """More may come into it."""
    node_id: str = ""
    parent_id: str = ""
    child_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class RetrievedKeyframe:
    """A keyframe that supports an answer; ``views[i]`` is the box of ``object_ids[i]``."""

    keyframe: Keyframe
    score: float
    object_ids: tuple[str, ...] = ()
    views: tuple[ObjectView, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class Answer:
    """The answer to one question with its evidence."""

    question: str
    text: str
    found: bool
    stamp_ns: int
    confidence: float = 0.0
    degraded: bool = False
    problems: tuple[str, ...] = ()
    keyframes: tuple[RetrievedKeyframe, ...] = ()
    objects: tuple[ObjectDescriptor, ...] = ()
    evidence: tuple[str, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    latency_ns: int = 0


@dataclass(frozen=True)
class Counts:
    """Rows in the memory, and how far it has come."""

    sequence: int = 0
    last_chunk_id: int = 0
    keyframes: int = 0
    objects: int = 0
    views: int = 0
    relations: int = 0
    observations: int = 0
    episodes: int = 0
    gists: int = 0
    entities: int = 0
    history_nodes: int = 0
