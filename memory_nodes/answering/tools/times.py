"""What was observed when: temporal_query."""

from __future__ import annotations

import asyncio

from memory_nodes.answering.tools.arguments import Argument
from memory_nodes.answering.tools.items import found, hit_item
from memory_nodes.answering.tools.reply import Findings
from memory_nodes.answering.tools.tool import Call, Tool
from memory_nodes.answering.tools.wanted import (
    HITS,
    LAYERS,
    PLACE,
    TIME,
    max_hits,
    read_span,
    wanted,
)
from memory_nodes.records import ItemKind
from memory_nodes.store.observations import MAX_STAMP_NS

_WHEN = Argument("when", 'as people say it: "last two hours", "2 May"')
_ORDER = Argument("order", "newest if not given", choices=("newest", "oldest"))


async def _temporal_query(call: Call) -> Findings:
    limits = await wanted(call, ItemKind.OBSERVATION, ItemKind.GIST)
    since_ns, until_ns = 0, MAX_STAMP_NS
    if text := call.arguments.text(_WHEN.name):
        span = read_span(call, _WHEN.name, text)
        since_ns, until_ns = max(0, span.since_ns), span.until_ns
    hits = await asyncio.to_thread(
        call.sources.search.between,
        since_ns,
        until_ns,
        max_hits(call),
        limits,
        oldest_first=call.arguments.text(_ORDER.name) == "oldest",
    )
    return found([hit_item(hit, call, {}) for hit in hits.hits])


TEMPORAL_QUERY = Tool(
    "temporal_query",
    "What was observed in a time, by time; without one what came last, or first.",
    (_WHEN, *TIME, _ORDER, LAYERS, *PLACE, HITS),
    _temporal_query,
)
