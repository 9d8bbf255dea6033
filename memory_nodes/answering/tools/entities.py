"""Things that observations speak of: entity_query."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import islice

from memory_nodes.answering.naming import named
from memory_nodes.answering.recall import Recall
from memory_nodes.answering.tools.arguments import Argument
from memory_nodes.answering.tools.items import line, moment, position
from memory_nodes.answering.tools.reply import Findings, Item
from memory_nodes.answering.tools.tool import Call, Tool
from memory_nodes.answering.tools.wanted import HITS, LAYERS, PLACE, TIME, max_hits, wanted
from memory_nodes.errors import InputError
from memory_nodes.records import Entity, ItemKind
from memory_nodes.store.filters import Filter
from memory_nodes.store.sightings import Sighting

MAX_COMPANIONS = 5
MAX_SIMILAR = 5
_NAME = Argument("name", '"red mug"; without it all things of a time or place')


async def _entity_query(call: Call) -> Findings:
    limits = await wanted(call)
    given = call.arguments.text(_NAME.name)
    if not given and limits == Filter():
        raise InputError("too much: give a name, a time or a place")
    name = named(given)
    recall = Recall(call.sources.sightings)
    groups = await asyncio.to_thread(recall.things, limits, name)
    if not groups:
        return Findings("Not found.", (), {"found": False, **await _similar(call, name)})
    groups = groups[: max_hits(call)]
    ids = [group[-1].entity_id for group in groups if group[-1].entity_id]
    known = {
        item.entity_id: item for item in await asyncio.to_thread(call.sources.past.entities, ids)
    }
    fields: dict[str, object] = {"found": True}
    if name:
        fields |= await asyncio.to_thread(_companions, recall, name)
    items = tuple(_entity_item(group, known, call) for group in groups)
    return Findings("Things, the one that was seen last first:", items, fields)


def _companions(recall: Recall, name: str) -> dict[str, object]:
    """What was seen in one view with it, and in how many views."""
    together = dict(islice(recall.together_with(name).items(), MAX_COMPANIONS))
    return {"seen_with": together} if together else {}


async def _similar(call: Call, name: str) -> dict[str, object]:
    """Names of things that may be meant, where none has this name."""
    if not name:
        return {}
    hits, _ = await call.sources.hybrid(name, MAX_SIMILAR, Filter(kinds=(ItemKind.ENTITY,)))
    names = list(dict.fromkeys(hit.text for hit in hits))
    return {"similar_names": names} if names else {}


def _entity_item(group: Sequence[Sighting], known: Mapping[str, Entity], call: Call) -> Item:
    """A thing with its newest sighting: what an entity's own place is the mean of, it is not."""
    newest = group[-1]
    entity = known.get(newest.entity_id)
    item_id = newest.entity_id or newest.observation_id
    object_id = entity.object_id if entity is not None else ""
    fields = {
        "id": item_id,
        "kind": "entity",
        "name": newest.name,
        "observations": len({item.observation_id for item in group}),
        **moment(call, "first_seen", group[0].stamp_ns),
        **moment(call, "last_seen", newest.stamp_ns),
        **position(newest.position_map_m, newest.map_id),
        "position_of": "robot",
        "observation_id": newest.observation_id,
    }
    if object_id:
        fields["object_id"] = object_id
    told = line(call, item_id, newest.name, newest.stamp_ns, newest.position_map_m)
    return Item(fields, told, (object_id,) if object_id else ())


ENTITY_QUERY = Tool(
    "entity_query",
    "Things by name: when first and last seen, how often, from where, and with what.",
    (_NAME, LAYERS, *TIME, *PLACE, HITS),
    _entity_query,
)
