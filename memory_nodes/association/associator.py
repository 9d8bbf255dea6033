"""STOA: gives the objects of a chunk identities that hold for the whole memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from memory_nodes.association.clear_looks import ClearLookConfig, clear_looks
from memory_nodes.association.doubles import joins
from memory_nodes.association.identified import each_once, with_ids
from memory_nodes.association.known_objects import Known, KnownObjects, Newest
from memory_nodes.association.known_places import MAX_SIGHTINGS, in_view, known_places, sightings
from memory_nodes.association.looks import is_other_kind, looks_of
from memory_nodes.association.matching import frames_of, match
from memory_nodes.association.meaning import Alike, Meaning
from memory_nodes.association.prompt import association_prompt
from memory_nodes.association.reply import Decisions, read_mapping
from memory_nodes.errors import ConfigurationError, ModelError, StoreMissing
from memory_nodes.models.ports import ChatModel
from memory_nodes.parameters import parameter
from memory_nodes.records import (
    ChunkGraph,
    ClearLook,
    Keyframe,
    ObjectDescriptor,
    ObjectStatus,
)
from memory_nodes.store import moves
from memory_nodes.store.moves import Elsewhere
from memory_nodes.store.object_numbers import id_stem
from memory_nodes.store.reader import Reader

WITHOUT_MODEL = "association without the model"
"""Begins the problem line of a graph that the model did not resolve."""
WITHOUT_MEANING = "association without meaning"
"""Begins that of a graph whose texts could not be compared by their vectors."""

Shortlists = Mapping[str, Sequence[Known]]


@dataclass(frozen=True)
class AssociatorConfig:
    """How identities are resolved."""

    temperature: float = parameter(
        0.1, "of the associating model", low=0.0, high=2.0, is_dynamic=True
    )
    candidates_per_object: int = parameter(
        6,
        "known objects to ask about for each new one, by words and by place",
        low=1,
        high=50,
        is_dynamic=True,
    )


@dataclass(frozen=True)
class _Decision:
    """The known id of each local one that is known, and what the model decided."""

    known_by_local: Mapping[str, str]
    by_model: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()
    joins: tuple[tuple[str, str], ...] = ()
    """As in ChunkGraph."""


class Associator:
    """Resolves chunk graphs against the memory. Source: VL-KnG, section 6.2 (STOA).

    The model decides, where looks and places do not both speak against it. What it does not
    decide usably, and everything while it is down, is decided by looks and places, and marked
    PROVISIONAL. Between chunks it keeps nothing but an index, which follows the memory on disk.
    """

    def __init__(
        self,
        model: ChatModel | None,
        reader: Reader,
        config: AssociatorConfig,
        call_timeout_s: float,
        meaning: Meaning | None = None,
        looking: ClearLookConfig | None = None,
    ) -> None:
        self._model = model
        self._reader = reader
        self.config = config
        """May be replaced; the next chunk goes by it."""
        self._call_timeout_s = call_timeout_s
        self._meaning = meaning
        self._looking = looking if looking is not None else ClearLookConfig()
        self._known = KnownObjects(reader)

    async def resolve(self, graph: ChunkGraph) -> ChunkGraph:
        """The same graph with ids of the whole memory; every earlier chunk must be stored."""
        decision = await self._decide(graph)
        global_ids = self._global_ids(graph.objects, decision.known_by_local)
        objects = tuple(
            replace(
                seen,
                object_id=global_ids[seen.object_id],
                status=(
                    ObjectStatus.PRESENT
                    if seen.object_id in decision.by_model
                    else ObjectStatus.PROVISIONAL
                ),
            )
            for seen in graph.objects
        )
        relations, lost = with_ids(graph.relations, global_ids)
        objects = each_once(objects)
        resolved = replace(graph, objects=objects, relations=relations, resolved=True)
        return replace(
            resolved,
            new_ids=tuple(
                object_id
                for local_id, object_id in global_ids.items()
                if local_id not in decision.known_by_local
            ),
            problems=(*graph.problems, *decision.problems, *lost),
            clear_looks=self._clear_looks(resolved),
            joins=decision.joins,
        )

    def _clear_looks(self, resolved: ChunkGraph) -> tuple[ClearLook, ...]:
        """Before the problems of association are added: they say nothing about the detector."""
        rows, points_map_m = self._known.placed(_map_id(resolved))
        shown = np.flatnonzero(in_view(points_map_m, resolved.chunk))
        if not len(shown):
            return ()
        try:
            near = self._reader.newest_of_objects(self._known.ids(rows[shown]), MAX_SIGHTINGS)
            keyframes = self._reader.keyframes(sightings(near))
        except StoreMissing:
            return ()
        here = (item for item in keyframes if item.map_id == _map_id(resolved))
        shown_by = {keyframe.keyframe_id: keyframe for keyframe in here}
        return clear_looks(resolved, known_places(near, shown_by), self._looking)

    async def _decide(self, graph: ChunkGraph) -> _Decision:
        """By the model and by looks and places, or by these alone."""
        try:
            self._known.follow()
            meant, problems = await self._alike(graph.objects)
        except StoreMissing:
            return _all_new(graph.objects)
        shortlists = self._shortlists(graph, meant)
        if not any(shortlists.values()):
            return _all_new(graph.objects)
        newest = self._newest(shortlists)
        shortlists = self._with_elsewhere(shortlists, newest)
        said = Decisions({}, ())
        if self._model is not None:
            try:
                said = await self._ask(self._model, graph, newest, meant)
                problems += [*said.problems, *self._doubles(said)]
            except ModelError as error:
                problems.append(f"{WITHOUT_MODEL}: {error}")
        claims = said.known_by_local
        decided = match(graph.objects, _map_id(graph), shortlists, claims, meant)
        refused = [name for name, known_id in claims.items() if decided.get(name) != known_id]
        problems += [f"against_looks_and_place:{name}" for name in refused]
        by_model = frozenset(claims) - set(refused)
        confirmed = {name: decided[name] for name in by_model & set(decided)}
        found = (shortlists, decided, confirmed, said.same_known, meant)
        doubles = joins(graph.objects, _map_id(graph), *found, newest)
        return _Decision(decided, by_model, tuple(problems), doubles)

    async def _alike(self, local: Sequence[ObjectDescriptor]) -> tuple[Alike, list[str]]:
        """Known objects of like meaning, and why there are none."""
        if self._meaning is None:
            return {}, []
        try:
            return await self._meaning.alike(local, self.config.candidates_per_object), []
        except (ModelError, ConfigurationError) as error:
            return {}, [f"{WITHOUT_MEANING}: {error}"]

    def _shortlists(self, graph: ChunkGraph, meant: Alike) -> Shortlists:
        """Known objects that each local one may be."""
        shortlists = {}
        for seen in graph.objects:
            names = self._known.candidates(
                seen,
                _map_id(graph),
                self.config.candidates_per_object,
                list(meant.get(seen.object_id, ())),
            )
            shortlists[seen.object_id] = [self._known[name] for name in names]
        return shortlists

    def _newest(self, shortlists: Shortlists) -> Newest:
        """The newest view of each object of the shortlists, with its keyframe."""
        names = {item.item.object_id for items in shortlists.values() for item in items}
        found = self._reader.newest_of_objects(names)
        shown_by = self._reader.keyframes({item.views[-1].keyframe_id for item in found})
        keyframes = {keyframe.keyframe_id: keyframe for keyframe in shown_by}
        return {item.object_id: (item, keyframes[item.views[-1].keyframe_id]) for item in found}

    def _with_elsewhere(self, shortlists: Shortlists, newest: Newest) -> Shortlists:
        """With the places where the newest views show what is not in its place."""
        places = {object_id: self._known[object_id].item.position for object_id in newest}
        strays = {
            object_id
            for object_id, (item, shown_by) in newest.items()
            if (place := places[object_id]) is not None
            and moves.contradicts(item.views[-1], {shown_by.keyframe_id: shown_by}, place)
        }
        if not strays:
            return shortlists
        found = self._reader.newest_of_objects(strays, MAX_SIGHTINGS)
        keyframes = {item.keyframe_id: item for item in self._reader.keyframes(sightings(found))}
        seen = {item.object_id: _elsewhere(item, keyframes) for item in found}
        return {
            name: [replace(item, elsewhere=seen.get(item.item.object_id)) for item in items]
            for name, items in shortlists.items()
        }

    async def _ask(
        self, model: ChatModel, graph: ChunkGraph, newest: Newest, meant: Alike
    ) -> Decisions:
        candidates = [
            item
            if self._known[item.object_id].item.map_id == _map_id(graph)
            else replace(item, position=None)
            for item, _ in newest.values()
        ]
        shown_by = (*(keyframe for _, keyframe in newest.values()), *graph.chunk.keyframes)
        keyframes = {keyframe.keyframe_id: keyframe for keyframe in shown_by}
        relations = self._reader.newest_of_relations(newest)
        prompt = association_prompt(graph, candidates, relations, keyframes)
        prompt = replace(prompt, temperature=self.config.temperature)
        reply = await model.complete(prompt, self._call_timeout_s)
        looks = {seen.object_id: looks_of(seen) for seen in graph.objects}

        def is_other(local_id: str, known_id: str) -> bool:
            cosine = meant.get(local_id, {}).get(known_id, 0.0)
            return is_other_kind(looks[local_id], self._known[known_id].looks, cosine)

        frames = {seen.object_id: frames_of(seen) for seen in graph.objects}
        return read_mapping(
            *(reply, looks, newest, is_other),
            lambda one, other: frames[one].isdisjoint(frames[other]),
        )

    def _doubles(self, said: Decisions) -> list[str]:
        """Known objects that the model takes for one, unless a person told them apart."""
        apart = self._reader.told_apart() if said.same_known else set()
        pairs = sorted(sorted(pair) for pair in said.same_known - apart)
        return [f"may_be_one_object:{','.join(pair)}" for pair in pairs]

    def _global_ids(
        self, local: Sequence[ObjectDescriptor], known_by_local: Mapping[str, str]
    ) -> dict[str, str]:
        """The known id of each local object, or a fresh <type>_<number>."""
        stems = {seen.object_id: id_stem(seen.type) for seen in local}
        highest = self._highest_numbers(set(stems.values()))
        ids = {}
        for seen in local:
            known_id = known_by_local.get(seen.object_id)
            if known_id is None:
                stem = stems[seen.object_id]
                highest[stem] += 1
                known_id = f"{stem}{highest[stem]}"
            ids[seen.object_id] = known_id
        return ids

    def _highest_numbers(self, stems: set[str]) -> dict[str, int]:
        try:
            return self._reader.highest_numbers(stems)
        except StoreMissing:
            return dict.fromkeys(stems, 0)


def _all_new(local: Sequence[ObjectDescriptor]) -> _Decision:
    """Where nothing is known there is nothing to ask, and nothing to doubt."""
    return _Decision({}, frozenset(seen.object_id for seen in local))


def _elsewhere(item: ObjectDescriptor, keyframes: Mapping[int, Keyframe]) -> Elsewhere | None:
    """As ``moves.elsewhere``, on the map of its newest view since it moved last."""
    map_id = keyframes[item.views[-1].keyframe_id].map_id
    views = [
        view
        for view in item.views[-MAX_SIGHTINGS:]
        if view.keyframe_id >= item.placed_since and keyframes[view.keyframe_id].map_id == map_id
    ]
    return moves.elsewhere(views, keyframes, item.position) if item.position is not None else None


def _map_id(graph: ChunkGraph) -> str:
    """Of the positions of its objects."""
    return graph.chunk.keyframes[0].map_id
