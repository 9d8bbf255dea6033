"""Where a thing was seen last, by what observations say: each place by itself, never a mean."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable
from dataclasses import replace

from memory_nodes.answering.naming import named
from memory_nodes.answering.recall import Recall
from memory_nodes.answering.tools.tool import Call
from memory_nodes.episodic.chunk_observations import is_of_chunk
from memory_nodes.episodic.lines import SPOKEN_LAYERS
from memory_nodes.episodic.things import is_said_in
from memory_nodes.records import ItemKind
from memory_nodes.retrieval.mentions import without_quotes
from memory_nodes.store.filters import Filter
from memory_nodes.store.hits import Hit
from memory_nodes.store.observations import is_interoceptive
from memory_nodes.store.sightings import Sighting

SAME_PLACE_M = 2.0
"""What was seen no farther apart may be one thing."""
_LOOKED_THROUGH = 300
_PER_TEXT = 5


async def newest_sightings(
    call: Call, thing: str, limits: Filter, *, with_chunks: bool
) -> list[Sighting]:
    """The newest sighting at each place where a thing was seen, newest first.

    ``with_chunks``: also those in observations that were made of chunks, as the objects were.
    """
    name = named(thing)
    listed = await asyncio.to_thread(Recall(call.sources.sightings).sightings, name, limits)
    told = await _told(call, name, limits)
    seen = [*listed, *told]
    if not with_chunks:
        seen = [item for item in seen if not is_of_chunk(item.observation_id)]
    return _one_for_each_place(seen)


async def _told(call: Call, name: str, limits: Filter) -> list[Sighting]:
    """Observations in whose texts a thing is named."""
    known = await asyncio.to_thread(call.sources.past.layers)
    layers = limits.layers or tuple(
        layer for layer in known if layer not in SPOKEN_LAYERS and not is_interoceptive(layer)
    )
    wanted = replace(limits, layers=layers, kinds=(ItemKind.OBSERVATION,))
    found = await asyncio.to_thread(
        call.sources.search.words, name, _LOOKED_THROUGH, wanted, per_text=_PER_TEXT
    )
    return [
        sighting_of(hit, name) for hit in found.hits if is_said_in(name, without_quotes(hit.text))
    ]


def sighting_of(hit: Hit, name: str) -> Sighting:
    """That a thing was named in an observation."""
    assert hit.position_map_m is not None, "an observation has a place"
    return Sighting(name, hit.item_id, hit.end_ns, hit.map_id, hit.position_map_m, hit.layer)


def _one_for_each_place(sightings: Iterable[Sighting]) -> list[Sighting]:
    kept: list[Sighting] = []
    for seen in sorted(sightings, key=lambda item: (-item.stamp_ns, item.observation_id)):
        if not any(_may_be_one(seen, newer) for newer in kept):
            kept.append(seen)
    return kept


def _may_be_one(one: Sighting, other: Sighting) -> bool:
    if one.entity_id and one.entity_id == other.entity_id:
        return True
    return (
        one.map_id == other.map_id
        and math.dist(one.position_map_m, other.position_map_m) <= SAME_PLACE_M
    )
