"""Where a thing is: locate."""

from __future__ import annotations

from memory_nodes.answering.naming import named
from memory_nodes.answering.tools.arguments import Argument
from memory_nodes.answering.tools.graph_objects import FittingObjects, fitting_objects
from memory_nodes.answering.tools.items import line, moment, object_item, position
from memory_nodes.answering.tools.reply import Findings, Item
from memory_nodes.answering.tools.sightings import newest_sightings
from memory_nodes.answering.tools.tool import Call, Tool
from memory_nodes.answering.tools.wanted import HITS, LAYERS, PLACE, TIME, max_hits, wanted
from memory_nodes.episodic.things import name_key
from memory_nodes.records import ObjectDescriptor
from memory_nodes.store.filters import Filter
from memory_nodes.store.sightings import Sighting

EQUAL_SHARE = 0.9
"""Objects of at least this share of the best confidence are meant as well: the latest counts."""
OTHER_NAME = 0.8
"""Confidence of what is called by a longer name: a red mug for a mug."""
_THING = Argument("thing", '"red mug", or the id of an object', is_required=True)


async def _locate(call: Call) -> Findings:
    thing, limits = call.arguments.text(_THING.name), await wanted(call)
    known = await fitting_objects(call, thing, limits)
    objects = _latest_first(known)
    items = [
        *(_sighting_item(seen, thing, call) for seen in await _told_of(call, thing, limits, known)),
        *(object_item(item, known.snapshot, call, {"confidence": sure}) for item, sure in objects),
    ][: max_hits(call)]
    if not items:
        return Findings("Not found: it was not seen.", (), {"found": False}, known.problems)
    fields = {"found": True, "first_hit": "the latest sighting; the others are alternatives"}
    return Findings("Seen last, then alternatives:", tuple(items), fields, known.problems)


async def _told_of(call: Call, thing: str, limits: Filter, known: FittingObjects) -> list[Sighting]:
    """What observations tell; of objects only what came later, and not from their pictures."""
    if known.is_by_id:
        return []
    seen = await newest_sightings(call, thing, limits, with_chunks=not known.objects)
    until_ns = max((item.last_seen_ns for item in known.objects), default=-1)
    return [item for item in seen if item.stamp_ns > until_ns]


def _latest_first(known: FittingObjects) -> list[tuple[ObjectDescriptor, float]]:
    """Those that fit as well as the best by when they were seen, then the others as they fit."""
    pairs = list(zip(known.objects, known.confidences, strict=True))
    least = EQUAL_SHARE * max(known.confidences, default=0.0)
    equal = [pair for pair in pairs if pair[1] >= least]
    equal.sort(key=lambda pair: -pair[0].last_seen_ns)
    return equal + [pair for pair in pairs if pair[1] < least]


def _sighting_item(seen: Sighting, thing: str, call: Call) -> Item:
    """What an observation tells; the place is where the robot was then."""
    is_same = name_key(seen.name) == name_key(named(thing))
    fields = {
        "id": seen.observation_id,
        "kind": "observation",
        "confidence": 1.0 if is_same else OTHER_NAME,
        "name": seen.name,
        **moment(call, "at", seen.stamp_ns),
        **position(seen.position_map_m, seen.map_id),
        "position_of": "robot",
        "layer": seen.layer,
    }
    told = line(call, seen.observation_id, seen.name, seen.stamp_ns, seen.position_map_m)
    return Item(fields, told)


LOCATE = Tool(
    "locate",
    "Where a thing is: its latest sighting, then others that may be meant; found is false for what "
    "was never seen.",
    (_THING, LAYERS, *TIME, *PLACE, HITS),
    _locate,
)
