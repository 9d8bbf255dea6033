"""A chunk in words: what its place looks like, and what each keyframe shows.

They stand on the layers description, place and detections. Source: eMEM, layers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory_nodes.parameters import parameter
from memory_nodes.records import ChunkGraph, Keyframe, ObjectDescriptor, Observation

DESCRIPTION, PLACE, DETECTIONS = "description", "place", "detections"
_ID = re.compile(
    rf"chunk_\d{{1,18}}\.(?:{DESCRIPTION}|{PLACE}|{DETECTIONS}\.(?P<keyframe>\d{{1,18}}))"
)
MAX_PHRASE_CHARS = 60
MAX_TEXT_CHARS = 2000


@dataclass(frozen=True)
class ChunkObservationsConfig:
    """What is written of a chunk besides its objects."""

    write_detections: bool = parameter(
        True, "a keyframe that shows other objects than the one before becomes an observation"
    )


def keyframe_of(observation_id: str) -> int | None:
    """The keyframe that an observation of detections is of; None for any other observation."""
    found = _ID.fullmatch(observation_id)
    return int(found["keyframe"]) if found is not None and found["keyframe"] else None


def is_of_chunk(observation_id: str) -> bool:
    """Whether an observation was made of a chunk, whose objects the graph has too."""
    return _ID.fullmatch(observation_id) is not None


def chunk_observations(graph: ChunkGraph, config: ChunkObservationsConfig) -> list[Observation]:
    """The observations of a resolved chunk; the same ids and texts each time.

    Only of keyframes whose place is sure: an observation cannot say that its own is not.
    """
    keyframes = [
        item for item in graph.chunk.keyframes if item.is_localized and item.map_from_base.is_valid
    ]
    if not keyframes:
        return []
    middle, name = keyframes[len(keyframes) // 2], f"chunk_{graph.chunk.chunk_id}"
    found = [
        _observation(middle, layer, text[:MAX_TEXT_CHARS], f"{name}.{layer}", graph.model)
        for layer, text in ((DESCRIPTION, graph.scene), (PLACE, graph.place))
        if text.strip()
    ]
    if config.write_detections:
        found += _detections(graph, keyframes, name)
    return found


def _detections(
    graph: ChunkGraph, keyframes: Iterable[Keyframe], name: str
) -> Iterator[Observation]:
    before: set[str] = set()
    for keyframe in keyframes:
        shown = {
            item.object_id: (item, view.confidence)
            for item in graph.objects
            for view in item.views
            if view.keyframe_id == keyframe.keyframe_id
        }
        if shown and shown.keys() != before:
            text = _listed([item for item, _ in shown.values()])
            confidence = sum(confidence for _, confidence in shown.values()) / len(shown)
            given_id = f"{name}.{DETECTIONS}.{keyframe.keyframe_id}"
            yield _observation(keyframe, DETECTIONS, text, given_id, graph.model, confidence)
        before = set(shown)


def _observation(
    keyframe: Keyframe,
    layer: str,
    text: str,
    observation_id: str,
    source: str,
    confidence: float = 1.0,
) -> Observation:
    return Observation(
        stamp_ns=keyframe.stamp_ns,
        map_id=keyframe.map_id,
        map_frame=keyframe.map_frame,
        layer=layer,
        text=text,
        map_from_base=keyframe.map_from_base,
        confidence=confidence,
        source=source,
        observation_id=observation_id,
    )


def _listed(objects: Iterable[ObjectDescriptor]) -> str:
    """'red mug, chair (2)': as many as a text may hold."""
    text = ""
    for phrase, count in Counter(map(phrase_of, objects)).items():
        item = f"{phrase} ({count})" if count > 1 else phrase
        longer = f"{text}, {item}" if text else item
        if len(longer) > MAX_TEXT_CHARS:
            break
        text = longer
    return text


def phrase_of(descriptor: ObjectDescriptor) -> str:
    """What people would ask for: 'red mug', 'mug' where the colour is not known."""
    kind, color = descriptor.type, descriptor.attributes.get("color", "")
    says_color = color.casefold() in kind.casefold()
    phrase = kind if says_color or "," in color else f"{color} {kind}"
    return " ".join(phrase.replace(",", " ").split())[:MAX_PHRASE_CHARS]
