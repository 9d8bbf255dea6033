"""The records of a reply: which of its JSON describes objects, and which their relations."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from memory_nodes.models.json_reader import read_values
from memory_nodes.models.json_values import JsonList, JsonObject, Value
from memory_nodes.models.ports import Reply
from memory_nodes.models.reply_json import find_json, is_tool_call
from memory_nodes.perception.grounding_tokens import read_grounding
from memory_nodes.perception.reply_fields import (
    Pair,
    box_role,
    boxes_of,
    is_label_key,
    is_number_list,
    label_of,
    normal,
)

MAX_RECORDS = 2000
"""More in one reply are a loop; those after them are not read, and the reply is not complete."""
VIEW_KEYS = ("views", "view", "sightings", "appearances", "observations")
RELATION_KEYS = ("relations", "relationships", "relation", "edges", "triples")
_DETAIL_KEYS = (*VIEW_KEYS, "attributes", "names", "name", "label", "affordances", "labels")
_CONTAINERS = frozenset(
    "objects object detections detection results result items item predictions annotations output "
    "answer data response boxes bboxes labels chunk scene image images instances entities list "
    "detected_objects found things content payload json frames frame".split()
)

SCENE_KEYS = ("scene", "place")
"""What a reply says of all its images together, beside the list of objects."""
_REMARKS = "id score confidence conf description attributes affordances color".split()


@dataclass(frozen=True)
class Record:
    """What a reply says of one object."""

    pairs: list[Pair]
    name: str = ""
    """The key under which it stood, where that is no word for a container."""
    is_ambiguous: bool = False
    """It names or places several things, and nothing says which belongs to which."""

    def value(self, *keys: str) -> Value:
        """The last value under one of these keys."""
        wanted = (item for key, item in reversed(self.pairs) if normal(key) in keys)
        return next((item for item in wanted if item is not None), None)


@dataclass
class Contents:
    """What a reply holds, in reading order."""

    text: str
    is_open: bool
    has_calls: bool = False
    is_bare: bool = False
    """The answer begins with its JSON."""
    records: list[Record] = field(default_factory=list)
    relations: list[Value] = field(default_factory=list)
    has_empty_list: bool = False
    has_scraps: bool = False
    """Boxes without names, or names alone."""
    scene: dict[str, Value] = field(default_factory=dict)
    """What stands under SCENE_KEYS."""


def read_contents(reply: Reply) -> Contents:
    """The records in a reply. The one that the end of the reply cut off is left out."""
    found = find_json(reply.text)
    grounded, is_open = read_grounding(found.text)
    is_open = is_open if grounded or is_open else found.is_open
    is_bare = found.text.lstrip("`json \n\t").startswith(("[", "{"))
    contents = Contents(found.text, is_open, found.has_calls, is_bare)
    for value in grounded or found.values:
        if not _is_unrelated(value):
            _note_scene(value, contents)
            _walk(value, "", contents)
    if len(contents.records) > MAX_RECORDS:
        del contents.records[MAX_RECORDS:]
        contents.is_open = True
    return contents


def _note_scene(value: Value, contents: Contents) -> None:
    """The last pair of an object that is not closed may be half of what was meant."""
    if isinstance(value, JsonObject):
        pairs = value.pairs if value.is_closed else value.pairs[:-1]
        contents.scene |= {normal(key): item for key, item in pairs if normal(key) in SCENE_KEYS}


def _is_unrelated(value: Value) -> bool:
    """An object by itself that names something, places nothing and says other things: a summary."""
    if not isinstance(value, JsonObject) or _is_wrapper(value) or not _says_something(value):
        return False
    return not any(
        normal(key) in VIEW_KEYS or box_role(key, item) for key, item in value.pairs
    ) and not all(is_label_key(key) or normal(key) in _REMARKS for key, _ in value.pairs)


def _walk(value: Value, key: str, contents: Contents) -> None:
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{") and normal(key) in _CONTAINERS:
        for span in read_values(value):
            contents.is_open |= not span.is_whole
            _walk(span.value, "", contents)
    elif isinstance(value, JsonList):
        _walk_list(value, key, contents)
    elif isinstance(value, JsonObject) and not is_tool_call(value):
        _walk_object(value, key, contents)


def _walk_list(node: JsonList, key: str, contents: Contents) -> None:
    row = _row(node)
    if row is not None and node.is_closed:
        contents.records.append(Record(row))
        return
    contents.has_empty_list |= not node.items and node.is_closed
    contents.has_scraps |= contents.is_bare and is_number_list(node) and len(node.items) == 4
    contents.has_scraps |= bool(node.items) and all(isinstance(item, str) for item in node.items)
    for item in node.items:
        if normal(key) in RELATION_KEYS:
            contents.relations += [item] if _is_finished(item) else []
        else:
            _walk(item, "", contents)


def _walk_object(node: JsonObject, key: str, contents: Contents) -> None:
    keys = {normal(name) for name, _ in node.pairs}
    if "predicate" in keys or {"subject", "object"} <= keys:
        contents.relations += [node] if node.is_closed else []
    elif _is_wrapper(node):
        for name, value in node.pairs:
            _walk(value, name, contents)
    elif _says_something(node):
        name = "" if normal(key) in _CONTAINERS else key
        contents.records += _records(node, name)
        for inner, value in node.pairs:  # what is on a shelf, inside the record of the shelf
            if normal(inner) in _CONTAINERS and _holds_records(inner, value):
                _walk(value, inner, contents)
    elif _is_map_of_boxes(node):
        pairs = node.pairs if node.is_closed else node.pairs[:-1]
        contents.records += [Record([("label", name), ("bbox", box)]) for name, box in pairs]
    else:
        for name, value in node.pairs:
            _walk(value, name, contents)


def _records(node: JsonObject, name: str) -> list[Record]:
    """Mostly one; of a flat object with names and boxes in turn, one for each pair."""
    columns = _columns(node)
    if columns:
        return columns
    groups = _groups(node.pairs)
    if groups is None:
        return [Record(node.pairs, name, is_ambiguous=True)] if node.is_closed else []
    finished = groups if node.is_closed else groups[:-1]
    return [Record(group, name) for group in finished]


def _columns(node: JsonObject) -> list[Record]:
    """``{"labels": ["mug", "rug"], "bboxes": [[...], [...]]}``: one record for each place."""
    lists = [
        (role, value.items)
        for key, value in node.pairs
        if isinstance(value, JsonList) and (role := "label" if is_label_key(key) else "bbox")
        if role == "label" or box_role(key, value) == "box"
    ]
    if sorted(role for role, _ in lists) != ["bbox", "label"] or not node.is_closed:
        return []
    (_, boxes), (_, labels) = sorted(lists, key=lambda column: column[0])
    if len(labels) != len(boxes) or len(labels) < 2 or not all(map(is_number_list, boxes)):
        return []
    return [
        Record([("label", label), ("bbox", box)]) for label, box in zip(labels, boxes, strict=True)
    ]


def _groups(pairs: list[Pair]) -> list[list[Pair]] | None:
    """The pairs split where a name or box comes again; None where they are not in turn."""
    roles = Counter(_role(key, value) for key, value in pairs)
    labels = {str(value) for key, value in pairs if _role(key, value).startswith("label:")}
    again = {role for role, count in roles.items() if role and count > 1}
    is_label_again = any(role.startswith("label:") for role in again)
    if not is_label_again or (len(labels) == 1 and len(again) == 1):
        return [pairs]
    groups: list[list[Pair]] = [[]]
    seen: set[str] = set()
    for key, value in pairs:
        role = _role(key, value)
        if role in again and role in seen:
            groups.append([])
            seen = set()
        seen.add(role)
        groups[-1].append((key, value))
    is_in_turn = all(label_of(group) and _has_box(group) for group in groups[:-1])
    return groups if is_in_turn and len(groups) > 1 else None


def _role(key: str, value: Value) -> str:
    """What a field may say only once of one object."""
    place = box_role(key, value)
    if place == "slot":
        return f"slot:{normal(key)}"
    if place == "box":
        return "box"
    if is_label_key(key):
        return "label:" + re.sub(r"_?\d+$", "", normal(key))
    return ""


def _has_box(pairs: list[Pair]) -> bool:
    return bool(boxes_of(pairs, is_y_first=False).numbers)


def _says_something(node: JsonObject) -> bool:
    """Whether an object names or places a thing."""
    return any(
        normal(key) in VIEW_KEYS
        or (is_label_key(key) and not _is_record(value))
        or box_role(key, value) in ("box", "geometry")
        for key, value in node.pairs
    ) or _has_box(node.pairs)


def _is_record(value: Value) -> bool:
    """An object of more than texts: not a name in several languages."""
    return isinstance(value, JsonObject) and not all(
        isinstance(item, str) for _, item in value.pairs
    )


def _is_wrapper(node: JsonObject) -> bool:
    """Whether an object is only around the records: it has no place, and they are inside."""
    is_placed = any(normal(key) in VIEW_KEYS or box_role(key, value) for key, value in node.pairs)
    if is_placed and label_of(node.pairs):
        return False
    return any(
        _holds_records(key, value) or (normal(key) in _CONTAINERS and value == JsonList([], True))
        for key, value in node.pairs
    )


def _holds_records(key: str, value: Value) -> bool:
    name = normal(key)
    if name in (*_DETAIL_KEYS, *RELATION_KEYS) or box_role(key, value) == "geometry":
        return False
    if isinstance(value, JsonObject):
        return name in _CONTAINERS and not box_role(key, value) and _says_something(value)
    items = value.items if isinstance(value, JsonList) else []
    return any(isinstance(item, JsonObject) for item in items)


def _is_map_of_boxes(node: JsonObject) -> bool:
    """``{"mug": [1, 2, 3, 4], "desk": [5, 6, 7, 8]}``."""
    pairs = node.pairs if node.is_closed else node.pairs[:-1]
    return bool(pairs) and all(
        is_number_list(value)
        and isinstance(value, JsonList)
        and (len(value.items) == 4 or isinstance(value.items[0], JsonList))
        for _, value in pairs
    )


def _row(node: JsonList) -> list[Pair] | None:
    """``["mug", [1, 2, 3, 4]]`` and the like: a name and a box in a list."""
    names = [item for item in node.items if isinstance(item, str)]
    rest: list[Value] = [item for item in node.items if not isinstance(item, str)]
    if len(names) != 1 or not is_number_list(JsonList(rest)):
        return None
    if len(rest) == 1 and isinstance(rest[0], JsonList):
        return [("label", names[0]), ("bbox", rest[0])]
    return [("label", names[0]), ("bbox", JsonList(rest, True))] if len(rest) == 4 else None


def _is_finished(value: Value) -> bool:
    return not isinstance(value, JsonObject | JsonList) or value.is_closed
