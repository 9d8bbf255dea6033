"""Which entities a piece shows: known ones that it speaks of again, and new ones."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memory_nodes.episodic.pieces import Piece, extent
from memory_nodes.episodic.things import is_meant, name_key
from memory_nodes.errors import ConfigurationError, ModelError
from memory_nodes.geometry import Vector3
from memory_nodes.models.ports import TextEmbedder
from memory_nodes.parameters import parameter
from memory_nodes.records import EntitySighting
from memory_nodes.store.entities import NEW_PREFIX
from memory_nodes.store.past import ObservationInEpisode, Past
from memory_nodes.vectors import Vector

MIN_WEIGHT = 0.01
"""Of an observation that nobody is sure of."""
MAX_KEPT_VECTORS = 10_000

Said = Mapping[str, Sequence[ObservationInEpisode]]
"""Names, and the observations that say them."""
_Pair = tuple[tuple[str, ...], tuple[str, ...]]
"""Keys of a name and of that of a known entity."""


@dataclass(frozen=True)
class EntityConfig:
    """When two names mean one entity."""

    entity_similarity: float = parameter(
        0.85, "cosine from which on two names mean the same", low=0.0, high=1.0
    )
    entity_radius_m: float = parameter(
        5.0, "so far apart a name means the same thing still", unit="m", low=0.0, high=1000.0
    )


@dataclass
class _Entity:
    """A known entity, or one that this piece shows first."""

    entity_id: str
    name: str
    position_m: Vector3
    weight: float

    def add(self, position_m: Vector3, weight: float) -> None:
        x_m, y_m, z_m = (
            (old * self.weight + new * weight) / (self.weight + weight)
            for old, new in zip(self.position_m, position_m, strict=True)
        )
        self.position_m = (x_m, y_m, z_m)
        self.weight += weight


@dataclass(frozen=True)
class _View:
    """What was said at one moment in one place."""

    stamp_ns: int
    position_m: Vector3
    said: dict[str, list[ObservationInEpisode]]


class Entities:
    """Finds the entities of a piece. Source: eMEM, entities.

    Two names mean one entity where they are within ``entity_radius_m`` of each other and the same
    but for case and number, or where the one may mean the other (``things.is_meant``) and does by
    the embedder.
    """

    def __init__(self, past: Past, embedder: TextEmbedder | None, config: EntityConfig) -> None:
        self._past = past
        self._embedder = embedder
        self._config = config
        self._vectors: dict[str, Vector] = {}
        self.problem: str | None = None
        """Why names are compared without the embedder."""

    async def views(
        self, piece: Piece, said: Said, timeout_s: float
    ) -> tuple[tuple[EntitySighting, ...], ...]:
        """What each view of a piece shows, by time; as Writer.add_piece wants it."""
        if not said:
            return ()
        first = piece[0].observation
        center_m, radius_m = extent(piece)
        reach_m = radius_m + self._config.entity_radius_m
        near = await asyncio.to_thread(self._past.entities_near, first.map_id, center_m, reach_m)
        objects = await asyncio.to_thread(self._past.objects_near, first.map_id, center_m, reach_m)
        known = [
            _Entity(entity.entity_id, entity.name, entity.position_map_m, entity.weight)
            for entity, _ in near
            if entity.map_frame == first.map_frame
        ]
        alike = await self._alike(list(said), [entity.name for entity in known], timeout_s)
        return tuple(tuple(self._sightings(view, known, alike, objects)) for view in _views(said))

    def _sightings(
        self,
        view: _View,
        known: list[_Entity],
        alike: Mapping[_Pair, float],
        objects: Sequence[tuple[str, tuple[str, ...], Vector3]],
    ) -> Iterator[EntitySighting]:
        found: dict[str, tuple[_Entity, list[ObservationInEpisode]]] = {}
        for name, items in view.said.items():
            entity = self._known(name, view.position_m, known, alike)
            if entity is None:
                entity = _Entity(f"{NEW_PREFIX}{len(known)}", name, view.position_m, 0.0)
                known.append(entity)
            found.setdefault(entity.entity_id, (entity, []))[1].extend(items)
        for entity, items in found.values():
            weight = max(MIN_WEIGHT, *(item.observation.confidence for item in items))
            entity.add(view.position_m, weight)
            yield EntitySighting(
                name=entity.name,
                position_map_m=view.position_m,
                weight=weight,
                stamp_ns=view.stamp_ns,
                observation_ids=tuple(
                    dict.fromkeys(item.observation.observation_id for item in items)
                ),
                entity_id=entity.entity_id,
                object_id=self._object(entity, objects),
            )

    def _known(
        self,
        name: str,
        position_m: Vector3,
        known: Sequence[_Entity],
        alike: Mapping[_Pair, float],
    ) -> _Entity | None:
        """The entity that a name means at a place: the most alike, then the nearest."""
        ranked = [
            (-likeness, distance_m, number)
            for number, entity in enumerate(known)
            if (distance_m := math.dist(entity.position_m, position_m))
            <= self._config.entity_radius_m
            and (likeness := alike.get(_pair(name, entity.name), 0.0)) > 0.0
        ]
        return known[min(ranked)[2]] if ranked else None

    def _object(
        self, entity: _Entity, objects: Sequence[tuple[str, tuple[str, ...], Vector3]]
    ) -> str:
        """The id of the nearest object that is called so; empty where there is none."""
        key = name_key(entity.name)
        near = [
            (math.dist(position_m, entity.position_m), object_id)
            for object_id, names, position_m in objects
            if key in (name_key(name.replace("_", " ")) for name in names)
        ]
        distance_m, object_id = min(near, default=(math.inf, ""))
        return object_id if distance_m <= self._config.entity_radius_m else ""

    async def _alike(
        self, names: Sequence[str], known: Sequence[str], timeout_s: float
    ) -> dict[_Pair, float]:
        """How alike the pairs of names are that mean one entity, by their keys."""
        alike = {_pair(name, name): 1.0 for name in names}
        pairs = {
            _pair(name, other): (name, other)
            for name in names
            for other in (*names, *known)
            if name_key(name) != name_key(other) and is_meant(name, other)
        }
        if self._embedder is None or not pairs:
            return alike
        try:
            await self._embed(self._embedder, pairs.values(), timeout_s)
        except (ModelError, ConfigurationError) as error:
            self.problem = f"names of entities are compared by their words: {error}"
            return alike
        self.problem = None
        for pair, (one, other) in pairs.items():
            cosine = float(self._vectors[one] @ self._vectors[other])
            if cosine >= self._config.entity_similarity:
                alike[pair] = cosine
        return alike

    async def _embed(
        self, embedder: TextEmbedder, pairs: Collection[tuple[str, str]], timeout_s: float
    ) -> None:
        wanted = list(dict.fromkeys(name for pair in pairs for name in pair))
        if len(self._vectors) + len(wanted) > MAX_KEPT_VECTORS:
            self._vectors.clear()
        unknown = [name for name in wanted if name not in self._vectors]
        if unknown:
            vectors = await embedder.embed(unknown, timeout_s)
            self._vectors |= dict(zip(unknown, vectors, strict=True))


def _views(said: Said) -> list[_View]:
    """By time; names of one view that differ in case and number only are one."""
    views: dict[tuple[int, Vector3], _View] = {}
    for name, items in said.items():
        for item in items:
            seen = item.observation
            place = (seen.stamp_ns, seen.map_from_base.position_m)
            view = views.setdefault(place, _View(*place, {}))
            view.said.setdefault(name, []).append(item)
    return [views[place] for place in sorted(views)]


def _pair(name: str, known: str) -> _Pair:
    return name_key(name), name_key(known)
