"""The association prompt: what is known, what was seen, which is which."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memory_nodes.models.ports import JsonSchema, Prompt
from memory_nodes.models.prompt_files import prompt_text
from memory_nodes.models.reply_schema import array_of, closed_object
from memory_nodes.records import ChunkGraph, Keyframe, ObjectDescriptor, Relation

PROMPT_VERSION = "associate_v1"
TASK = "association"


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
        known: candidates, each with at least its newest view.
        relations: of the known objects.
        keyframes: every keyframe that a newest view is in, by id.
    """
    body = {
        "task": TASK,
        "known": _entries(known, relations, keyframes),
        "chunk": _entries(graph.objects, graph.relations, keyframes),
    }
    template = prompt_text(__package__, PROMPT_VERSION)
    return Prompt(
        task=TASK,
        system=template,
        text=json.dumps(body, ensure_ascii=False),
        reply_schema=_schema(),
        temperature=0.1,
    )


def _entries(
    objects: Sequence[ObjectDescriptor],
    relations: Iterable[Relation],
    keyframes: Mapping[int, Keyframe],
) -> list[dict[str, Any]]:
    phrases: dict[str, list[str]] = {}
    for relation in relations:
        phrase = f"{relation.predicate} {relation.object_id}"
        phrases.setdefault(relation.subject_id, []).append(phrase)
    return [_entry(item, phrases.get(item.object_id, []), keyframes) for item in objects]


def _entry(
    descriptor: ObjectDescriptor, phrases: list[str], keyframes: Mapping[int, Keyframe]
) -> dict[str, Any]:
    newest = descriptor.views[-1]
    box = newest.box
    entry: dict[str, Any] = {
        "id": descriptor.object_id,
        "type": descriptor.type,
        "description": descriptor.description,
        "attributes": dict(descriptor.attributes),
        "relations": phrases[:8],
        "view": {
            "stamp_ns": keyframes[newest.keyframe_id].stamp_ns,
            "box_px": [round(side) for side in (box.x0_px, box.y0_px, box.x1_px, box.y1_px)],
        },
    }
    if descriptor.position is not None:
        entry["position_m"] = [round(value, 2) for value in descriptor.position.point_m]
    return entry


def _schema() -> JsonSchema:
    pair = closed_object(local_id={"type": "string"}, known_id={"type": ["string", "null"]})
    return closed_object(mapping=array_of(pair))
