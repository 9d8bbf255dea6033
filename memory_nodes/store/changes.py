"""What becomes of objects: new, moved, missing, found, expired; each with an event.

All of it follows from the views and the clear looks of a chunk, within its transaction.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping, Set
from dataclasses import dataclass

import numpy as np

from memory_nodes.parameters import parameter
from memory_nodes.perception.positions import locate
from memory_nodes.records import (
    NS_PER_S,
    ChangeKind,
    ChunkGraph,
    Keyframe,
    ObjectDescriptor,
    ObjectStatus,
)
from memory_nodes.store import ghosts, maps, moves, object_events, objects, rows
from memory_nodes.store.moves import Move

_CONFIRMED = (ObjectStatus.PRESENT, ObjectStatus.MOVED, ObjectStatus.MISSING)
"""Whose identity stands, whatever decides who is seen later."""


@dataclass(frozen=True)
class ChangesConfig:
    """When an object counts as moved, missing, new or never there."""

    moved_m: float = parameter(
        0.5, "an object that is seen so far from its place may have moved", unit="m", low=0.0
    )
    moved_sigmas: float = parameter(
        3.0, "and has, where the uncertainty of both places does not explain it", low=0.0
    )
    moved_for_s: float = parameter(
        43_200.0,
        "an object that is seen at its new place after so long is present, and no longer moved",
        unit="s",
        low=0.0,
    )
    missing_looks: int = parameter(
        3, "different clear looks at its place after which an object is missing", low=1, high=100
    )
    look_apart_m: float = parameter(
        0.3, "two looks differ where the camera has moved so far", unit="m", low=0.0
    )
    look_apart_deg: float = parameter(10.0, "or has turned so far", unit="deg", low=0.0, high=180.0)
    expiring_confidence: float = parameter(
        0.5,
        "an object seen once with less confidence expires at the first clear look without it",
        low=0.0,
        high=1.0,
    )
    expiring_after_s: float = parameter(
        28_800.0,
        "and without any look, when sessions have gone on for so long since, and things were seen",
        unit="s",
        low=1.0,
    )
    new_after_s: float = parameter(
        600.0,
        "an object is new where its place was in the picture so long before, without it",
        unit="s",
        low=0.0,
    )
    new_near_m: float = parameter(
        1.0, "how near that picture was taken to one that shows the object", unit="m", low=0.0
    )


def note_sighting(
    connection: sqlite3.Connection,
    known: sqlite3.Row | None,
    key: int,
    descriptor: ObjectDescriptor,
    graph: ChunkGraph,
    config: ChangesConfig,
) -> None:
    """Sets the status of an object that a chunk shows, and its place where it has moved.

    Args:
        known: its row before the chunk; None for an object that is stored first. The views of the
            chunk are stored already.
    """
    objects.forget_looks(connection, [key])
    keyframes = {item.keyframe_id: item for item in graph.chunk.keyframes}
    shown_by = [keyframes[view.keyframe_id] for view in descriptor.views]
    is_confirmed = known is not None and known["status"] in _CONFIRMED
    status = ObjectStatus.PRESENT if is_confirmed else descriptor.status
    if known is None:
        if _was_in_view_before(connection, descriptor, shown_by, config):
            object_events.record(
                connection, key, ChangeKind.NEW, shown_by[0].stamp_ns, new=descriptor.position
            )
    elif not known["is_pinned"] and _has_moved(connection, known, shown_by[0], config):
        status = ObjectStatus.MOVED
    elif known["status"] in (ObjectStatus.MISSING, ObjectStatus.EXPIRED):
        place = rows.position_from(known)
        object_events.record(connection, key, ChangeKind.FOUND, shown_by[0].stamp_ns, new=place)
    elif known["status"] == ObjectStatus.MOVED and _moved_lately(
        connection, key, shown_by[0].stamp_ns, config
    ):
        status = ObjectStatus.MOVED
    connection.execute("UPDATE object SET status = ? WHERE object_key = ?", (status, key))


def note_clear_looks(
    connection: sqlite3.Connection, graph: ChunkGraph, shown: Set[int], config: ChangesConfig
) -> None:
    """Counts the different ones; what was looked for in vain often enough is missing.

    Objects that are not known (any more) are passed over, as are those that are pinned.

    Args:
        shown: keys of the objects that the chunk shows. One that was looked for can be among them:
            since the graph was resolved, it may have been merged with one that was seen.
    """
    keyframes = {item.keyframe_id: item for item in graph.chunk.keyframes}
    for look in graph.clear_looks:
        row = connection.execute(
            "SELECT * FROM object WHERE object_id = ? AND status NOT IN (?, ?) AND NOT is_pinned",
            (look.object_id, ObjectStatus.MISSING, ObjectStatus.EXPIRED),
        ).fetchone()
        if row is not None and row["object_key"] not in shown:
            keyframe = keyframes[look.keyframe_id]
            note_vain_look(connection, row, keyframe, keyframe.stamp_ns, config)


def note_vain_look(
    connection: sqlite3.Connection,
    row: sqlite3.Row,
    keyframe: Keyframe,
    stamp_ns: int,
    config: ChangesConfig,
) -> None:
    """Counts a look at the place of an object, as one from where a keyframe was taken."""
    key, place = row["object_key"], rows.position_from(row)
    if ghosts.is_doubtful(connection, key, config.expiring_confidence):
        ghosts.expire(connection, row, stamp_ns)
        return
    looks = [
        rows.pose_from(found, "camera_")
        for found in connection.execute(
            "SELECT k.* FROM clear_look JOIN keyframe k USING (keyframe_id) WHERE object_key = ?",
            (key,),
        )
    ]
    camera, apart_rad = keyframe.map_from_camera, math.radians(config.look_apart_deg)
    if any(
        camera.distance_m(earlier) < config.look_apart_m and camera.angle_rad(earlier) < apart_rad
        for earlier in looks
    ):
        return
    connection.execute(
        "INSERT OR IGNORE INTO clear_look VALUES (?, ?)", (key, keyframe.keyframe_id)
    )
    # The readers count looks, too.
    objects.set_status(connection, key, ObjectStatus(row["status"]))
    if objects.count_looks(connection, key) >= config.missing_looks and not _was_seen_elsewhere(
        connection, row, keyframe
    ):
        objects.set_status(connection, key, ObjectStatus.MISSING)
        object_events.record(connection, key, ChangeKind.MISSING, stamp_ns, place)


def _has_moved(
    connection: sqlite3.Connection,
    known: sqlite3.Row,
    shown_by: Keyframe,
    config: ChangesConfig,
) -> bool:
    """Writes the move down, if the views prove one.

    The row tells a place on the map where it was seen last; on another one earlier views tell it.
    """
    views, keyframes = objects.sightings(connection, known["object_key"], shown_by.map_id)
    if known["map_key"] == maps.map_key(connection, shown_by.map_id, shown_by.map_frame):
        place = rows.position_from(known)
    else:
        earlier = (view for view in views if view.keyframe_id < shown_by.keyframe_id)
        place = locate(earlier, keyframes)
    if place is None or not views:
        return False
    move = moves.find(
        views, keyframes, place, shown_by.keyframe_id, config.moved_m, config.moved_sigmas
    )
    if move is not None:
        start_ns = keyframes[views[0].keyframe_id].stamp_ns
        _record_move(connection, known, move, start_ns, keyframes)
    return move is not None


def _record_move(
    connection: sqlite3.Connection,
    known: sqlite3.Row,
    move: Move,
    start_ns: int,
    keyframes: Mapping[int, Keyframe],
) -> None:
    """``start_ns``: since when it was at the old place."""
    key, last = known["object_key"], keyframes[move.last_id]
    connection.execute(
        "INSERT INTO object_place (object_key, map_key, x, y, z, covariance_m2, start_ns, end_ns)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(key, maps.map_key(connection, last.map_id, last.map_frame)),
            *(*rows.position_row(move.old), start_ns, last.stamp_ns),
        ),
    )
    connection.execute(
        "UPDATE object SET placed_since = ? WHERE object_key = ?", (move.since_id, key)
    )
    stamp_ns = keyframes[move.since_id].stamp_ns
    object_events.record(connection, key, ChangeKind.MOVED, stamp_ns, move.old, move.new)


def _moved_lately(
    connection: sqlite3.Connection, key: int, now_ns: int, config: ChangesConfig
) -> bool:
    moved_ns = connection.execute(
        "SELECT max(stamp_ns) FROM object_event WHERE object_key = ? AND kind = ?",
        (key, ChangeKind.MOVED.value),
    ).fetchone()[0]
    return moved_ns is not None and now_ns - moved_ns < config.moved_for_s * NS_PER_S


def _was_in_view_before(
    connection: sqlite3.Connection,
    descriptor: ObjectDescriptor,
    shown_by: list[Keyframe],
    config: ChangesConfig,
) -> bool:
    """Whether an earlier picture, taken from about here, holds its place: so it came since.

    Without this a house that is being explored would be full of news.
    """
    if descriptor.position is None:
        return False
    place_m = np.array(descriptor.position.point_m)
    until_ns = shown_by[0].stamp_ns - round(config.new_after_s * NS_PER_S)
    for shown in shown_by:
        x_m, y_m, _ = shown.map_from_camera.position_m
        near_m = config.new_near_m
        found = connection.execute(
            "SELECT * FROM keyframe k WHERE map_id = ? AND stamp_ns <= ?"
            " AND camera_x BETWEEN ? AND ? AND camera_y BETWEEN ? AND ? AND fx_px IS NOT NULL"
            " AND EXISTS (SELECT 1 FROM view v WHERE v.keyframe_id = k.keyframe_id)",
            (
                *(shown.map_id, until_ns),
                *(x_m - near_m, x_m + near_m, y_m - near_m, y_m + near_m),
            ),
        )
        if any(rows.keyframe_from(row).holds(place_m) for row in found):
            return True
    return False


def _was_seen_elsewhere(
    connection: sqlite3.Connection, row: sqlite3.Row, keyframe: Keyframe
) -> bool:
    """Writes a move down that one rough sighting did not prove, and its empty place now does."""
    place, key = rows.position_from(row), row["object_key"]
    views, keyframes = objects.sightings(connection, key, keyframe.map_id)
    move = moves.presumed(views, keyframes, place) if place is not None else None
    if move is None:
        return False
    _record_move(connection, row, move, keyframes[views[0].keyframe_id].stamp_ns, keyframes)
    objects.forget_looks(connection, [key])
    objects.set_status(connection, key, ObjectStatus.MOVED)
    objects.place(connection, key, keyframe.map_id, keyframe.map_frame)
    return True
