"""Entities: things that observations speak of, kept when these are archived."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from itertools import combinations

from memory_nodes.errors import InputError
from memory_nodes.records import Entity, EntitySighting
from memory_nodes.store import observations, rows, texts
from memory_nodes.store.checks import check_unicode
from memory_nodes.store.database import sequence
from memory_nodes.store.object_ids import key_of

MAX_NAME_CHARS = 200
NEW_PREFIX = "new_"
"""Begins what stands for the id of an entity that is not stored yet."""
QUERY = (
    "SELECT e.*, t.text AS name, m.map_id, m.map_frame, o.object_id FROM entity e"
    " JOIN text t USING (text_key) JOIN map m ON m.map_key = e.map_key"
    " LEFT JOIN object o ON o.object_key = e.object_key"
)
"""Rows that entity_from can read."""


def check(sighting: EntitySighting) -> None:
    """Raises InputError for what cannot be written down."""
    if not sighting.name.strip() or len(sighting.name) > MAX_NAME_CHARS:
        raise InputError(f"an entity needs a name of at most {MAX_NAME_CHARS} characters")
    check_unicode("name", sighting.name)
    observations.check_stamp(sighting.stamp_ns)
    limit_m = observations.MAX_COORDINATE_M
    if not all(abs(value_m) <= limit_m for value_m in sighting.position_map_m):
        raise InputError(f"an entity at {sighting.position_map_m}: give numbers up to {limit_m} m")
    if not 0.0 < sighting.weight < math.inf:
        raise InputError(f"the weight is {sighting.weight}: give a finite one above 0")


def note_view(
    connection: sqlite3.Connection, map_key: int, sightings: Sequence[EntitySighting]
) -> list[str]:
    """Adds what one view shows to what is known; the id of each entity.

    Each pair of them counts as seen together once. Raises InputError for an unknown id.
    """
    keys = [_note(connection, map_key, sighting) for sighting in sightings]
    connection.executemany(
        "INSERT INTO link VALUES ('COOCCURS_WITH', ?, ?, 1.0)"
        " ON CONFLICT (kind, from_key, to_key) DO UPDATE SET weight = weight + 1.0",
        list(combinations(sorted(set(keys)), 2)),
    )
    return [rows.entity_id(key) for key in keys]


def key_from_id(connection: sqlite3.Connection, entity_id: str) -> int:
    """Raises InputError for an id that no entity has."""
    prefix, _, number = entity_id.partition("_")
    row = None
    if prefix == "entity" and number.isascii() and number.isdecimal() and len(number) <= 18:
        row = connection.execute(
            "SELECT entity_key FROM entity WHERE entity_key = ?", (int(number),)
        ).fetchone()
    if row is None:
        raise InputError(f"no entity {entity_id[:80]!r}")
    return int(row[0])


def entity_from(row: sqlite3.Row) -> Entity:
    return Entity(
        name=row["name"],
        map_id=row["map_id"],
        map_frame=row["map_frame"],
        position_map_m=(row["x"], row["y"], row["z"]),
        weight=row["weight"],
        first_seen_ns=row["first_seen_ns"],
        last_seen_ns=row["last_seen_ns"],
        observation_count=row["observation_count"],
        entity_id=rows.entity_id(row["entity_key"]),
        object_id=row["object_id"] or "",
    )


def _note(connection: sqlite3.Connection, map_key: int, sighting: EntitySighting) -> int:
    object_key = key_of(connection, sighting.object_id) if sighting.object_id else None
    if sighting.entity_id and not sighting.entity_id.startswith(NEW_PREFIX):
        key = key_from_id(connection, sighting.entity_id)
        _add(connection, key, sighting, object_key)
    else:
        key = _insert(connection, map_key, sighting, object_key)
    for observation_id in sighting.observation_ids:
        observation_key = observations.key_from_id(connection, observation_id)
        if observation_key is None:
            raise InputError(f"no observation {observation_id!r} that could speak of an entity")
        connection.execute(
            "INSERT OR IGNORE INTO link VALUES ('OBSERVED_IN', ?, ?, 1.0)", (key, observation_key)
        )
    return key


def _insert(
    connection: sqlite3.Connection,
    map_key: int,
    sighting: EntitySighting,
    object_key: int | None,
) -> int:
    text_key = texts.intern(connection, [sighting.name])[sighting.name]
    key = connection.execute(
        "INSERT INTO entity (text_key, map_key, object_key, x, y, z, weight, first_seen_ns,"
        " last_seen_ns, observation_count, changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(text_key, map_key, object_key),
            *(*map(float, sighting.position_map_m), float(sighting.weight)),
            *(sighting.stamp_ns, sighting.stamp_ns, len(sighting.observation_ids)),
            sequence(connection),
        ),
    ).lastrowid
    return key or 0


def _add(
    connection: sqlite3.Connection, key: int, sighting: EntitySighting, object_key: int | None
) -> None:
    x_m, y_m, z_m = map(float, sighting.position_map_m)
    new = float(sighting.weight)
    connection.execute(
        "UPDATE entity SET x = (x * weight + ? * ?) / (weight + ?),"
        " y = (y * weight + ? * ?) / (weight + ?), z = (z * weight + ? * ?) / (weight + ?),"
        " weight = weight + ?, first_seen_ns = min(first_seen_ns, ?),"
        " last_seen_ns = max(last_seen_ns, ?), observation_count = observation_count + ?,"
        " object_key = coalesce(object_key, ?), changed = ? WHERE entity_key = ?",
        (
            *(x_m, new, new, y_m, new, new, z_m, new, new, new),
            *(sighting.stamp_ns, sighting.stamp_ns, len(sighting.observation_ids)),
            *(object_key, sequence(connection), key),
        ),
    )
