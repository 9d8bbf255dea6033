"""Archiving: old observations lose their text, and keep their time, their place and their layer."""

from __future__ import annotations

import sqlite3
import time

from memory_nodes.records import EpisodeStatus, ItemKind
from memory_nodes.store import texts, tombstones
from memory_nodes.store.database import Database

SLICE = 100
"""Observations in one commit: it takes some milliseconds, for which others wait."""
WINDOW = 1000
"""Observations that are looked at in one go: most of them may have to wait."""
PAUSE_S = 0.001
"""Between two commits, or this thread would take the lock again before those that wait for it."""
SLICES_PER_TRIM = 100
"""Tombstones are counted once in so many slices: that takes as long as a slice."""

_NEXT = """
WITH RECURSIVE active (episode_key) AS (
    SELECT episode_key FROM episode WHERE status = ?
    UNION SELECT e.episode_key FROM episode e JOIN active ON e.parent_key = active.episode_key
)
SELECT stamp_ns, observation_key, text_key,
    (episode_key IS NULL OR episode_key NOT IN (SELECT episode_key FROM active))
    AND (NOT ? OR CASE
        WHEN episode_key IS NULL
        THEN observation_key <= (SELECT last_observation_key FROM consolidation_mark)
            AND observation_key NOT IN passed_over
        ELSE (SELECT is_consolidated FROM episode e WHERE e.episode_key = observation.episode_key)
    END) AS is_due
FROM observation
WHERE text_key IS NOT NULL AND (stamp_ns, observation_key) > (?, ?) AND stamp_ns < ?
ORDER BY stamp_ns, observation_key LIMIT ?
"""


def archive(database: Database, before_ns: int, *, only_consolidated: bool) -> int:
    """Archives what is older than a stamp and in no active episode; how many observations.

    ``only_consolidated``: what has no gist yet, and is not known for noise, waits for it.

    Each slice is a commit of its own: a crash leaves the rest for the next call. Nothing else may
    archive or forget meanwhile.
    """
    archived = slices = 0
    last = (-1, 0)
    while True:
        with database.reading() as connection:
            values = (EpisodeStatus.ACTIVE, only_consolidated, *last, before_ns, WINDOW)
            rows = connection.execute(_NEXT, values).fetchall()
        if not rows:
            break
        last = (rows[-1]["stamp_ns"], rows[-1]["observation_key"])
        due = [row for row in rows if row["is_due"]]
        for first in range(0, len(due), SLICE):
            with database.transaction() as connection:
                _archive(connection, due[first : first + SLICE])
            slices += 1
            if slices % SLICES_PER_TRIM == 0:
                tombstones.trim(database)
            time.sleep(PAUSE_S)
        archived += len(due)
        time.sleep(PAUSE_S)
    tombstones.trim(database)
    return archived


def _archive(connection: sqlite3.Connection, rows: list[sqlite3.Row]) -> None:
    keys = [row["observation_key"] for row in rows]
    connection.executemany(
        "UPDATE observation SET text_key = NULL WHERE observation_key = ?",
        [(key,) for key in keys],
    )
    texts.bury(connection, ItemKind.OBSERVATION, keys)
    texts.release(connection, (row["text_key"] for row in rows))
