"""Entities: things that observations speak of, kept when these are archived."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


def note_views(
    connection: sqlite3.Connection, map_key: int, views: Sequence[Sequence[EntitySighting]]
) -> list[str]:
    """Adds what views show to what is known; the id of each entity, as they come first.

    Each pair of them counts as seen together once a view. What the views tell of one entity is
    summed up and written once, so that others wait less. Raises InputError for an unknown id.
    """
    told: dict[str | int, list[EntitySighting]] = {}
    together: list[list[str | int]] = []
    for view in views:
        together.append([])
        for sighting in view:
            name = sighting.entity_id or len(told)  # without an id it is one of its own
            told.setdefault(name, []).append(sighting)
            together[-1].append(name)
    of_id = _observation_keys(connection, views)
    keys = {name: _note(connection, map_key, seen, of_id) for name, seen in told.items()}
    pairs: Counter[tuple[int, int]] = Counter()
    alike = Counter(frozenset(keys[name] for name in names) for names in together)
    for shown, count in alike.items():
        for one, other in combinations(sorted(shown), 2):
            pairs[one, other] += count
    connection.executemany(
        "INSERT INTO link VALUES ('COOCCURS_WITH', ?, ?, ?)"
        " ON CONFLICT (kind, from_key, to_key) DO UPDATE SET weight = weight + excluded.weight",
        [(*pair, float(count)) for pair, count in pairs.items()],
    )
    return [rows.entity_id(key) for key in keys.values()]


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


@dataclass(frozen=True)
class _Sum:
    """What several sightings tell of one entity."""

    position_map_m: Vector3
    """The mean, by weight."""
    weight: float
    first_seen_ns: int
    last_seen_ns: int
    object_key: int | None


def _observation_keys(
    connection: sqlite3.Connection, views: Sequence[Sequence[EntitySighting]]
) -> dict[str, int]:
    keys: dict[str, int] = {}
    sightings = (seen for view in views for seen in view)
    for observation_id in {each for seen in sightings for each in seen.observation_ids}:
        key = observations.key_from_id(connection, observation_id)
        if key is None:
            raise InputError(f"no observation {observation_id!r} that could speak of an entity")
        keys[observation_id] = key
    return keys


def _note(
    connection: sqlite3.Connection,
    map_key: int,
    sightings: Sequence[EntitySighting],
    of_id: Mapping[str, int],
) -> int:
    """Adds sightings of one entity, and gives its key."""
    first, total = sightings[0], _sum(connection, sightings)
    if first.entity_id and not first.entity_id.startswith(NEW_PREFIX):
        key = key_from_id(connection, first.entity_id)
        _add(connection, key, total)
    else:
        key = _insert(connection, map_key, first.name, total)
    weights: defaultdict[int, float] = defaultdict(float)
    for seen in sightings:
        for observation_id in seen.observation_ids:
            weights[of_id[observation_id]] += seen.weight / len(seen.observation_ids)
    fresh = _link(connection, key, weights)
    connection.execute(
        "UPDATE entity SET observation_count = observation_count + ? WHERE entity_key = ?",
        (fresh, key),
    )
    return key


def _sum(connection: sqlite3.Connection, sightings: Sequence[EntitySighting]) -> _Sum:
    weight = sum(float(seen.weight) for seen in sightings)
    x_m, y_m, z_m = (
        sum(float(seen.position_map_m[axis]) * seen.weight for seen in sightings) / weight
        for axis in range(3)
    )
    object_ids = dict.fromkeys(seen.object_id for seen in sightings if seen.object_id)
    object_keys = (key_of(connection, object_id) for object_id in object_ids)
    return _Sum(
        position_map_m=(x_m, y_m, z_m),
        weight=weight,
        first_seen_ns=min(seen.stamp_ns for seen in sightings),
        last_seen_ns=max(seen.stamp_ns for seen in sightings),
        object_key=next((key for key in object_keys if key is not None), None),
    )


def _link(connection: sqlite3.Connection, key: int, weights: Mapping[int, float]) -> int:
    """How many observations speak of the entity for the first time; their weights grow anyway."""
    known = connection.execute(
        "SELECT to_key FROM link WHERE kind = 'OBSERVED_IN' AND from_key = ?"
        " AND to_key BETWEEN ? AND ?",
        (key, min(weights), max(weights)),
    ).fetchall()
    connection.executemany(
        "INSERT INTO link VALUES ('OBSERVED_IN', ?, ?, ?)"
        " ON CONFLICT (kind, from_key, to_key) DO UPDATE SET weight = weight + excluded.weight",
        [(key, observation_key, weight) for observation_key, weight in weights.items()],
    )
    return len(weights.keys() - {row["to_key"] for row in known})


def _insert(connection: sqlite3.Connection, map_key: int, name: str, total: _Sum) -> int:
    text_key = texts.intern(connection, [name])[name]
    key = connection.execute(
        "INSERT INTO entity (text_key, map_key, object_key, x, y, z, weight, first_seen_ns,"
        " last_seen_ns, observation_count, changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)",
        (
            *(text_key, map_key, total.object_key, *total.position_map_m, total.weight),
            *(total.first_seen_ns, total.last_seen_ns, sequence(connection)),
        ),
    ).lastrowid
    return key or 0


def _add(connection: sqlite3.Connection, key: int, total: _Sum) -> None:
    (x_m, y_m, z_m), new = total.position_map_m, total.weight
    connection.execute(
        "UPDATE entity SET x = (x * weight + ? * ?) / (weight + ?),"
        " y = (y * weight + ? * ?) / (weight + ?), z = (z * weight + ? * ?) / (weight + ?),"
        " weight = weight + ?, first_seen_ns = min(first_seen_ns, ?),"
        " last_seen_ns = max(last_seen_ns, ?), object_key = coalesce(object_key, ?), changed = ?"
        " WHERE entity_key = ?",
        (
            *(x_m, new, new, y_m, new, new, z_m, new, new, new),
            *(total.first_seen_ns, total.last_seen_ns),
            *(total.object_key, sequence(connection), key),
        ),
    )
