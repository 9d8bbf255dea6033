"""The association prompt: what is known, what was seen, which is which."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memory_nodes.geometry import Vector3
from memory_nodes.models.ports import JsonSchema, Prompt
from memory_nodes.models.prompt_files import prompt_text
from memory_nodes.models.reply_schema import closed_object
from memory_nodes.records import NS_PER_S, ChunkGraph, Keyframe, ObjectDescriptor, Relation
from memory_nodes.words import age_text, shortened

PROMPT_VERSION = "associate_v5"
TASK = "association"
MAX_RELATIONS = 6
MAX_DISTANCES = 3
MAX_NAME_CHARS = 40
MAX_DESCRIPTION_CHARS = 200
MAX_ATTRIBUTES = 8


def association_prompt(
    graph: ChunkGraph,
    known: Sequence[ObjectDescriptor],
    relations: Iterable[Relation],
    keyframes: Mapping[int, Keyframe],
) -> Prompt:
    """Asks which objects of a chunk are known ones.

    Source: VL-KnG, section 6.2 (step 2, cross-chunk resolution): the model reasons over texts,
    relations and recency, not over pixels.

    Args:
        known: candidates, each with at least its newest view; without the positions that are of
            another map than the chunk's.
        relations: of the known objects; the first of each are told.
        keyframes: every keyframe that a newest view is in, by id.
    """
    now_ns = graph.chunk.keyframes[-1].stamp_ns
    places_m = _places_m(graph.objects)
    of_known, of_chunk = _phrases(relations), _phrases(graph.relations)
    body = {
        "task": TASK,
        "end_ns": now_ns,
        "frames": _ages_s((*known, *graph.objects), keyframes, now_ns),
        "known": [
            {
                **_entry(item, of_known),
                "last_seen": age_text(item.last_seen_ns, now_ns),
                **_unless_empty("distance_m", _distances_m(item, places_m)),
            }
            for item in known
        ],
        "chunk": [_entry(item, of_chunk) for item in graph.objects],
    }
    template = prompt_text(__package__, PROMPT_VERSION)
    return Prompt(
        task=TASK,
        system=template,
        # White space between values is a fifth of the tokens.
        text=json.dumps(body, ensure_ascii=False, separators=(",", ":")),
        reply_schema=_schema(graph.objects, known),
        temperature=0.1,
    )


def _phrases(relations: Iterable[Relation]) -> dict[str, list[str]]:
    """What relations say of their subjects."""
    phrases: dict[str, list[str]] = {}
    for relation in relations:
        phrase = f"{relation.predicate} {relation.object_id}"
        phrases.setdefault(relation.subject_id, []).append(phrase)
    return phrases


def _entry(descriptor: ObjectDescriptor, phrases: Mapping[str, list[str]]) -> dict[str, Any]:
    """Short, since there are some hundred of them: what is empty is left out."""
    box = descriptor.views[-1].box
    sides_px = (round(side) for side in (box.x0_px, box.y0_px, box.x1_px, box.y1_px))
    return {
        "id": descriptor.object_id,
        "type": shortened(descriptor.type, MAX_NAME_CHARS),
        "description": shortened(descriptor.description, MAX_DESCRIPTION_CHARS),
        **_unless_empty("attributes", _attributes(descriptor)),
        **_unless_empty("relations", phrases.get(descriptor.object_id, [])[:MAX_RELATIONS]),
        "frame": descriptor.views[-1].keyframe_id,
        "box_px": " ".join(map(str, sides_px)),
    }


def _attributes(descriptor: ObjectDescriptor) -> dict[str, str]:
    first = list(descriptor.attributes.items())[:MAX_ATTRIBUTES]
    return {
        shortened(name, MAX_NAME_CHARS): shortened(value, MAX_NAME_CHARS) for name, value in first
    }


def _unless_empty(name: str, value: Any) -> dict[str, Any]:
    return {name: value} if value else {}


def _ages_s(
    entries: Sequence[ObjectDescriptor], keyframes: Mapping[int, Keyframe], now_ns: int
) -> dict[str, float]:
    """Of the keyframes that newest views are in; numbers of nanoseconds would take more room."""
    shown = sorted({item.views[-1].keyframe_id for item in entries})
    return {str(key): round((now_ns - keyframes[key].stamp_ns) / NS_PER_S, 3) for key in shown}


def _places_m(local: Sequence[ObjectDescriptor]) -> dict[str, Vector3]:
    """A rough one is left out: it is near everything on its ray."""
    return {
        seen.object_id: seen.position.point_m
        for seen in local
        if seen.position is not None and not seen.position.is_rough
    }


def _distances_m(known: ObjectDescriptor, places_m: Mapping[str, Vector3]) -> dict[str, float]:
    """To the nearest places of the chunk, if its own is not rough."""
    if known.position is None or known.position.is_rough:
        return {}
    point_m = known.position.point_m
    distances_m = {name: math.dist(place_m, point_m) for name, place_m in places_m.items()}
    nearest = sorted(distances_m, key=distances_m.__getitem__)[:MAX_DISTANCES]
    return {name: round(distances_m[name], 1) for name in nearest}


def _schema(local: Sequence[ObjectDescriptor], known: Sequence[ObjectDescriptor]) -> JsonSchema:
    """One answer for each object of the chunk, which is a known id or null.

    A server that enforces it leaves no way to omit an object, to invent an id or to go on forever.
    """
    known_id = {"type": "string", "enum": [item.object_id for item in known]}
    answer = {"$ref": "#/$defs/answer"}
    mapping = closed_object(**{item.object_id: answer for item in local})
    return {
        **closed_object(mapping=mapping),
        "$defs": {"answer": {"anyOf": [known_id, {"type": "null"}]}},
    }
