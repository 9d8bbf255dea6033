"""What is at a place: spatial_query, get_current_context."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace

from memory_nodes.answering.surroundings import OBJECTS, Around, surroundings
from memory_nodes.answering.tools.items import found, hit_item, object_item, position
from memory_nodes.answering.tools.reply import Findings, Item
from memory_nodes.answering.tools.tool import Call, Tool
from memory_nodes.answering.tools.wanted import (
    HITS,
    KINDS,
    LAYERS,
    MAP,
    PLACE,
    RADIUS,
    TIME,
    X,
    Y,
    check_layers,
    map_id,
    max_hits,
    place,
    radius_m,
    wanted,
)
from memory_nodes.episodic.lines import DETECTIONS
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


async def _get_current_context(call: Call) -> Findings:
    layers = call.arguments.names(LAYERS.name)
    await check_layers(call, layers)
    sources = call.sources
    on_map, center_map_m = await map_id(call), place(call)
    if center_map_m is None:
        _, center_map_m = await asyncio.to_thread(sources.whereabouts, on_map)
    around = Around(on_map, center_map_m, radius_m(call))
    found_there = await asyncio.to_thread(
        surroundings, sources.snapshots, sources.past, sources.search, around, call.now_ns
    )
    snapshot = await asyncio.to_thread(sources.snapshots.current)
    objects = [] if layers and DETECTIONS not in layers else found_there.objects
    items = []
    for item in objects:
        known = snapshot.objects_by_id.get(item.object_id)
        if known is not None and item.position is not None:  # unless it was forgotten meanwhile
            away_m = math.dist(item.position.point_m, found_there.center_map_m)
            items.append(object_item(known, snapshot, call, {"distance_m": away_m}))
    for told in found_there.layers:
        if told.layer in layers or (not layers and told.layer != OBJECTS):
            fields = {"kind": "layer", "layer": told.layer, "text": told.text}
            items.append(Item(fields, f"[{told.layer}]\n{told.text}"))
    return replace(
        found(items), fields=dict(position(found_there.center_map_m, found_there.map_id))
    )


SPATIAL_QUERY = Tool(
    "spatial_query",
    "Observations and objects around a place of the map, nearest first.",
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
GET_CURRENT_CONTEXT = Tool(
    "get_current_context",
    "What is around the robot or a place: objects, nearest first, the newest of each layer.",
    (*PLACE, LAYERS),
    _get_current_context,
)
