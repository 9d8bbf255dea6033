"""The relations of a reply, between objects that it lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from memory_nodes.models.json_values import JsonList, JsonObject, Value
from memory_nodes.perception.frame_numbers import Frames, frame_values
from memory_nodes.perception.predicates import predicate_of
from memory_nodes.perception.reply_objects import id_of, text_of
from memory_nodes.perception.reply_records import Record
from memory_nodes.records import Relation

_SUBJECT = ("subject", "source", "from", "subject_id")
_PREDICATE = ("predicate", "relation", "relationship", "type", "label")
_OBJECT = ("object", "target", "to", "object_id")
_FRAMES = ("frames", "frame", "frame_ids", "frame_indices", "images")


@dataclass(frozen=True)
class Ends:
    """What the ids at the ends of a relation may be."""

    listed: Collection[str]
    dropped: Collection[str]
    ambiguous: Collection[str]


@dataclass
class RelationsRead:
    kept: list[Relation] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    dropped: int = 0


def frames_named(value: Value) -> list[Value]:
    """The frame numbers of a relation, as written."""
    return frame_values(_parts(value)[3])


def read_relations(values: Iterable[Value], ends: Ends, frames: Frames) -> RelationsRead:
    """One bad relation goes; what was dropped with its object needs no word of its own."""
    read = RelationsRead()
    for value in values:
        subject, predicate, target, written = _parts(value)
        subject_id, target_id = id_of(subject), id_of(target)
        words = predicate_of(text_of(predicate))
        both = {subject_id, target_id}
        if not words or len(both) == 1:
            problem = "relation_says_nothing"
        elif both & {*ends.ambiguous, *ends.dropped}:
            problem = ""
        elif not both <= set(ends.listed):
            problem = "relation_unlisted_id"
        else:
            shown = [(item, frames.at(item)) for item in frame_values(written)]
            ids = sorted({keyframe.keyframe_id for _, keyframe in shown if keyframe is not None})
            if len(ids) > 0:
                relation = Relation(subject_id, words, target_id, tuple(ids))
                if relation not in read.kept:
                    read.kept.append(relation)
            if any(keyframe is None for _, keyframe in shown):
                read.problems.append(f"unknown_frame: {subject_id} {words} {target_id}")
            if ids:
                continue
            problem = "" if shown else "relation_without_frame"
        read.dropped += 1
        if problem:
            read.problems.append(f"{problem}: {subject_id} {words} {target_id}")
    return read


def _parts(value: Value) -> tuple[Value, Value, Value, Value]:
    """Subject, predicate, object and frames of a record or of a row in this order."""
    if isinstance(value, JsonObject):
        record = Record(value.pairs)
        keys = (_SUBJECT, _PREDICATE, _OBJECT, _FRAMES)
        subject, predicate, target, frames = (record.value(*names) for names in keys)
        return subject, predicate, target, frames
    row = [*(value.items if isinstance(value, JsonList) else []), None, None, None, None]
    return row[0], row[1], row[2], row[3]
