"""What happened: observations, episodes, gists, entities and the history tree."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum

from memory_nodes.geometry import Pose, Vector3


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
