"""What was taken for a new object without the model, and is a known one: merged as by a person."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from memory_nodes.records import ObjectStatus
from memory_nodes.store.editing import edit_log, editing
from memory_nodes.store.editing.edits import Merge
from memory_nodes.store.object_ids import key_of

_MAY_JOIN = (
    "SELECT 1 FROM object o JOIN object k ON k.object_key = ?2 AND k.map_key = o.map_key"
    " WHERE o.object_key = ?1 AND o.status = ?3 AND o.name IS NULL AND NOT o.is_pinned"
    " AND NOT EXISTS (SELECT 1 FROM object_distinct WHERE low_key = min(?1, ?2)"
    " AND high_key = max(?1, ?2))"
    " AND NOT EXISTS (SELECT 1 FROM view JOIN view v USING (keyframe_id)"
    " WHERE view.object_key = ?1 AND v.object_key = ?2)"
)


def join(connection: sqlite3.Connection, pairs: Iterable[tuple[str, str]], stamp_ns: int) -> None:
    """Merges each provisional object into a known one; logged as an edit, which can be undone.

    One that is not to be merged (any more) stays as it is: a person has named, pinned or edited
    it, told the two apart or taken such a merge back, or a keyframe shows both.
    """
    for double_id, known_id in pairs:
        if _may_join(connection, double_id, known_id):
            editing.edit(connection, Merge(known_id, (double_id,)), stamp_ns)


def _may_join(connection: sqlite3.Connection, double_id: str, known_id: str) -> bool:
    double, known = key_of(connection, double_id), key_of(connection, known_id)
    if double is None or known is None or double == known:
        return False
    found = connection.execute(_MAY_JOIN, (double, known, int(ObjectStatus.PROVISIONAL)))
    return found.fetchone() is not None and not edit_log.edits(connection, double)
