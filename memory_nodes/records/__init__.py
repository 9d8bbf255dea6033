"""The vocabulary: what one stage hands to the next.

Stamps are int nanoseconds of the robot's clock, and 0 is a valid time. Poses and points are in
the map frame named by the keyframe. Boxes are pixels of the stored image.
"""

from memory_nodes.records.answers import (
    Answer,
    Counts,
    ItemKind,
    RetrievedKeyframe,
)
from memory_nodes.records.objects import (
    AttributeValue,
    Change,
    ChangeKind,
    ChunkGraph,
    ObjectDescriptor,
    ObjectHistory,
    ObjectPlace,
    ObjectState,
    ObjectStatus,
    Relation,
)
from memory_nodes.records.past import (
    Entity,
    EntitySighting,
    Episode,
    EpisodeOrigin,
    EpisodeStatus,
    Gist,
    HistoryNode,
    HistoryUnit,
    Observation,
    Tier,
)
from memory_nodes.records.views import (
    CUT_OFF,
    MAX_STALE_M,
    ArrivalLook,
    Box,
    Chunk,
    ClearLook,
    DepthGrid,
    Keyframe,
    ObjectView,
)

NS_PER_S = 1_000_000_000

__all__ = [
    "CUT_OFF",
    "MAX_STALE_M",
    "NS_PER_S",
    "Answer",
    "ArrivalLook",
    "AttributeValue",
    "Box",
    "Change",
    "ChangeKind",
    "Chunk",
    "ChunkGraph",
    "ClearLook",
    "Counts",
    "DepthGrid",
    "Entity",
    "EntitySighting",
    "Episode",
    "EpisodeOrigin",
    "EpisodeStatus",
    "Gist",
    "HistoryNode",
    "HistoryUnit",
    "ItemKind",
    "Keyframe",
    "ObjectDescriptor",
    "ObjectHistory",
    "ObjectPlace",
    "ObjectState",
    "ObjectStatus",
    "ObjectView",
    "Observation",
    "Relation",
    "RetrievedKeyframe",
    "Tier",
]
