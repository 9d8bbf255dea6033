"""Gists: summaries that stay when what they summarise is archived."""

from __future__ import annotations

import sqlite3

from memory_nodes.errors import InputError
from memory_nodes.records import Gist
from memory_nodes.store import episodes, observations, rows, texts
from memory_nodes.store.checks import check_unicode
from memory_nodes.store.maps import map_key


def check(gist: Gist) -> None:
    """Raises InputError for a gist that cannot be written down."""
    if not gist.text.strip() or len(gist.text) > observations.MAX_TEXT_CHARS:
        raise InputError(f"a gist needs a text of at most {observations.MAX_TEXT_CHARS} characters")
    for name in ("text", "map_id", "map_frame", "source"):
        check_unicode(name, getattr(gist, name))
    limit_m = observations.MAX_COORDINATE_M
    is_placed = all(abs(value_m) <= limit_m for value_m in gist.center_map_m)
    if not is_placed or not 0.0 <= gist.radius_m <= limit_m:
        raise InputError(
            f"a gist at {gist.center_map_m} with radius {gist.radius_m} m: give numbers up to "
            f"{limit_m:.0f} m, and a radius of 0 or more"
        )
    observations.check_stamp(gist.start_ns)
    observations.check_stamp(gist.end_ns)
    if gist.start_ns > gist.end_ns:
        raise InputError(f"a gist from {gist.start_ns} to {gist.end_ns} ns: give start <= end")


def insert(connection: sqlite3.Connection, gist: Gist) -> str:
    """Stores a checked gist with a SUMMARIZES edge to each observation, and gives its id.

    Raises InputError where an observation is unknown.
    """
    keys = []
    for observation_id in dict.fromkeys(gist.observation_ids):
        key = observations.key_from_id(connection, observation_id)
        if key is None:
            raise InputError(f"no observation {observation_id!r} to summarise")
        keys.append(key)
    text_key = texts.intern(connection, [gist.text])[gist.text]
    episode_key = episodes.key_from_id(connection, gist.episode_id) if gist.episode_id else None
    gist_key = connection.execute(
        "INSERT INTO gist (text_key, map_key, episode_key, x, y, z, radius_m, start_ns, end_ns,"
        " observation_count, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(text_key, map_key(connection, gist.map_id, gist.map_frame), episode_key),
            *map(float, (*gist.center_map_m, gist.radius_m)),
            *(gist.start_ns, gist.end_ns),
            *(len(keys), gist.source),
        ),
    ).lastrowid
    connection.executemany(
        "INSERT INTO link VALUES ('SUMMARIZES', ?, ?, 1.0)",
        [(gist_key, key) for key in keys],
    )
    return rows.gist_id(gist_key or 0)
