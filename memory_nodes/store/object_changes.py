"""What became of the objects since a commit, without their views."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from memory_nodes.geometry import PointEstimate
from memory_nodes.records import ItemKind, ObjectStatus
from memory_nodes.store import database, rows

_OBJECTS = (
    "SELECT o.object_key, o.object_id, o.status, o.last_seen_ns, o.name,"
    " (SELECT count(*) FROM clear_look c WHERE c.object_key = o.object_key) AS clear_looks,"
    " o.x, o.y, o.z, o.covariance_m2, m.map_id FROM object o LEFT JOIN map m USING (map_key)"
    f" WHERE o.changed > ? AND {rows.NOT_EXPIRED} ORDER BY o.object_key"
)
# What was said in the same words by many chunks is read once.
_STATES = (
    "SELECT object_key, type, description, attributes, affordances FROM object_state"
    " WHERE object_key IN (SELECT object_key FROM object WHERE changed > ?)"
    " GROUP BY object_key, type, description, attributes, affordances ORDER BY max(chunk_id)"
)


@dataclass(frozen=True)
class KnownObject:
    """As much of an object as it takes to find those that may be seen again."""

    object_key: int
    object_id: str
    types: tuple[str, ...]
    """Every type that it was ever given, and the name that a person gave it; the newest last."""
    texts: tuple[str, ...] = ()
    """Every description, attribute and affordance, and the name that a person gave it."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    """The newest ones."""
    position: PointEstimate | None = None
    map_id: str = ""
    """Of the position."""
    last_seen_ns: int = 0
    status: ObjectStatus = ObjectStatus.PRESENT
    clear_looks: int = 0
    """How often its place was in clear view without it, since it was seen last."""


@dataclass(frozen=True)
class ObjectChanges:
    """The objects that are new or different, and those that are gone, up to one commit."""

    sequence: int
    """The commit."""
    is_whole: bool
    """Whether ``changed`` are all objects there are: whatever else was known is gone.

    Objects that have expired are none."""
    changed: tuple[KnownObject, ...]
    gone_keys: tuple[int, ...] = ()
    """They left before ``changed`` came: a key may be used again."""


@dataclass(frozen=True)
class Span:
    """The commits that a reader has to take over."""

    since: int
    """What it knows; -1: it has to read everything."""
    newest: int
    gone_keys: tuple[int, ...] = ()
    """Of objects that left."""

    @property
    def is_whole(self) -> bool:
        return self.since < 0


def span(connection: sqlite3.Connection, since: int) -> Span:
    """From the commit that a reader knows; everything with -1, or where that is too old."""
    newest = database.sequence(connection)
    floor = connection.execute("SELECT sequence FROM tombstone_floor").fetchone()[0]
    if since < floor or since > newest:
        return Span(-1, newest)
    gone = connection.execute(
        "SELECT key FROM tombstone WHERE sequence > ? AND kind = ?", (since, int(ItemKind.OBJECT))
    )
    return Span(since, newest, tuple(row[0] for row in gone))


def changes_since(connection: sqlite3.Connection, since: int) -> ObjectChanges:
    """All that was committed after ``since``."""
    past = span(connection, since)
    changed = _known_objects(connection, past.since)
    return ObjectChanges(past.newest, past.is_whole, changed, past.gone_keys)


def _known_objects(connection: sqlite3.Connection, since: int) -> tuple[KnownObject, ...]:
    states: dict[int, list[sqlite3.Row]] = defaultdict(list)
    for state in connection.execute(_STATES, (since,)):
        states[state["object_key"]].append(state)
    found = connection.execute(_OBJECTS, (since,))
    return tuple(_known_object(row, states[row["object_key"]]) for row in found)


def _known_object(row: sqlite3.Row, states: list[sqlite3.Row]) -> KnownObject:
    attributes: dict[str, str] = {}
    texts: dict[str, None] = {}
    for state in states:
        attributes = json.loads(state["attributes"])
        said = (state["description"], *attributes.values(), *json.loads(state["affordances"]))
        texts.update(dict.fromkeys(said))
    types = tuple(dict.fromkeys(state["type"] for state in reversed(states)))[::-1]
    if row["name"]:  # what a person calls a thing is a word for its kind, too
        texts[row["name"]] = None
        types = (row["name"], *types)
    return KnownObject(
        object_key=row["object_key"],
        object_id=row["object_id"],
        types=types,
        texts=tuple(text for text in texts if text),
        attributes=attributes,
        position=rows.position_from(row),
        map_id=row["map_id"] or "",
        last_seen_ns=row["last_seen_ns"],
        status=ObjectStatus(row["status"]),
        clear_looks=row["clear_looks"],
    )
