"""What a search found, in full."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from memory_nodes.geometry import Vector3
from memory_nodes.records import ItemKind
from memory_nodes.store import rows

Scored: TypeAlias = tuple[ItemKind, int, float]
"""Kind, key and score of an item."""


@dataclass(frozen=True)
class Hit:
    """One item that was found."""

    kind: ItemKind
    item_id: str
    """Its public id: observation_17, mug_3, gist_4, entity_2 or what an observer named it."""
    text: str
    score: float
    """By meaning the cosine, -1 to 1; by words the negative bm25; fused the sum of reciprocal
    ranks; by place the negative distance, m; by time 0. More is better."""
    start_ns: int
    end_ns: int
    """The same for an observation; of an object or an entity when it was seen first and last."""
    map_id: str
    position_map_m: Vector3 | None
    """None for an object whose place is not known."""
    radius_m: float = 0.0
    layer: str = ""
    episode_id: str = ""
    confidence: float = 1.0


_QUERIES: Mapping[ItemKind, str] = {
    ItemKind.OBSERVATION: (
        "SELECT o.observation_key AS key, o.public_id, t.text, o.stamp_ns AS start_ns,"
        " o.stamp_ns AS end_ns, m.map_id, o.x, o.y, o.z, 0.0 AS radius_m, l.name AS layer,"
        " o.episode_key, o.confidence FROM observation o JOIN map m USING (map_key)"
        " JOIN layer l USING (layer_key) LEFT JOIN text t USING (text_key)"
        " WHERE o.observation_key IN (SELECT value FROM json_each(?))"
    ),
    ItemKind.OBJECT: (
        "SELECT o.object_key AS key, o.object_id AS public_id, t.text,"
        " o.first_seen_ns AS start_ns, o.last_seen_ns AS end_ns, coalesce(m.map_id, '') AS map_id,"
        " o.x, o.y, o.z, 0.0 AS radius_m, '' AS layer, NULL AS episode_key, 1.0 AS confidence"
        " FROM object o LEFT JOIN map m USING (map_key) LEFT JOIN text t USING (text_key)"
        " WHERE o.object_key IN (SELECT value FROM json_each(?))"
    ),
    ItemKind.GIST: (
        "SELECT g.gist_key AS key, NULL AS public_id, t.text, g.start_ns, g.end_ns, m.map_id,"
        " g.x, g.y, g.z, g.radius_m, '' AS layer, g.episode_key, 1.0 AS confidence"
        " FROM gist g JOIN map m USING (map_key) JOIN text t USING (text_key)"
        " WHERE g.gist_key IN (SELECT value FROM json_each(?))"
    ),
    ItemKind.ENTITY: (
        "SELECT e.entity_key AS key, NULL AS public_id, t.text, e.first_seen_ns AS start_ns,"
        " e.last_seen_ns AS end_ns, m.map_id, e.x, e.y, e.z, 0.0 AS radius_m, '' AS layer,"
        " NULL AS episode_key, 1.0 AS confidence"
        " FROM entity e JOIN map m USING (map_key) JOIN text t USING (text_key)"
        " WHERE e.entity_key IN (SELECT value FROM json_each(?))"
    ),
}
_ID_OF: Mapping[ItemKind, Callable[[int], str]] = {
    ItemKind.OBSERVATION: rows.observation_id,
    ItemKind.GIST: rows.gist_id,
    ItemKind.ENTITY: rows.entity_id,
}
"""Of items that nobody has given an id."""


def load(connection: sqlite3.Connection, scored: Sequence[Scored]) -> tuple[Hit, ...]:
    """The items in full, in the same order."""
    found: dict[tuple[ItemKind, int], sqlite3.Row] = {}
    for kind, query in _QUERIES.items():
        keys = [key for item_kind, key, _ in scored if item_kind == kind]
        if keys:
            for row in connection.execute(query, (json.dumps(keys),)):
                found[kind, row["key"]] = row
    return tuple(
        _hit(kind, found[kind, key], score) for kind, key, score in scored if (kind, key) in found
    )


def _hit(kind: ItemKind, row: sqlite3.Row, score: float) -> Hit:
    key, public_id, text, start_ns, end_ns, map_id, x, y, z, radius_m, layer, episode_key, sure = (
        row
    )
    if public_id is None:
        public_id = _ID_OF[kind](key)
    return Hit(
        kind=kind,
        item_id=public_id,
        text=text or "",
        score=score,
        start_ns=start_ns,
        end_ns=end_ns,
        map_id=map_id,
        position_map_m=(x, y, z) if x is not None else None,
        radius_m=radius_m,
        layer=layer,
        episode_id=rows.episode_id(episode_key) if episode_key is not None else "",
        confidence=sure,
    )
