"""Reads the model's reply to the detection prompt: everything is checked, nothing is trusted."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from memory_nodes.errors import ReplyError
from memory_nodes.models.ports import Reply
from memory_nodes.models.reply_json import parse_json
from memory_nodes.perception.boxes import to_pixels
from memory_nodes.records import Chunk, ObjectDescriptor, ObjectView, Relation

PREDICATES = (
    *("on", "under", "inside", "next to", "left of", "right of", "in front of", "behind"),
    *("above", "below", "attached to", "near"),
)
_SYNONYMS = {
    "in": "inside",
    "within": "inside",
    "on top of": "on",
    "beneath": "under",
    "underneath": "under",
    "over": "above",
    "beside": "next to",
    "adjacent to": "next to",
    "to the left of": "left of",
    "to the right of": "right of",
    "close to": "near",
    "mounted on": "attached to",
    "hanging on": "attached to",
}
ATTRIBUTES = ("color", "material", "size", "state")
MAX_TEXT_CHARS = 500
MAX_NUMBER_CHARS = 20
MAX_OBJECTS = 200


@dataclass
class Detections:
    """What could be read of one reply."""

    objects: list[ObjectDescriptor] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """What was dropped, one line each."""


def read_detections(reply: Reply, chunk: Chunk, bbox_format: str) -> Detections:
    """The objects and relations of a reply, boxes in pixels of the stored images.

    One bad object, view or relation goes, with a line in `problems`; the others stay.

    Raises ReplyError when the reply is cut off or holds no list of objects.
    """
    if not reply.is_complete:
        raise ReplyError("the reply was cut off: raise max_tokens or send fewer images a chunk")
    value = parse_json(reply.text)
    listed = value.get("objects") if isinstance(value, dict) else value
    if not isinstance(listed, list):
        raise ReplyError("the reply holds no list of objects")
    found = Detections()
    for record in listed[:MAX_OBJECTS]:
        _read_object(record, chunk, bbox_format, found)
    if len(listed) > MAX_OBJECTS:
        found.problems.append(f"{len(listed)} objects in one reply: only {MAX_OBJECTS} are kept")
    relations = value.get("relations") if isinstance(value, dict) else []
    for record in relations if isinstance(relations, list) else []:
        _read_relation(record, chunk, found)
    return found


def _read_object(record: Any, chunk: Chunk, bbox_format: str, found: Detections) -> None:
    kind = _text(record, "type") or _text(record, "label")
    if not kind:
        found.problems.append("an object without a type was dropped")
        return
    views = _read_views(record, chunk, bbox_format, found)
    if not views:
        found.problems.append(f"{kind}: dropped, no usable view")
        return
    object_id = re.sub(r"\s+", "_", _text(record, "id") or kind)
    if any(known.object_id == object_id for known in found.objects):
        object_id = _fresh_id(object_id, found)
        found.problems.append(f"{kind}: an id was given twice, renamed to {object_id}")
    details = record.get("attributes")
    details = details if isinstance(details, dict) else {}
    affordances = details.get("affordances", record.get("affordances"))
    found.objects.append(
        ObjectDescriptor(
            object_id=object_id,
            type=kind,
            description=_text(record, "description"),
            attributes={name: text for name in ATTRIBUTES if (text := _text(details, name))},
            affordances=tuple(
                item.strip()[:MAX_TEXT_CHARS]
                for item in (affordances if isinstance(affordances, list) else [])
                if isinstance(item, str) and item.strip()
            ),
            views=tuple(views),
            first_seen_ns=_stamp_of(views[0], chunk),
            last_seen_ns=_stamp_of(views[-1], chunk),
            view_count=len(views),
        )
    )


def _read_views(record: Any, chunk: Chunk, bbox_format: str, found: Detections) -> list[ObjectView]:
    """The usable views, one a keyframe, ascending."""
    listed = record.get("views")
    views: dict[int, ObjectView] = {}
    for view in listed if isinstance(listed, list) else []:
        frame = _frame_number(view.get("frame") if isinstance(view, dict) else None)
        if frame is None or not 0 <= frame < len(chunk.keyframes):
            found.problems.append(f"{_text(record, 'type')}: a view of an unknown frame")
            continue
        keyframe = chunk.keyframes[frame]
        numbers = view.get("bbox", view.get("bbox_2d"))
        box = to_pixels(numbers, bbox_format, keyframe.width_px, keyframe.height_px)
        if box is None:
            found.problems.append(f"{_text(record, 'type')}: an impossible box {numbers!r:.80}")
            continue
        views.setdefault(keyframe.keyframe_id, ObjectView(keyframe.keyframe_id, box))
    return [views[keyframe_id] for keyframe_id in sorted(views)]


def _read_relation(record: Any, chunk: Chunk, found: Detections) -> None:
    listed = {known.object_id for known in found.objects}
    subject, target = (re.sub(r"\s+", "_", _text(record, end)) for end in ("subject", "object"))
    predicate = _text(record, "predicate").lower()
    if subject not in listed or target not in listed or subject == target or not predicate:
        found.problems.append(f"a relation with an unlisted end was dropped: {subject} {target}")
        return
    frames = record.get("frames")
    numbers = map(_frame_number, frames if isinstance(frames, list) else [])
    shown = sorted(
        {
            chunk.keyframes[number].keyframe_id
            for number in numbers
            if number is not None and 0 <= number < len(chunk.keyframes)
        }
    )
    if not shown:
        found.problems.append(f"a relation without a known frame was dropped: {subject} {target}")
        return
    known = predicate if predicate in PREDICATES else _SYNONYMS.get(predicate, predicate)
    found.relations.append(Relation(subject, known, target, tuple(shown)))


def _text(record: Any, key: str) -> str:
    """A text of a record, trimmed and bounded; empty where there is none."""
    value = record.get(key) if isinstance(record, dict) else None
    return value.strip()[:MAX_TEXT_CHARS] if isinstance(value, str) else ""


def _frame_number(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value) if len(value) < MAX_NUMBER_CHARS else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _fresh_id(object_id: str, found: Detections) -> str:
    stem = re.sub(r"_\d+$", "", object_id)
    taken = {known.object_id for known in found.objects}
    number = 1
    while f"{stem}_{number}" in taken:
        number += 1
    return f"{stem}_{number}"


def _stamp_of(view: ObjectView, chunk: Chunk) -> int:
    return next(
        keyframe.stamp_ns
        for keyframe in chunk.keyframes
        if keyframe.keyframe_id == view.keyframe_id
    )
