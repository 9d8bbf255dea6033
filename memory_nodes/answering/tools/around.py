"""What is at a place: spatial_query."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from memory_nodes.answering.tools.items import found, hit_item
from memory_nodes.answering.tools.reply import Findings
from memory_nodes.answering.tools.tool import Call, Tool
from memory_nodes.answering.tools.wanted import (
    HITS,
    KINDS,
    LAYERS,
    MAP,
    RADIUS,
    TIME,
    X,
    Y,
    max_hits,
    wanted,
)
from memory_nodes.records import ItemKind
from memory_nodes.store.hits import Hit

REPEATS = 10
"""So many times the hits wanted are looked at: a robot at rest says much again."""


async def _spatial_query(call: Call) -> Findings:
    kinds = call.arguments.names(KINDS.name) or KINDS.choices
    limits = await wanted(call, *(ItemKind[kind.upper()] for kind in kinds))
    assert limits.center_map_m is not None, "both numbers are required"
    around = replace(limits, center_map_m=None, radius_m=0.0)
    near = await asyncio.to_thread(
        call.sources.search.near,
        limits.center_map_m,
        limits.radius_m,
        REPEATS * max_hits(call),
        around,
    )
    hits = _without_repeats(near.hits)[: max_hits(call)]
    return found([hit_item(hit, call, {"distance_m": -hit.score}) for hit in hits])


def _without_repeats(hits: tuple[Hit, ...]) -> list[Hit]:
    """Of observations with one text the nearest."""
    said: dict[tuple[str, ...], Hit] = {}
    for hit in hits:
        is_said = hit.kind == ItemKind.OBSERVATION
        said.setdefault((hit.layer, hit.text) if is_said else (hit.item_id,), hit)
    return list(said.values())


SPATIAL_QUERY = Tool(
    "spatial_query",
    "What was observed and which objects are around a place of the map, nearest first.",
    (
        replace(X, is_required=True),
        replace(Y, is_required=True),
        RADIUS,
        MAP,
        KINDS,
        LAYERS,
        *TIME,
        HITS,
    ),
    _spatial_query,
)
