"""Episodes: named stretches of time, which may be nested and follow each other."""

from __future__ import annotations

import re
import sqlite3

from memory_nodes.errors import InputError
from memory_nodes.records import NS_PER_S, Episode, EpisodeOrigin, EpisodeStatus
from memory_nodes.store import observations, rows
from memory_nodes.store.checks import check_unicode

MAX_NAME_CHARS = 1000
MAX_SILENCE_NS = 24 * 3600 * NS_PER_S
"""A stamp that is later by more is of a wrong clock, and no proof that an episode went on."""
_ID = re.compile(r"episode_(\d{1,18})")

_LAST_KNOWN = """
WITH this AS (SELECT * FROM episode WHERE episode_key = :key),
known (stamp_ns) AS (
    SELECT start_ns FROM this
    UNION SELECT o.stamp_ns FROM this JOIN observation o
    ON o.observation_key > after_observation_key AND o.stamp_ns > start_ns
    UNION SELECT k.stamp_ns FROM this JOIN keyframe k
    ON k.chunk_id > after_chunk_id AND k.stamp_ns > start_ns
    UNION SELECT e.end_ns FROM this JOIN episode e
    ON e.episode_key > this.episode_key AND e.end_ns > this.start_ns
),
step AS (SELECT stamp_ns, lead(stamp_ns) OVER (ORDER BY stamp_ns) AS next_ns FROM known)
SELECT min(stamp_ns) FROM step WHERE next_ns IS NULL OR next_ns - stamp_ns > :silence_ns
"""
"""The newest stamp of what has come since an episode began, up to the first long silence."""


def start(
    connection: sqlite3.Connection,
    name: str,
    parent_id: str,
    stamp_ns: int,
    origin: EpisodeOrigin,
) -> str:
    """Starts an episode and gives its id; it follows the one before it under the same parent.

    Raises InputError for an unknown parent, and for a name or a stamp that cannot be stored.
    """
    if len(name) > MAX_NAME_CHARS:
        raise InputError(f"the name has {len(name)} characters, the limit is {MAX_NAME_CHARS}")
    check_unicode("name", name)
    observations.check_stamp(stamp_ns)
    parent_key = _row(connection, parent_id)["episode_key"] if parent_id else None
    before = connection.execute(
        "SELECT max(episode_key) FROM episode WHERE parent_key IS ?", (parent_key,)
    ).fetchone()[0]
    key = connection.execute(
        "INSERT INTO episode (parent_key, name, status, start_ns, origin, after_observation_key,"
        " after_chunk_id) VALUES (?, ?, ?, ?, ?,"
        " coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'observation'), 0),"
        " coalesce((SELECT max(chunk_id) FROM chunk), 0))",
        (parent_key, name, EpisodeStatus.ACTIVE, stamp_ns, origin.value),
    ).lastrowid
    if before is not None:
        connection.execute("INSERT INTO link VALUES ('FOLLOWS', ?, ?, 1.0)", (key, before))
    return rows.episode_id(key or 0)


def end(
    connection: sqlite3.Connection,
    episode_id: str,
    stamp_ns: int,
    status: EpisodeStatus = EpisodeStatus.COMPLETED,
) -> Episode:
    """Ends an active episode with those within it; the innermost one when no id is given.

    Raises InputError when there is no such active episode, or for a stamp that cannot be stored.
    """
    observations.check_stamp(stamp_ns)
    row = _row(connection, episode_id) if episode_id else _innermost(connection)
    if row is None:
        raise InputError("no episode is active: start one first")
    if row["status"] != EpisodeStatus.ACTIVE:
        raise InputError(f"episode {episode_id} has ended already")
    key = row["episode_key"]
    connection.execute(
        "WITH RECURSIVE inside (episode_key) AS (VALUES (?) UNION"
        " SELECT e.episode_key FROM episode e JOIN inside ON e.parent_key = inside.episode_key)"
        " UPDATE episode SET status = ?, end_ns = max(start_ns, ?)"
        " WHERE status = ? AND episode_key IN (SELECT episode_key FROM inside)",
        (key, status, stamp_ns, EpisodeStatus.ACTIVE),
    )
    return rows.episode_from(_row(connection, rows.episode_id(key)))


def active_key(connection: sqlite3.Connection) -> int | None:
    """The key of the innermost active episode, to which observations belong."""
    row = _innermost(connection)
    return None if row is None else int(row["episode_key"])


def key_at(connection: sqlite3.Connection, stamp_ns: int) -> int | None:
    """The key of the innermost episode that a stamp falls into, ended or not."""
    row = connection.execute(
        "SELECT episode_key FROM episode WHERE start_ns <= ? AND coalesce(end_ns, ?) >= ?"
        " ORDER BY episode_key DESC LIMIT 1",
        (stamp_ns, stamp_ns, stamp_ns),
    ).fetchone()
    return None if row is None else int(row[0])


def await_consolidation(connection: sqlite3.Connection, key: int | None) -> None:
    """Something has come into an episode late: it is not told by its gists yet."""
    connection.execute(
        "UPDATE episode SET is_consolidated = 0 WHERE episode_key = ? AND is_consolidated", (key,)
    )


def key_from_id(connection: sqlite3.Connection, episode_id: str) -> int:
    """Raises InputError for an id that no episode has."""
    return int(_row(connection, episode_id)["episode_key"])


def named_key(episode_id: str) -> int | None:
    """The key that an id stands for, whether there is such an episode or not; None for no id."""
    found = _ID.fullmatch(episode_id)
    return None if found is None else int(found[1])


def close_interrupted(connection: sqlite3.Connection) -> None:
    """Closes what a crash left open, at the last time that is known of each."""
    active = connection.execute(
        "SELECT episode_key FROM episode WHERE status = ? ORDER BY episode_key DESC",
        (EpisodeStatus.ACTIVE,),
    ).fetchall()
    for row in active:  # the innermost first: the one around it lasted as long
        key = row["episode_key"]
        last_ns = connection.execute(
            _LAST_KNOWN, {"key": key, "silence_ns": MAX_SILENCE_NS}
        ).fetchone()[0]
        connection.execute(
            "UPDATE episode SET status = ?, end_ns = ? WHERE episode_key = ?",
            (EpisodeStatus.INTERRUPTED, last_ns, key),
        )


def _innermost(connection: sqlite3.Connection) -> sqlite3.Row | None:
    row: sqlite3.Row | None = connection.execute(
        "SELECT * FROM episode WHERE status = ? ORDER BY episode_key DESC LIMIT 1",
        (EpisodeStatus.ACTIVE,),
    ).fetchone()
    return row


def _row(connection: sqlite3.Connection, episode_id: str) -> sqlite3.Row:
    row: sqlite3.Row | None = connection.execute(
        "SELECT * FROM episode WHERE episode_key = ?", (named_key(episode_id),)
    ).fetchone()
    if row is None:
        raise InputError(f"no episode {episode_id!r}: give an id from start_episode")
    return row
