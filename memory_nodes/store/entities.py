"""Entities: things that observations speak of, kept when these are archived."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from itertools import combinations

from memory_nodes.errors import InputError
from memory_nodes.geometry import Vector3
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
    check_thing(sighting.name, sighting.position_map_m, sighting.weight)
    if not sighting.observation_ids:
        raise InputError(f"no observation speaks of {sighting.name!r}: give those that do")
    observations.check_stamp(sighting.stamp_ns)


def check_thing(name: str, position_map_m: Vector3, weight: float) -> None:
    """Raises InputError for what no entity may be called, where it may not be, or weigh."""
    if not name.strip() or len(name) > MAX_NAME_CHARS:
        raise InputError(f"an entity needs a name of at most {MAX_NAME_CHARS} characters")
    check_unicode("name", name)
    limit_m = observations.MAX_COORDINATE_M
    if not all(abs(value_m) <= limit_m for value_m in position_map_m):
        raise InputError(f"an entity at {position_map_m}: give numbers up to {limit_m} m")
    if not 0.0 < weight < math.inf:
        raise InputError(f"the weight is {weight}: give a finite one above 0")


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


def retell(connection: sqlite3.Connection, key: int) -> None:
    """Tells an entity anew from the observations that speak of it still, archived or not.

    Its place becomes the mean of where these were made: what the others added is not known.
    """
    connection.execute(
        "UPDATE entity SET (x, y, z, weight, first_seen_ns, last_seen_ns, observation_count)"
        " = (SELECT sum(weight * x) / sum(weight), sum(weight * y) / sum(weight),"
        " sum(weight * z) / sum(weight), sum(weight), min(stamp_ns), max(stamp_ns), count(*)"
        " FROM (SELECT l.weight, o.x, o.y, o.z, o.stamp_ns FROM link l"
        " JOIN observation o ON o.observation_key = l.to_key"
        " WHERE l.kind = 'OBSERVED_IN' AND l.from_key = ?)), changed = ? WHERE entity_key = ?",
        (key, sequence(connection), key),
    )


def _note(connection: sqlite3.Connection, map_key: int, sighting: EntitySighting) -> int:
    object_key = key_of(connection, sighting.object_id) if sighting.object_id else None
    if sighting.entity_id and not sighting.entity_id.startswith(NEW_PREFIX):
        key = key_from_id(connection, sighting.entity_id)
        _add(connection, key, sighting, object_key)
    else:
        key = _insert(connection, map_key, sighting, object_key)
    fresh = sum(
        _link(connection, key, observation_id, sighting.weight / len(sighting.observation_ids))
        for observation_id in sighting.observation_ids
    )
    connection.execute(
        "UPDATE entity SET observation_count = observation_count + ? WHERE entity_key = ?",
        (fresh, key),
    )
    return key


def _link(connection: sqlite3.Connection, key: int, observation_id: str, weight: float) -> bool:
    """Whether the observation speaks of the entity for the first time; its weight grows anyway."""
    observation_key = observations.key_from_id(connection, observation_id)
    if observation_key is None:
        raise InputError(f"no observation {observation_id!r} that could speak of an entity")
    known = connection.execute(
        "UPDATE link SET weight = weight + ? WHERE kind = 'OBSERVED_IN' AND from_key = ?"
        " AND to_key = ?",
        (weight, key, observation_key),
    ).rowcount
    if not known:
        connection.execute(
            "INSERT INTO link VALUES ('OBSERVED_IN', ?, ?, ?)", (key, observation_key, weight)
        )
    return not known


def _insert(
    connection: sqlite3.Connection,
    map_key: int,
    sighting: EntitySighting,
    object_key: int | None,
) -> int:
    text_key = texts.intern(connection, [sighting.name])[sighting.name]
    key = connection.execute(
        "INSERT INTO entity (text_key, map_key, object_key, x, y, z, weight, first_seen_ns,"
        " last_seen_ns, observation_count, changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)",
        (
            *(text_key, map_key, object_key),
            *(*map(float, sighting.position_map_m), float(sighting.weight)),
            *(sighting.stamp_ns, sighting.stamp_ns, sequence(connection)),
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
        " last_seen_ns = max(last_seen_ns, ?), object_key = coalesce(object_key, ?), changed = ?"
        " WHERE entity_key = ?",
        (
            *(x_m, new, new, y_m, new, new, z_m, new, new, new),
            *(sighting.stamp_ns, sighting.stamp_ns),
            *(object_key, sequence(connection), key),
        ),
    )
