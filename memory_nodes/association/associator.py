"""STOA: gives the objects of a chunk identities that hold for the whole memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory_nodes.association.clear_looks import ClearLookConfig, clear_looks
from memory_nodes.association.known_places import in_view, known_places, sightings
from memory_nodes.association.matching import could_be_one, match, shortlist
from memory_nodes.association.prompt import association_prompt
from memory_nodes.association.reply import read_mapping
from memory_nodes.errors import ModelError, StoreMissing
from memory_nodes.models.ports import ChatModel
from memory_nodes.parameters import parameter
from memory_nodes.records import (
    ChunkGraph,
    ClearLook,
    ObjectDescriptor,
    ObjectStatus,
    Relation,
)
from memory_nodes.store.reader import Reader

WITHOUT_MODEL = "association without the model"
"""Begins the problem line of a graph that the model did not resolve."""


@dataclass(frozen=True)
class AssociatorConfig:
    """How identities are resolved."""

    temperature: float = parameter(0.1, "of the associating model", low=0.0, high=2.0)
    candidates_per_object: int = parameter(
        6, "known objects to ask about for each new one, by words and by place", low=1, high=50
    )


@dataclass(frozen=True)
class _Decision:
    """A known id for each local one, None for a new object, and who decided."""

    known_by_local: dict[str, str | None]
    by_model: frozenset[str]
    problems: tuple[str, ...]


class Associator:
    """Resolves chunk graphs against the memory. Source: VL-KnG, section 6.2 (STOA).

    The model decides; what it does not decide usably, and everything while it is down, is
    decided by words and places, and marked PROVISIONAL.
    """

    def __init__(
        self,
        model: ChatModel | None,
        reader: Reader,
        config: AssociatorConfig,
        call_timeout_s: float,
        looking: ClearLookConfig | None = None,
    ) -> None:
        self._model = model
        self._reader = reader
        self._config = config
        self._call_timeout_s = call_timeout_s
        self._looking = looking if looking is not None else ClearLookConfig()

    async def resolve(self, graph: ChunkGraph) -> ChunkGraph:
        """The same graph with ids of the whole memory; every earlier chunk must be stored."""
        known = self._known_objects(graph)
        living = [item for item in known if item.status != ObjectStatus.EXPIRED]
        candidates = shortlist(graph.objects, living, self._config.candidates_per_object)
        decision = await self._decide(graph, candidates)
        global_ids = _global_ids(graph.objects, decision.known_by_local, known)
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
        relations = tuple(
            replace(
                relation,
                subject_id=global_ids[relation.subject_id],
                object_id=global_ids[relation.object_id],
            )
            for relation in graph.relations
        )
        resolved = replace(graph, objects=objects, relations=relations, resolved=True)
        return replace(
            resolved,
            problems=(*graph.problems, *decision.problems),
            clear_looks=self._clear_looks(resolved, living),
        )

    def _clear_looks(
        self, resolved: ChunkGraph, known: Sequence[ObjectDescriptor]
    ) -> tuple[ClearLook, ...]:
        """Before the problems of association are added: they say nothing about the detector."""
        near = in_view(known, resolved.chunk)
        if not near:
            return ()
        shown_by = {item.keyframe_id: item for item in self._reader.keyframes(sightings(near))}
        return clear_looks(resolved, known_places(near, shown_by), self._looking)

    def _known_objects(self, graph: ChunkGraph) -> list[ObjectDescriptor]:
        """Objects of the same map: places on another map mean nothing here."""
        try:
            known = self._reader.objects()
            ids_of_map = self._reader.keyframe_ids_of_map(graph.chunk.keyframes[0].map_id)
        except StoreMissing:
            return []
        return [
            descriptor
            if descriptor.views[-1].keyframe_id in ids_of_map
            else replace(descriptor, position=None)
            for descriptor in known
        ]

    async def _decide(self, graph: ChunkGraph, candidates: Sequence[ObjectDescriptor]) -> _Decision:
        """By the model where it can, by words and places where not."""
        decided: dict[str, str | None] = {}
        problems: tuple[str, ...] = ()
        if not candidates:
            everything = {seen.object_id: None for seen in graph.objects}
            return _Decision(dict(everything), frozenset(everything), ())
        if self._model is not None and graph.objects:
            try:
                decided, problems = await self._ask(self._model, graph, candidates)
            except ModelError as error:
                problems = (f"{WITHOUT_MODEL}: {error}",)
        taken = set(decided.values())
        fallback = match(
            [seen for seen in graph.objects if seen.object_id not in decided],
            [candidate for candidate in candidates if candidate.object_id not in taken],
        )
        everyone = {
            seen.object_id: decided.get(seen.object_id, fallback.get(seen.object_id))
            for seen in graph.objects
        }
        return _Decision(everyone, frozenset(decided), problems)

    async def _ask(
        self, model: ChatModel, graph: ChunkGraph, candidates: Sequence[ObjectDescriptor]
    ) -> tuple[dict[str, str | None], tuple[str, ...]]:
        candidate_ids = {candidate.object_id for candidate in candidates}
        newest = {candidate.views[-1].keyframe_id for candidate in candidates}
        keyframes = {
            keyframe.keyframe_id: keyframe
            for keyframe in (*self._reader.keyframes(newest), *graph.chunk.keyframes)
        }
        relations: list[Relation] = [
            relation
            for relation in self._reader.relations()
            if relation.subject_id in candidate_ids
        ]
        prompt = association_prompt(graph, candidates, relations, keyframes)
        prompt = replace(prompt, temperature=self._config.temperature)
        reply = await model.complete(prompt, self._call_timeout_s)
        local = {seen.object_id: seen.type for seen in graph.objects}
        decisions = read_mapping(reply, local, _types_to_accept(graph.objects, candidates))
        return decisions.known_by_local, decisions.problems


def _types_to_accept(
    local: Sequence[ObjectDescriptor], candidates: Sequence[ObjectDescriptor]
) -> dict[str, set[str]]:
    """The types under which each candidate may come back.

    Words vary from chunk to chunk (a couch is the sofa of before), and telling that is what the
    model is asked for. So a type is refused only where nothing speaks for it: no word in common,
    and another place.
    """
    return {
        candidate.object_id: {
            candidate.type,
            *(seen.type for seen in local if could_be_one(seen, candidate)),
        }
        for candidate in candidates
    }


def _global_ids(
    local: Sequence[ObjectDescriptor],
    known_by_local: dict[str, str | None],
    known: Sequence[ObjectDescriptor],
) -> dict[str, str]:
    """The known id of each local object, or a fresh <type>_<number>."""
    highest: dict[str, int] = {}
    for descriptor in known:
        stem, _, number = descriptor.object_id.rpartition("_")
        highest[stem] = max(highest.get(stem, 0), int(number))
    ids = {}
    for seen in local:
        known_id = known_by_local[seen.object_id]
        if known_id is None:
            stem = re.sub(r"\W+", "_", seen.type.lower()).strip("_") or "object"
            highest[stem] = highest.get(stem, 0) + 1
            known_id = f"{stem}_{highest[stem]}"
        ids[seen.object_id] = known_id
    return ids
