"""Lines of objects, relations and vectors of views to rows."""

from __future__ import annotations

import json
from typing import TypeAlias

from memory_nodes.errors import InputError
from memory_nodes.geometry import PointEstimate
from memory_nodes.records import Box, ObjectStatus, ObjectView
from memory_nodes.store import object_numbers, objects, rows
from memory_nodes.store.database import sequence
from memory_nodes.store.exchange.import_destination import (
    Destination,
    kept,
    number_of,
    object_key,
    status_of,
)
from memory_nodes.store.exchange.import_fields import Fields
from memory_nodes.store.maps import map_key
from memory_nodes.vectors import ITEM_BYTES, is_sound

_State: TypeAlias = tuple[int, str, str, dict[str, str], tuple[str, ...]]


def object_(into: Destination, line: Fields) -> None:
    """Views of keyframes that are not there are left out, and so are states of such chunks."""
    states = sorted(map(_state, line.list_of_fields("states")), key=lambda state: state[0])
    views = [_view(item) for item in line.list_of_fields("views")]
    chunk_ids = kept(into, "chunk", [state[0] for state in states])
    keyframe_ids = kept(into, "keyframe", [view.keyframe_id for view in views])
    states_kept = [state for state in states if state[0] in chunk_ids]
    if not states_kept:
        raise InputError("no state of it is of a chunk that is there")
    key = _insert_object(into, line)
    into.connection.executemany(
        "INSERT INTO object_state VALUES (?, ?, ?, ?, ?, ?)",
        [
            (key, chunk_id, type_name, said, json.dumps(attributes), json.dumps(affordances))
            for chunk_id, type_name, said, attributes, affordances in states_kept
        ],
    )
    into.connection.executemany(
        rows.insert("view", rows.VIEW_COLUMNS),
        [rows.view_row(key, view) for view in views if view.keyframe_id in keyframe_ids],
    )
    _insert_past(into, line, key)
    objects.name(into.connection, key)


def event(into: Destination, line: Fields) -> None:
    into.connection.execute(
        "INSERT INTO object_event (event_key, object_key, kind, stamp_ns, detail, is_undone)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (
            number_of("event", line.text("event_id")),
            object_key(into, line.text("object_id")),
            *(line.text("kind"), line.integer("stamp_ns")),
            *(line.fields("detail").as_json(), line.flag("is_undone")),
        ),
    )


def relation(into: Destination, line: Fields) -> None:
    subject = object_key(into, line.text("subject_id"))
    other = object_key(into, line.text("object_id"))
    shown = kept(into, "keyframe", line.integers("keyframe_ids"))
    if not shown:
        raise InputError("no keyframe that shows it is there")
    predicate = line.text("predicate")
    into.connection.executemany(
        "INSERT INTO relation VALUES (?, ?, ?, ?)",
        [(subject, predicate, other, keyframe_id) for keyframe_id in sorted(shown)],
    )


def view_embedding(into: Destination, line: Fields) -> None:
    vector = line.vector("vector")
    if not is_sound(vector):
        raise InputError("the vector is not finite or not of unit length")
    into.connection.execute(
        rows.insert("view_embedding", rows.VIEW_EMBEDDING_COLUMNS),
        (
            *(object_key(into, line.text("object_id")), line.integer("keyframe_id")),
            *(line.text("model_id"), len(vector) // ITEM_BYTES, vector),
        ),
    )


def _state(item: Fields) -> _State:
    return (
        *(item.integer("chunk_id", 0), item.text("type"), item.text("description")),
        *(item.texts_by_name("attributes"), item.texts("affordances")),
    )


def _view(item: Fields) -> ObjectView:
    return ObjectView(
        keyframe_id=item.integer("keyframe_id", 0),
        box=Box(*item.numbers("box_px", 4)),
        confidence=item.number("confidence"),
        point_map_m=None if item.is_null("point_map_m") else item.point("point_map_m"),
    )


def _insert_object(into: Destination, line: Fields) -> int:
    map_id = line.optional_text("map_id")
    position = None if line.is_null("position") else _position(line.fields("position"))
    return int(
        into.connection.execute(
            "INSERT INTO object (object_id, status, first_seen_ns, last_seen_ns, view_count,"
            " x, y, z, covariance_m2, map_key, changed)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(line.text("object_id"), status_of(ObjectStatus, line.text("status"))),
                *(line.integer("first_seen_ns"), line.integer("last_seen_ns")),
                line.integer("view_count", 0),
                *rows.position_row(position),
                map_key(into.connection, map_id, line.text("map_frame")) if map_id else None,
                sequence(into.connection),
            ),
        ).lastrowid
        or 0
    )


def _insert_past(into: Destination, line: Fields, key: int) -> None:
    """What a person said of it, where it was, and where it was looked for in vain."""
    into.connection.execute(
        "UPDATE object SET name = ?, is_pinned = ?, placed_since = ?, pinned_chunk_id = ("
        " SELECT chunk_id FROM object_state s WHERE s.object_key = object.object_key"
        " AND chunk_id = ?) WHERE object_key = ?",
        (
            *(line.optional_text("name"), line.flag("is_pinned"), line.integer("placed_since", 0)),
            None if line.is_null("pinned_chunk_id") else line.integer("pinned_chunk_id", 0),
            key,
        ),
    )
    for place in line.list_of_fields("places"):
        into.connection.execute(
            "INSERT INTO object_place (object_key, map_key, x, y, z, covariance_m2, start_ns,"
            " end_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(key, map_key(into.connection, place.text("map_id"), place.text("map_frame"))),
                *rows.position_row(_position(place.fields("position"))),
                *(place.integer("start_ns"), place.integer("end_ns")),
            ),
        )
    looks = kept(into, "keyframe", line.integers("clear_looks"))
    for alias in line.texts("aliases"):
        object_numbers.note(into.connection, alias)
    others = [object_key(into, other_id) for other_id in line.texts("told_apart")]
    for statement, values in (
        ("INSERT INTO clear_look VALUES (?, ?)", [(key, look) for look in sorted(looks)]),
        (
            "INSERT INTO object_alias VALUES (?, ?)",
            [(alias, key) for alias in line.texts("aliases")],
        ),
        ("INSERT INTO object_distinct VALUES (?, ?)", [(other, key) for other in others]),
    ):
        into.connection.executemany(statement, values)


def _position(item: Fields) -> PointEstimate:
    return PointEstimate(item.point("point_map_m"), item.numbers("covariance_m2", 9))
