"""What is found by what it says: semantic_search, search_gists, recall."""

from __future__ import annotations

import asyncio

from memory_nodes.answering.tools.arguments import Argument
from memory_nodes.answering.tools.equals import newest_of_equals
from memory_nodes.answering.tools.graph_objects import fitting_objects
from memory_nodes.answering.tools.items import found, hit_item, object_item
from memory_nodes.answering.tools.reply import Findings
from memory_nodes.answering.tools.tool import Call, Tool
from memory_nodes.answering.tools.wanted import HITS, LAYERS, PLACE, TIME, max_hits, wanted
from memory_nodes.records import ItemKind
from memory_nodes.store.filters import Filter
from memory_nodes.store.observations import MAX_STAMP_NS
from memory_nodes.store.ranking.fusion import reciprocal_rank

COMPARED = 20
"""The best hits, among which the newest is looked for however few are wanted."""
_QUERY = Argument("query", "what to look for, in plain words", is_required=True)
_GIST_QUERY = Argument("query", "if not given, the newest come")


async def _semantic_search(call: Call) -> Findings:
    return await _hybrid(call, await wanted(call, ItemKind.OBSERVATION, ItemKind.GIST))


async def _search_gists(call: Call) -> Findings:
    limits = await wanted(call, ItemKind.GIST)
    if call.arguments.text(_GIST_QUERY.name):
        return await _hybrid(call, limits)
    newest = await asyncio.to_thread(
        call.sources.search.between, 0, MAX_STAMP_NS, max_hits(call), limits
    )
    return found([hit_item(hit, call, {}) for hit in newest.hits])


async def _hybrid(call: Call, limits: Filter) -> Findings:
    query, count = call.arguments.text(_QUERY.name), max_hits(call)
    hits, problems = await call.sources.hybrid(query, max(count, COMPARED), limits)
    ordered = newest_of_equals(query, hits)[:count]
    return found([hit_item(hit, call) for hit in ordered], problems)


async def _recall(call: Call) -> Findings:
    """By ranks: scores of the graph and of texts cannot be compared."""
    query, count = call.arguments.text(_QUERY.name), max_hits(call)
    limits = await wanted(call, ItemKind.OBSERVATION, ItemKind.GIST, ItemKind.ENTITY)
    hits, problems = await call.sources.hybrid(query, count, limits)
    fitting = await fitting_objects(call, query, limits)
    items = [hit_item(hit, call) for hit in hits]
    items += [
        object_item(item, fitting.snapshot, call, {"confidence": sure})
        for item, sure in zip(fitting.objects[:count], fitting.confidences, strict=False)
    ]
    rankings = {"texts": range(len(hits)), "graph": range(len(hits), len(items))}
    ranked = reciprocal_rank(rankings, dict.fromkeys(rankings, 1.0))
    return found([items[key] for key, _ in ranked[:count]], (*problems, *fitting.problems))


SEMANTIC_SEARCH = Tool(
    "semantic_search",
    "Observations and summaries that fit a query by meaning and words, best first.",
    (_QUERY, LAYERS, *TIME, *PLACE, HITS),
    _semantic_search,
)
SEARCH_GISTS = Tool(
    "search_gists",
    "Summaries of places and times; the tool for what is long ago.",
    (_GIST_QUERY, *TIME, *PLACE, HITS),
    _search_gists,
)
RECALL = Tool(
    "recall",
    "Objects, observations, summaries and named things that fit a query. The tool to begin with.",
    (_QUERY, LAYERS, *TIME, *PLACE, HITS),
    _recall,
)
