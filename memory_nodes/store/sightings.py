"""Reads when and where things were observed; what is archived keeps its time and place."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from memory_nodes.geometry import Vector3
from memory_nodes.records import Observation
from memory_nodes.store import rows
from memory_nodes.store.database import among
from memory_nodes.store.filters import Filter
from memory_nodes.store.read_only import ReadOnly


@dataclass(frozen=True)
class Sighting:
    """An observation that speaks of a thing."""

    name: str
    observation_id: str
    stamp_ns: int
    map_id: str
    position_map_m: Vector3
    """Of the robot."""
    layer: str
    entity_id: str = ""
    """Empty before the observation is consolidated."""


_SIGHTINGS = (
    "SELECT DISTINCT t.text AS name, e.entity_key, o.observation_key, o.public_id, o.stamp_ns,"
    " m.map_id, o.x, o.y, o.z, y.name AS layer FROM {source}"
    " JOIN entity e ON e.entity_key = l.from_key JOIN text t ON t.text_key = e.text_key"
    " JOIN map m ON m.map_key = o.map_key JOIN layer y ON y.layer_key = o.layer_key {where}"
    " ORDER BY o.stamp_ns, o.observation_key"
)
_BY_ENTITY = "link l JOIN observation o ON o.observation_key = l.to_key"
_BY_GIST = (
    "gist g JOIN link s ON s.kind = 'SUMMARIZES' AND s.from_key = g.gist_key"
    " JOIN observation o ON o.observation_key = s.to_key"
    " JOIN link l ON l.kind = 'OBSERVED_IN' AND l.to_key = s.to_key"
)
"""What an entity was observed in has a gist, which tells what is worth reading."""

_WITHOUT_GIST = f"""
WITH untold AS (
    SELECT observation_key FROM observation INDEXED BY observation_free
    WHERE episode_key IS NULL AND text_key IS NOT NULL
    UNION ALL SELECT observation_key FROM episode e
    CROSS JOIN observation o ON o.episode_key = e.episode_key WHERE NOT e.is_consolidated
)
{rows.OBSERVATION_QUERY} WHERE o.observation_key IN untold AND l.name = ?
AND o.text_key IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM link WHERE kind = 'SUMMARIZES' AND to_key = o.observation_key
) ORDER BY o.stamp_ns, o.observation_key
"""


class Sightings(ReadOnly):
    """Reads which things were observed, by name, time and place."""

    def names(self) -> list[str]:
        """Every name that an entity has, once."""
        found = self._rows(
            "SELECT DISTINCT text FROM entity JOIN text USING (text_key) ORDER BY text"
        )
        return [row["text"] for row in found]

    def of(self, names: Sequence[str]) -> list[Sighting]:
        """Of all entities with one of these names, by time."""
        where, values = among("t.text", names)
        query = _SIGHTINGS.format(source=_BY_ENTITY, where=f"{where} AND l.kind = 'OBSERVED_IN'")
        return [_sighting(row) for row in self._rows(query, values)]

    def within(self, wanted: Filter) -> list[Sighting]:
        """Of all entities in a time, on a map, from around a place; by time."""
        since_ns = 0 if wanted.since_ns is None else wanted.since_ns
        until_ns = 2**63 - 1 if wanted.until_ns is None else wanted.until_ns
        x_m, y_m, _ = wanted.center_map_m if wanted.center_map_m is not None else (0.0,) * 3
        reach_m = math.inf if wanted.center_map_m is None else wanted.radius_m
        query = _SIGHTINGS.format(
            source=_BY_GIST,
            where="WHERE g.end_ns >= ? AND g.start_ns <= ? AND o.stamp_ns BETWEEN ? AND ?"
            " AND (m.map_id = ? OR ? = '') AND abs(g.x - ?) <= g.radius_m + ?"
            " AND abs(g.y - ?) <= g.radius_m + ?",
        )
        found = self._rows(
            query,
            (
                *(since_ns, until_ns, since_ns, until_ns, wanted.map_id, wanted.map_id),
                *(x_m, reach_m, y_m, reach_m),
            ),
        )
        near = (_sighting(row) for row in found)
        return [item for item in near if wanted.accepts_point(item.position_map_m)]

    def without_gist(self, layer: str) -> list[Observation]:
        """What was observed on a layer and no gist tells of, by time: it waits for one, or is too
        rare in its place to get one.
        """
        found = self._rows(_WITHOUT_GIST, (layer,))
        return [rows.observation_from(row) for row in found]

    def together_with(self, names: Sequence[str]) -> dict[str, int]:
        """What was seen in one view with entities of these names, and in how many views."""
        where, values = among("t.text", names)
        found = self._rows(
            "WITH named AS (SELECT e.entity_key FROM entity e JOIN text t USING (text_key)"
            f" {where}), pair AS ("
            "SELECT to_key AS other, weight FROM link JOIN named ON from_key = entity_key"
            " WHERE kind = 'COOCCURS_WITH' UNION ALL"
            " SELECT from_key, weight FROM link JOIN named ON to_key = entity_key"
            " WHERE kind = 'COOCCURS_WITH')"
            " SELECT t.text, sum(p.weight) AS views FROM pair p JOIN entity e"
            " ON e.entity_key = p.other JOIN text t USING (text_key)"
            " WHERE p.other NOT IN (SELECT entity_key FROM named)"
            " GROUP BY t.text ORDER BY views DESC, t.text",
            values,
        )
        return {row["text"]: round(row["views"]) for row in found}


def _sighting(row: sqlite3.Row) -> Sighting:
    return Sighting(
        name=row["name"],
        observation_id=row["public_id"] or rows.observation_id(row["observation_key"]),
        stamp_ns=row["stamp_ns"],
        map_id=row["map_id"],
        position_map_m=(row["x"], row["y"], row["z"]),
        layer=row["layer"],
        entity_id=rows.entity_id(row["entity_key"]),
    )
