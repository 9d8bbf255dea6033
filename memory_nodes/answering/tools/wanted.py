"""The arguments that many tools share, and the part of a memory that they mean."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from memory_nodes.answering.surroundings import DEFAULT_RADIUS_M
from memory_nodes.answering.tools.arguments import Argument, shown
from memory_nodes.answering.tools.tool import Call
from memory_nodes.errors import InputError
from memory_nodes.geometry import Vector3
from memory_nodes.records import ItemKind
from memory_nodes.store.filters import Filter
from memory_nodes.store.observations import MAX_COORDINATE_M
from memory_nodes.times import TimeSpan, read_time

MAX_RADIUS_M = 1000.0
MAX_HITS = 50
_TIMES = 'for instance "-10m", "2026-12-01T14:00", "yesterday afternoon", "Monday"'

SINCE = Argument("since", f"from this time on; {_TIMES}")
UNTIL = Argument("until", "up to the end of this time")
LAYERS = Argument(
    "layers", "only of these: description, detections, place, speech, battery ...", "names"
)
X = Argument("x_m", "map frame, m", "number", low=-MAX_COORDINATE_M, high=MAX_COORDINATE_M)
Y = Argument("y_m", "map frame, m", "number", low=-MAX_COORDINATE_M, high=MAX_COORDINATE_M)
RADIUS = Argument(
    "radius_m",
    f"around x_m, y_m; {DEFAULT_RADIUS_M:g} if not given",
    "number",
    low=0.0,
    high=MAX_RADIUS_M,
)
MAP = Argument("map_id", "another map than the robot's")
HITS = Argument("max_hits", f"up to {MAX_HITS}", "integer", low=1, high=MAX_HITS)
KINDS = Argument("kinds", "only these", "names", choices=("observation", "object", "gist"))

TIME = (SINCE, UNTIL)
PLACE = (X, Y, RADIUS, MAP)


async def wanted(call: Call, *kinds: ItemKind) -> Filter:
    """What the shared arguments leave, of these kinds or of all.

    Layers are those of observations: with them no other kind is left. Raises InputError with a
    hint for what is not understood, or not known.
    """
    since_ns, until_ns = times(call)
    layers = call.arguments.names(LAYERS.name)
    await check_layers(call, layers)
    limited = Filter(since_ns=since_ns, until_ns=until_ns, layers=layers, kinds=kinds)
    center_map_m = place(call)
    if center_map_m is None:
        return replace(limited, map_id=call.arguments.text(MAP.name))
    return replace(
        limited,
        center_map_m=center_map_m,
        radius_m=radius_m(call),
        ignore_height=True,
        map_id=await map_id(call),
    )


def times(call: Call) -> tuple[int | None, int | None]:
    """Stamps of since and until, each None where it is not given."""
    since, until = _time(call, SINCE.name), _time(call, UNTIL.name)
    since_ns = None if since is None else max(0, since.since_ns)
    until_ns = None if until is None else until.until_ns
    if since_ns is not None and until_ns is not None and since_ns > until_ns:
        raise InputError("since is after until: exchange them")
    return since_ns, until_ns


def read_span(call: Call, name: str, text: str) -> TimeSpan:
    """What a text means as a time. Raises InputError with a hint where that is not known."""
    span = read_time(text, call.now_ns, call.sources.dates)
    if span is None:
        raise InputError(f"{name} is {shown(text)}, which is no time: give {_TIMES}")
    return span


def place(call: Call) -> Vector3 | None:
    """The point on the floor that is asked for."""
    x_m, y_m = call.arguments.number(X.name), call.arguments.number(Y.name)
    if x_m is None and y_m is None:
        return None
    if x_m is None or y_m is None:
        raise InputError("a place needs both x_m and y_m")
    return (x_m, y_m, 0.0)


def radius_m(call: Call) -> float:
    given = call.arguments.number(RADIUS.name)
    return DEFAULT_RADIUS_M if given is None else given


async def map_id(call: Call) -> str:
    """The map that is asked for, or the one that the robot is on."""
    return call.arguments.text(MAP.name) or await asyncio.to_thread(call.sources.map_now)


def max_hits(call: Call) -> int:
    return call.arguments.integer(HITS.name, call.max_hits)


def _time(call: Call, name: str) -> TimeSpan | None:
    text = call.arguments.text(name)
    return read_span(call, name, text) if text else None


async def check_layers(call: Call, layers: tuple[str, ...]) -> None:
    """Raises InputError with a hint for a layer that the memory does not know."""
    if not layers:
        return
    known = await asyncio.to_thread(call.sources.past.layers)
    for layer in layers:
        if layer not in known:
            raise InputError(f"no layer {shown(layer)}: there are {', '.join(known)}")
