"""Where a record says that its object shows: in which frame, in which box."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memory_nodes.models.json_values import JsonList, JsonObject, Value
from memory_nodes.perception.reply_fields import Pair, boxes_of, normal, numbers_of
from memory_nodes.perception.reply_records import VIEW_KEYS, Record

_FRAME_KEYS = ("frame", "frame_index", "frame_id", "frame_number", "frame_idx")
_VIEW_FRAME_KEYS = (*_FRAME_KEYS, "image", "image_index", "image_id", "img", "index", "idx", "id")


@dataclass(frozen=True)
class ViewText:
    """One sighting as written; a frame of None means that none was named."""

    frame: Value
    boxes: tuple[object, ...]


def views_of(record: Record, is_y_first: bool) -> list[ViewText] | None:
    """The sightings under a record's key for views; None where it has no such key."""
    if not any(normal(key) in VIEW_KEYS for key, _ in record.pairs):
        return None
    value = record.value(*VIEW_KEYS)
    return [_view(frame, item, is_y_first) for frame, item in _items(value)]


def view_in_record(record: Record, is_y_first: bool) -> tuple[ViewText, bool]:
    """What a record without views says of its place, and whether that is no box."""
    boxes = boxes_of(record.pairs, is_y_first)
    return ViewText(record.value(*_FRAME_KEYS), boxes.numbers), boxes.is_other_geometry


def _items(value: Value) -> Iterator[tuple[Value, Value]]:
    """(frame or None, sighting) of a list, of a mapping by frame, or of one sighting."""
    if isinstance(value, JsonList):
        yield from ((None, item) for item in value.items)
    elif isinstance(value, JsonObject) and _frame_of(value.pairs) is not None:
        yield None, value
    elif isinstance(value, JsonObject):
        yield from value.pairs


def _view(frame: Value, value: Value, is_y_first: bool) -> ViewText:
    if isinstance(value, JsonObject):
        named = frame if frame is not None else _frame_of(value.pairs)
        boxes = boxes_of(value.pairs, is_y_first).numbers
        return ViewText(named, boxes or tuple(numbers_of(value, is_y_first)))
    if frame is None and isinstance(value, JsonList) and len(value.items) == 2:
        frame, value = value.items
    return ViewText(frame, tuple(numbers_of(value, is_y_first)))


def _frame_of(pairs: list[Pair]) -> Value:
    found = (value for key, value in pairs if normal(key) in _VIEW_FRAME_KEYS)
    return next((value for value in found if value is not None), None)
