"""How the robot itself is: body_status. Source: eMEM, interoception."""

from __future__ import annotations

import asyncio
import re
from itertools import islice

from memory_nodes.answering.tools.arguments import shown
from memory_nodes.answering.tools.items import found, hit_item
from memory_nodes.answering.tools.reply import Findings
from memory_nodes.answering.tools.tool import Call, Tool
from memory_nodes.answering.tools.wanted import HITS, LAYERS, TIME, check_layers, max_hits, times
from memory_nodes.errors import InputError
from memory_nodes.store.filters import Filter
from memory_nodes.store.hits import Hit
from memory_nodes.store.observations import MAX_STAMP_NS, is_interoceptive

LOOKED_THROUGH = 200
"""Newest observations of a layer, among which the newest of each thing is."""
_NUMBER = re.compile(r"-?\d")


async def _body_status(call: Call) -> Findings:
    since_ns, until_ns = times(call)
    newest: list[Hit] = []
    for layer in await _body_layers(call):
        hits = await asyncio.to_thread(
            call.sources.search.between,
            0 if since_ns is None else since_ns,
            MAX_STAMP_NS if until_ns is None else until_ns,
            LOOKED_THROUGH,
            Filter(layers=(layer,)),
        )
        newest += islice(_newest_of_each(hits.hits).values(), max_hits(call))
    return found([hit_item(hit, call, {}) for hit in newest])


def _newest_of_each(hits: tuple[Hit, ...]) -> dict[str, Hit]:
    """A text is of the thing that it names before its first number: 'battery 43 %, charging'."""
    said: dict[str, Hit] = {}
    for hit in hits:
        said.setdefault(_NUMBER.split(hit.text, maxsplit=1)[0], hit)
    return said


async def _body_layers(call: Call) -> list[str]:
    asked = call.arguments.names(LAYERS.name)
    await check_layers(call, asked)
    for layer in asked:
        if not is_interoceptive(layer):
            raise InputError(f"{shown(layer)} is no layer about the robot's body: use recall")
    known = await asyncio.to_thread(call.sources.past.layers)
    return list(asked) or [layer for layer in known if is_interoceptive(layer)]


BODY_STATUS = Tool(
    "body_status",
    "How the robot itself is, or was: battery, diagnostics, temperatures.",
    (LAYERS, *TIME, HITS),
    _body_status,
)
