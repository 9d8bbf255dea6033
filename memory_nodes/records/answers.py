"""What is found and what is told."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from memory_nodes.records.objects import ObjectDescriptor
from memory_nodes.records.views import Keyframe, ObjectView


class ItemKind(IntEnum):
    """What a search finds, and whose vectors and words they are. Source: eMEM, node types."""

    OBSERVATION = 0
    OBJECT = 1
    GIST = 2
    TEXT = 3
    """Never found itself: the text that one or more of the others share."""
    ENTITY = 4


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
