"""Reads what happened: episodes, observations, entities and the history tree."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from memory_nodes.geometry import Vector3
from memory_nodes.records import (
    Entity,
    Episode,
    EpisodeStatus,
    Gist,
    Keyframe,
    Observation,
)
from memory_nodes.store import entities, episodes, observations, rows
from memory_nodes.store.database import among
from memory_nodes.store.history_reader import HistoryReader

LOOK_BACK = 10_000
"""Observations that are looked through for the last one of a layer."""


@dataclass(frozen=True)
class ObservationInEpisode:
    """An observation with what the memory knows beside it."""

    key: int
    """Ascending in the order of arrival."""
    observation: Observation
    episode_id: str
    """Empty outside of any."""
    has_gist: bool


@dataclass(frozen=True)
class Scene:
    """L1 of the history tree: what one chunk shows. Source: H-EMV, section III-A."""

    chunk_id: int
    keyframes: tuple[Keyframe, ...]
    object_ids: tuple[str, ...]
    """In the order in which they were first known."""
    relations: tuple[tuple[str, str, str], ...]
    """Subject id, predicate, object id."""


_OBSERVATIONS = f"""
SELECT o.*, EXISTS (
    SELECT 1 FROM link WHERE kind = 'SUMMARIZES' AND to_key = o.observation_key
) AS has_gist
FROM ({rows.OBSERVATION_QUERY}) o
"""


class Past(HistoryReader):
    """Reads what happened, and how it is told."""

    def episodes(self, episode_ids: Iterable[str] | None = None) -> list[Episode]:
        """The episodes with these ids, or all, in the order in which they began."""
        keys = None
        if episode_ids is not None:
            keys = [key for key in map(episodes.named_key, episode_ids) if key is not None]
        where, values = among("episode_key", keys)
        found = self._rows(f"SELECT * FROM episode {where} ORDER BY episode_key", values)
        return [rows.episode_from(row) for row in found]

    def episodes_between(self, since_ns: int, until_ns: int) -> list[Episode]:
        """The episodes that overlap a time, both ends included, in the order they began."""
        found = self._rows(
            "SELECT * FROM episode WHERE start_ns <= ? AND (end_ns IS NULL OR end_ns >= ?)"
            " ORDER BY episode_key",
            (until_ns, since_ns),
        )
        return [rows.episode_from(row) for row in found]

    def episodes_to_consolidate(self, limit: int) -> list[Episode]:
        """Episodes that have ended and whose observations have no gists yet; oldest end first."""
        found = self._rows(
            "SELECT * FROM episode WHERE NOT is_consolidated AND status != ?"
            " ORDER BY end_ns, episode_key DESC LIMIT ?",
            (EpisodeStatus.ACTIVE, limit),
        )
        return [rows.episode_from(row) for row in found]

    def observations_in(self, episode_id: str) -> list[ObservationInEpisode]:
        """What was observed in an episode, without those within it, that is not archived; by time.

        Raises InputError for an unknown id.
        """
        with self._snapshot() as connection:
            key = episodes.key_from_id(connection, episode_id)
            return self._observations(
                "o.episode_key = ? AND o.text IS NOT NULL ORDER BY o.stamp_ns, o.observation_key",
                (key,),
            )

    def free_observations(self, before_ns: int, limit: int) -> list[ObservationInEpisode]:
        """What was observed outside of episodes before a stamp and is not consolidated.

        In the order of arrival, whatever younger ones came between.
        """
        return self._observations(
            "o.observation_key IN free_waiting AND o.text IS NOT NULL AND o.stamp_ns < ?"
            " ORDER BY o.observation_key LIMIT ?",
            (before_ns, limit),
        )

    def passed_over(self) -> int:
        """How many of them wait for their time while later ones are done with."""
        query = (
            "SELECT count(*) AS passed FROM passed_over JOIN observation USING (observation_key)"
            " WHERE text_key IS NOT NULL"
        )
        return int(self._rows(query)[0]["passed"])

    def observations_after(self, key: int, limit: int) -> list[ObservationInEpisode]:
        """What arrived after an observation, in the order of arrival, archived or not."""
        return self._observations(
            "o.observation_key > ? ORDER BY o.observation_key LIMIT ?", (key, limit)
        )

    def layers(self) -> list[str]:
        """The layers on which something was ever observed, in the order they became known."""
        with self._snapshot() as connection:
            return list(observations.layers(connection))

    def last_of(self, layer: str) -> ObservationInEpisode | None:
        """The last observation of a layer, if it is among the newest ``LOOK_BACK`` of all."""
        newest = "(SELECT coalesce(max(observation_key), 0) FROM observation)"
        found = self._observations(
            f"o.layer = ? AND o.observation_key > {newest} - ? ORDER BY o.observation_key DESC"
            " LIMIT 1",
            (layer, LOOK_BACK),
        )
        return found[0] if found else None

    def observations_between(
        self, since_ns: int, until_ns: int, limit: int
    ) -> list[ObservationInEpisode]:
        """What was observed in a time, both ends included, and is not archived; by time."""
        return self._observations(
            "o.stamp_ns BETWEEN ? AND ? AND o.text_key IS NOT NULL"
            " ORDER BY o.stamp_ns, o.observation_key LIMIT ?",
            (since_ns, until_ns, limit),
        )

    def observations(self, observation_ids: Iterable[str]) -> list[ObservationInEpisode]:
        """Those of the observations with these ids that are there, in the order of arrival."""
        with self._snapshot() as connection:
            keys = [observations.key_from_id(connection, each) for each in observation_ids]
            where, values = among("o.observation_key", [key for key in keys if key is not None])
            return self._observations(
                f"{where.removeprefix('WHERE ')} ORDER BY o.observation_key", values
            )

    def entities_near(
        self, map_id: str, center_map_m: Vector3, radius_m: float
    ) -> list[tuple[Entity, int]]:
        """The entities of a map that are at most so far away, nearest first, each with the key of
        its name's text.
        """
        x_m = center_map_m[0]
        found = self._rows(
            f"{entities.QUERY} WHERE m.map_id = ? AND e.x BETWEEN ? AND ?",
            (map_id, x_m - radius_m, x_m + radius_m),
        )
        near = [
            (math.dist((row["x"], row["y"], row["z"]), center_map_m), row["entity_key"], row)
            for row in found
        ]
        near.sort(key=lambda item: item[:2])
        return [
            (entities.entity_from(row), row["text_key"])
            for distance_m, _, row in near
            if distance_m <= radius_m
        ]

    def objects_near(
        self, map_id: str, center_map_m: Vector3, radius_m: float
    ) -> list[tuple[str, tuple[str, ...], Vector3]]:
        """The objects of a map that are at most so far away, nearest first: the id, the names by
        which it may be called, and the place of each.
        """
        x_m = center_map_m[0]
        found = self._rows(
            "SELECT o.object_id, o.name, o.x, o.y, o.z, (SELECT s.type FROM object_state s"
            " WHERE s.object_key = o.object_key ORDER BY s.chunk_id DESC LIMIT 1) AS type"
            " FROM object o JOIN map m USING (map_key)"
            f" WHERE m.map_id = ? AND o.x BETWEEN ? AND ? AND o.{rows.NOT_EXPIRED}",
            (map_id, x_m - radius_m, x_m + radius_m),
        )
        near = [
            (row["object_id"], (row["type"], row["name"] or ""), (row["x"], row["y"], row["z"]))
            for row in found
        ]
        near.sort(key=lambda item: (math.dist(item[2], center_map_m), item[0]))
        return [item for item in near if math.dist(item[2], center_map_m) <= radius_m]

    def entities(self, entity_ids: Iterable[str] | None = None) -> list[Entity]:
        """The entities with these ids, or all, in the order in which they were first known."""
        with self._snapshot() as connection:
            keys = None
            if entity_ids is not None:
                keys = [entities.key_from_id(connection, entity_id) for entity_id in entity_ids]
            where, values = among("e.entity_key", keys)
            found = self._rows(f"{entities.QUERY} {where} ORDER BY e.entity_key", values)
        return [entities.entity_from(row) for row in found]

    def gists(self, map_id: str, limit: int) -> dict[str, Gist]:
        """The newest gists of a map by their ids, the newest first, without what they summarise."""
        found = self._rows(
            "SELECT g.*, m.map_id, m.map_frame, t.text FROM gist g JOIN map m USING (map_key)"
            " JOIN text t USING (text_key) WHERE m.map_id = ? ORDER BY g.end_ns DESC, g.gist_key"
            " DESC LIMIT ?",
            (map_id, limit),
        )
        return {rows.gist_id(row["gist_key"]): rows.gist_from(row) for row in found}

    def scenes_after(self, chunk_id: int, limit: int) -> list[Scene]:
        """The chunks stored after one, in order."""
        with self._snapshot():
            found = self._rows(
                "SELECT chunk_id FROM chunk WHERE chunk_id > ? ORDER BY chunk_id LIMIT ?",
                (chunk_id, limit),
            )
            return [self._scene(row["chunk_id"]) for row in found]

    def scenes_between(self, since_ns: int, until_ns: int) -> list[Scene]:
        """The chunks with a keyframe of that time, both ends included, in order."""
        with self._snapshot():
            found = self._rows(
                "SELECT DISTINCT chunk_id FROM keyframe WHERE stamp_ns BETWEEN ? AND ?"
                " ORDER BY chunk_id",
                (since_ns, until_ns),
            )
            return [self._scene(row["chunk_id"]) for row in found]

    def scene(self, chunk_id: int) -> Scene:
        """What one chunk shows; nothing for an unknown one."""
        with self._snapshot():
            return self._scene(chunk_id)

    def keyframe(self, keyframe_id: int) -> Keyframe | None:
        """None for an unknown one."""
        found = self._rows("SELECT * FROM keyframe WHERE keyframe_id = ?", (keyframe_id,))
        return rows.keyframe_from(found[0]) if found else None

    def shareable_image_path(self, keyframe_id: int) -> str:
        """Where the picture of a keyframe is, below the memory; empty for an unknown one, one
        without a picture, and one on which something that was forgotten still shows.
        """
        found = self._rows(
            "SELECT image_path FROM keyframe WHERE keyframe_id = ?"
            " EXCEPT SELECT image_path FROM image_erasure",
            (keyframe_id,),
        )
        return str(found[0]["image_path"]) if found else ""

    def _scene(self, chunk_id: int) -> Scene:
        of_chunk = (chunk_id,)
        keyframes = self._rows(
            "SELECT * FROM keyframe WHERE chunk_id = ? ORDER BY keyframe_id", of_chunk
        )
        objects = self._rows(
            "SELECT DISTINCT o.object_key, o.object_id FROM view v JOIN object o USING (object_key)"
            " JOIN keyframe k USING (keyframe_id) WHERE k.chunk_id = ? ORDER BY o.object_key",
            of_chunk,
        )
        relations = self._rows(
            "SELECT DISTINCT s.object_id AS subject, r.predicate, o.object_id AS object"
            " FROM relation r JOIN object s ON s.object_key = r.subject_key"
            " JOIN object o ON o.object_key = r.object_key"
            " JOIN keyframe k ON k.keyframe_id = r.keyframe_id WHERE k.chunk_id = ?"
            " ORDER BY r.subject_key, r.predicate, r.object_key",
            of_chunk,
        )
        return Scene(
            chunk_id,
            tuple(rows.keyframe_from(row) for row in keyframes),
            tuple(row["object_id"] for row in objects),
            tuple((row["subject"], row["predicate"], row["object"]) for row in relations),
        )

    def _observations(self, where: str, values: tuple[object, ...]) -> list[ObservationInEpisode]:
        found = self._rows(f"{_OBSERVATIONS} WHERE {where}", values)
        return [
            ObservationInEpisode(
                key=row["observation_key"],
                observation=rows.observation_from(row),
                episode_id=(
                    rows.episode_id(row["episode_key"]) if row["episode_key"] is not None else ""
                ),
                has_gist=bool(row["has_gist"]),
            )
            for row in found
        ]
