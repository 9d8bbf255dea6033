"""Looks on arrival: the robot drove to where an object had been seen from, and looked for it."""

from __future__ import annotations

import sqlite3

import numpy as np

from memory_nodes.records import CUT_OFF, ArrivalLook, ChangeKind, Keyframe, ObjectStatus
from memory_nodes.store import changes, maps, object_events, objects, rows
from memory_nodes.store.changes import ChangesConfig
from memory_nodes.store.object_ids import key_of

_GONE = (ObjectStatus.MISSING, ObjectStatus.EXPIRED)


def note(connection: sqlite3.Connection, look: ArrivalLook, config: ChangesConfig) -> None:
    """What was seen again is there; what was not has one clear look more against it.

    The look is as one from its keyframe, so a second one from there is none more. It says nothing
    where that keyframe does not show the object's present place, nor where it is no news: the
    object was seen since. So one that is told twice counts once. Objects that are not known (any
    more) are passed over.
    """
    key = key_of(connection, look.object_id)
    if key is None:
        return
    row = objects.row(connection, key)
    keyframe = _shown_in(connection, key, look.keyframe_id)
    if keyframe is None or look.stamp_ns <= row["last_seen_ns"]:
        return
    if look.map_id != keyframe.map_id or not _is_place_in(connection, row, keyframe):
        return
    if look.is_there:
        _refresh(connection, row, look.stamp_ns)
    elif row["status"] not in _GONE and not row["is_pinned"]:
        changes.note_vain_look(connection, row, keyframe, look.stamp_ns, config)


def _shown_in(connection: sqlite3.Connection, key: int, keyframe_id: int) -> Keyframe | None:
    """The keyframe, if it shows the object since that has moved last."""
    row = connection.execute(
        "SELECT k.* FROM keyframe k JOIN view USING (keyframe_id) JOIN object o USING (object_key)"
        " WHERE object_key = ? AND keyframe_id = ? AND keyframe_id >= o.placed_since",
        (key, keyframe_id),
    ).fetchone()
    return None if row is None else rows.keyframe_from(row)


def _is_place_in(connection: sqlite3.Connection, row: sqlite3.Row, keyframe: Keyframe) -> bool:
    """Whether a keyframe that shows an object shows it in its present place."""
    if row["map_key"] != maps.known_key(connection, keyframe.map_id, keyframe.map_frame):
        return False
    place = rows.position_from(row)
    return place is None or place.is_rough or keyframe.holds(np.array(place.point_m), CUT_OFF)


def _refresh(connection: sqlite3.Connection, row: sqlite3.Row, stamp_ns: int) -> None:
    key, status = row["object_key"], ObjectStatus(row["status"])
    objects.forget_looks(connection, [key])
    connection.execute("UPDATE object SET last_seen_ns = ? WHERE object_key = ?", (stamp_ns, key))
    if status in _GONE:
        place = rows.position_from(row)
        object_events.record(connection, key, ChangeKind.FOUND, stamp_ns, new=place)
        status = ObjectStatus.PRESENT
    objects.set_status(connection, key, status)
