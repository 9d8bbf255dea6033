"""Images of old keyframes are deleted; the keyframes stay, and the newest image of each object."""

from __future__ import annotations

import sqlite3
import time

from memory_nodes.records import ObjectStatus
from memory_nodes.store.database import Database, among, sequence
from memory_nodes.store.forgetting import image_erasure

SLICE = 100
"""Images in one commit: it takes some milliseconds, for which others wait."""
WINDOW = 1000
"""Keyframes that are looked at in one go."""
PAUSE_S = 0.001
"""Between two commits, or this thread would take the lock again before those that wait for it."""
GONE = (ObjectStatus.MISSING, ObjectStatus.EXPIRED)
"""An answer need not show an object with such a status."""

_NEXT = f"""
SELECT stamp_ns, keyframe_id, image_path != '' AND NOT EXISTS (
    SELECT 1 FROM view v JOIN object o USING (object_key)
    WHERE v.keyframe_id = k.keyframe_id
    AND (o.is_pinned OR o.status NOT IN ({", ".join(str(int(status)) for status in GONE)}))
    AND NOT EXISTS (
        SELECT 1 FROM view newer
        WHERE newer.object_key = v.object_key AND newer.keyframe_id > v.keyframe_id
    )
) AS is_due
FROM keyframe k WHERE (stamp_ns, keyframe_id) > (?, ?) AND stamp_ns < ?
ORDER BY stamp_ns, keyframe_id LIMIT ?
"""


def drop_images(database: Database, before_ns: int) -> int:
    """Deletes the images of keyframes taken before a stamp; how many.

    The newest keyframe of an object keeps its image, so that an answer can be seen, unless the
    object is gone and not pinned. Each slice is a commit of its own, which also writes down the
    files to delete: a crash leaves these to the next start. Nothing else may forget meanwhile.
    """
    dropped = 0
    last = (-1, -1)
    while True:
        with database.reading() as connection:
            found = connection.execute(_NEXT, (*last, before_ns, WINDOW)).fetchall()
        if not found:
            return dropped
        last = (found[-1]["stamp_ns"], found[-1]["keyframe_id"])
        due = [row["keyframe_id"] for row in found if row["is_due"]]
        for first in range(0, len(due), SLICE):
            keys = due[first : first + SLICE]
            with database.transaction() as connection:
                _drop(connection, keys)
            image_erasure.finish(database)
            dropped += len(keys)
            time.sleep(PAUSE_S)
        time.sleep(PAUSE_S)


def _drop(connection: sqlite3.Connection, keyframe_ids: list[int]) -> None:
    where, values = among("keyframe_id", keyframe_ids)
    image_erasure.note(
        connection, f"image_path, NULL, NULL, NULL, NULL FROM keyframe {where}", values
    )
    connection.execute(f"UPDATE keyframe SET image_path = '' {where}", values)
    connection.execute("UPDATE image_mark SET sequence = ?", (sequence(connection),))
