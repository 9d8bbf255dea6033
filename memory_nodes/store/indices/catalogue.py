"""What there is to find, in memory: times, places and keys of all items, following the writer."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_nodes.records import ItemKind
from memory_nodes.store import episodes
from memory_nodes.store.filters import Filter
from memory_nodes.store.indices.columns import Condition
from memory_nodes.store.indices.items import Items
from memory_nodes.store.map_corrections import SHIFTED
from memory_nodes.store.placed import Placed
from memory_nodes.store.rows import NOT_EXPIRED

KINDS = (ItemKind.OBSERVATION, ItemKind.OBJECT, ItemKind.GIST, ItemKind.ENTITY)

_QUERIES: Mapping[ItemKind, tuple[str, tuple[str, ...]]] = {
    ItemKind.OBSERVATION: (
        "SELECT observation_key, stamp_ns, text_key, map_key, layer_key,"
        " coalesce(episode_key, 0), x, y, z FROM observation"
        " WHERE text_key IS NOT NULL AND observation_key {which} ORDER BY observation_key",
        ("key", "start_ns", "text_key", "map_key", "layer_key", "episode_key", "x", "y", "z"),
    ),
    ItemKind.GIST: (
        "SELECT gist_key, start_ns, end_ns, text_key, map_key, coalesce(episode_key, 0),"
        " x, y, z, radius_m FROM gist WHERE gist_key {which} ORDER BY gist_key",
        (
            *("key", "start_ns", "end_ns", "text_key", "map_key", "episode_key"),
            *("x", "y", "z", "radius_m"),
        ),
    ),
    ItemKind.OBJECT: (
        "SELECT o.object_key, o.first_seen_ns, o.last_seen_ns, coalesce(o.text_key, 0),"
        " coalesce(o.map_key, 0), o.x, o.y, o.z, coalesce((SELECT type FROM object_state s"
        " WHERE s.object_key = o.object_key AND chunk_id = o.pinned_chunk_id),"
        " (SELECT type FROM object_state s WHERE s.object_key = o.object_key"
        " ORDER BY chunk_id DESC LIMIT 1))"
        " FROM object o WHERE (o.changed > ? OR o.object_key > ?)"
        f" AND {NOT_EXPIRED} ORDER BY o.object_key",
        ("key", "start_ns", "end_ns", "text_key", "map_key", "x", "y", "z", "type_key"),
    ),
    ItemKind.ENTITY: (
        "SELECT entity_key, first_seen_ns, last_seen_ns, text_key, map_key, x, y, z FROM entity"
        " WHERE changed > ? OR entity_key > ? ORDER BY entity_key",
        ("key", "start_ns", "end_ns", "text_key", "map_key", "x", "y", "z"),
    ),
}
_FIXED = {ItemKind.OBSERVATION: Placed.OBSERVATION, ItemKind.GIST: Placed.GIST}
"""Rows that only ever change when their map moves."""
_SUBEPISODES = """
WITH RECURSIVE inside (episode_key) AS (
    VALUES (?)
    UNION SELECT e.episode_key FROM episode e JOIN inside ON e.parent_key = inside.episode_key
) SELECT episode_key FROM inside
"""


class Catalogue:
    """All items by kind. Not safe in threads: its owner reads under a lock."""

    def __init__(self) -> None:
        self.items = {kind: Items() for kind in KINDS}
        self._types: dict[str, int] = {}

    def __len__(self) -> int:
        return sum(map(len, self.items.values()))

    def restore(self, observations: Mapping[str, NDArray[Any]]) -> None:
        """Takes rows of observations from a cache; only into an empty catalogue."""
        self.items[ItemKind.OBSERVATION].append(observations)

    def follow(self, connection: sqlite3.Connection, since: int) -> None:
        """Takes over what changed after commit ``since``; with -1 everything there is."""
        for kind in KINDS:
            gone = connection.execute(
                "SELECT key FROM tombstone WHERE sequence > ? AND kind = ?", (since, int(kind))
            ).fetchall()
            if gone:
                self.items[kind].remove(np.array(gone, np.int64)[:, 0])
        for kind, placed in _FIXED.items():
            items, (query, names) = self.items[kind], _QUERIES[kind]
            last_key = items.columns.last_key
            newer = connection.execute(query.format(which="> ?"), (last_key,)).fetchall()
            if newer:
                items.append(_fixed(newer, names))
            values = (since, int(placed), last_key)
            where = f"IN ({SHIFTED} AND a.key <= ?)"
            corrected = connection.execute(query.format(which=where), values).fetchall()
            if corrected:
                items.put(_fixed(corrected, names))
        for kind in (ItemKind.OBJECT, ItemKind.ENTITY):
            self._follow_changing(connection, kind, since)

    def condition(self, connection: sqlite3.Connection, wanted: Filter) -> Condition:
        """The filter with its names as keys; a name that is unknown fits nothing."""
        types = tuple(self._types.get(name.lower(), -1) for name in wanted.object_types)
        return Condition(
            since_ns=wanted.since_ns,
            until_ns=wanted.until_ns,
            map_keys=map_keys(connection, wanted.map_id) if wanted.map_id else None,
            layer_keys=_layer_keys(connection, wanted.layers) if wanted.layers else None,
            episode_keys=(
                _episode_keys(connection, wanted.episode_id) if wanted.episode_id else None
            ),
            type_keys=types if types else None,
            center_map_m=wanted.center_map_m,
            radius_m=wanted.radius_m,
            ignore_height=wanted.ignore_height,
        )

    def _follow_changing(self, connection: sqlite3.Connection, kind: ItemKind, since: int) -> None:
        """Objects and entities change: what is known of one is overwritten."""
        query, names = _QUERIES[kind]
        items = self.items[kind]
        found = connection.execute(query, (since, items.columns.last_key)).fetchall()
        if kind == ItemKind.OBJECT:
            found = [(*row[:-1], self._type_key(row[-1])) for row in found]
        if found:
            items.put(_named(found, names))

    def _type_key(self, type_name: str | None) -> int:
        return self._types.setdefault((type_name or "").lower(), len(self._types) + 1)


def map_keys(connection: sqlite3.Connection, map_id: str) -> tuple[int, ...]:
    """The keys of a map in all its frames, of every map where no id is given."""
    query = "SELECT map_key FROM map WHERE ? IN ('', map_id)"
    return tuple(row[0] for row in connection.execute(query, (map_id,))) or (-1,)


def _named(rows: Sequence[Any], names: Sequence[str]) -> dict[str, NDArray[Any]]:
    columns = zip(*rows, strict=True)
    return {
        name: np.array(column, np.float64 if name in ("x", "y", "z", "radius_m") else np.int64)
        for name, column in zip(names, columns, strict=True)
    }


def _fixed(rows: Sequence[Any], names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Where no end is given, a row is of one moment."""
    columns = _named(rows, names)
    return {"end_ns": columns["start_ns"], **columns}


def _layer_keys(connection: sqlite3.Connection, layers: tuple[str, ...]) -> tuple[int, ...]:
    found = connection.execute(
        "SELECT layer_key FROM layer WHERE name IN (SELECT value FROM json_each(?))",
        (json.dumps(layers),),
    )
    return tuple(row[0] for row in found) or (-1,)


def _episode_keys(connection: sqlite3.Connection, episode_id: str) -> tuple[int, ...]:
    key = episodes.named_key(episode_id)
    if key is None:
        return (-1,)
    return tuple(row[0] for row in connection.execute(_SUBEPISODES, (key,)))
