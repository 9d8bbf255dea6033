"""What was said of an object and where it was, each with its time."""

from __future__ import annotations

import sqlite3
from itertools import groupby

from memory_nodes.records import ObjectHistory, ObjectPlace, ObjectState
from memory_nodes.store import rows

MAX_STATES = 100
"""A model words an object anew in every chunk."""

_STATES = (
    "SELECT s.*, (SELECT min(stamp_ns) FROM view JOIN keyframe k USING (keyframe_id)"
    " WHERE view.object_key = s.object_key AND k.chunk_id = s.chunk_id) AS since_ns"
    " FROM object_state s WHERE object_key = ? ORDER BY chunk_id"
)
_OLD_PLACES = (
    "SELECT * FROM object_place JOIN map USING (map_key) WHERE object_key = ?"
    " ORDER BY start_ns, place_key"
)
_PLACE_NOW = (
    "SELECT o.*, m.map_id, m.map_frame, min(k.stamp_ns) AS start_ns, max(k.stamp_ns) AS end_ns"
    " FROM object o JOIN map m USING (map_key) JOIN view v USING (object_key)"
    " JOIN keyframe k ON k.keyframe_id = v.keyframe_id AND k.map_id = m.map_id"
    " WHERE object_key = ? AND o.x IS NOT NULL AND v.keyframe_id >= o.placed_since"
    " GROUP BY object_key"
)


def history(connection: sqlite3.Connection, object_key: int) -> ObjectHistory:
    """Of one object; what was said twice running stands once."""
    said = (_state(row) for row in connection.execute(_STATES, (object_key,)))
    states = [next(same) for _, same in groupby(said, key=_words)]
    old = connection.execute(_OLD_PLACES, (object_key,)).fetchall()
    now = connection.execute(_PLACE_NOW, (object_key,)).fetchall()
    places = tuple(place for row in (*old, *now) if (place := _place(row)) is not None)
    return ObjectHistory(tuple(states[-MAX_STATES:]), places)


def _state(row: sqlite3.Row) -> ObjectState:
    said = rows.state_from(row)
    return ObjectState(
        row["since_ns"], said.type, said.description, said.attributes, said.affordances
    )


def _words(state: ObjectState) -> tuple[object, ...]:
    return state.type, state.description, dict(state.attributes), state.affordances


def _place(row: sqlite3.Row) -> ObjectPlace | None:
    position = rows.position_from(row)
    if position is None:
        return None
    return ObjectPlace(row["map_id"], row["map_frame"], position, row["start_ns"], row["end_ns"])
