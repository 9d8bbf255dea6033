"""What happened, told in short: episode_summary."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from memory_nodes.answering.tools.arguments import Argument, shown
from memory_nodes.answering.tools.items import hit_item, line, moment, short
from memory_nodes.answering.tools.reply import Findings, Item
from memory_nodes.answering.tools.tool import Call, Tool
from memory_nodes.answering.tools.wanted import HITS, MAX_HITS, TIME, max_hits, times
from memory_nodes.episodic.history.summary import MAX_LEVEL, Summary, summary
from memory_nodes.episodic.history.tree import Branch
from memory_nodes.errors import InputError
from memory_nodes.records import Episode, ItemKind
from memory_nodes.store.filters import Filter
from memory_nodes.words import stems

MAX_EPISODES = 3
MAX_NAME_CHARS = 80
_EPISODE = Argument("episode", "id or name")
_LEVEL = Argument(
    "level",
    "2 events, 3 goals, 4 and more days and above; 0, if not given, the best",
    "integer",
    low=0,
    high=MAX_LEVEL,
)


async def _episode_summary(call: Call) -> Findings:
    since_ns, until_ns = times(call)
    start_ns = 0 if since_ns is None else since_ns
    end_ns = call.now_ns if until_ns is None else until_ns
    episodes = await asyncio.to_thread(call.sources.past.episodes_between, start_ns, end_ns)
    named = call.arguments.text(_EPISODE.name)
    if named:
        episodes = _called(named, episodes)
        newest = episodes[-1]
        start_ns = max(start_ns, newest.start_ns)
        end_ns = end_ns if newest.end_ns is None else min(end_ns, newest.end_ns)
    told = await asyncio.to_thread(_summary, call, start_ns, end_ns)
    items = [_node_item(node, call) for node in told.nodes]
    if not items:
        items = await _gist_items(call, start_ns, end_ns)
    count = call.arguments.integer(HITS.name, MAX_HITS)
    newest_first = episodes[::-1][:MAX_EPISODES]
    fields = {"episodes": [_episode_fields(item, call) for item in newest_first]}
    return Findings("What happened:", tuple(items[:count]), fields)


def _called(named: str, episodes: Sequence[Episode]) -> list[Episode]:
    """The episode with this id, else those with all words of a name. Raises InputError."""
    wanted = set(stems(named))
    found = [item for item in episodes if item.episode_id == named] or [
        item for item in episodes if wanted and wanted <= set(stems(item.name))
    ]
    if not found:
        newest = ", ".join(shown(item.name) for item in episodes[::-1][:MAX_EPISODES])
        raise InputError(f"no episode {shown(named)}; the newest are {newest or 'none'}")
    return found


def _summary(call: Call, start_ns: int, end_ns: int) -> Summary:
    level = call.arguments.integer(_LEVEL.name, 0)
    return summary(call.sources.past, start_ns, end_ns, level, call.sources.dates)


async def _gist_items(call: Call, start_ns: int, end_ns: int) -> list[Item]:
    """Of what the history does not tell yet."""
    limits = Filter(kinds=(ItemKind.GIST,))
    found = await asyncio.to_thread(
        call.sources.search.between, start_ns, end_ns, max_hits(call), limits
    )
    return [hit_item(hit, call, {}) for hit in found.hits]


def _node_item(node: Branch, call: Call) -> Item:
    fields = {
        "id": node.node_id,
        "kind": node.unit,
        "text": short(node.text),
        **moment(call, "start", node.start_ns),
        **moment(call, "end", node.end_ns),
    }
    return Item(fields, line(call, node.node_id, node.text, node.end_ns))


def _episode_fields(item: Episode, call: Call) -> dict[str, object]:
    ended = {} if item.end_ns is None else moment(call, "end", item.end_ns)
    return {
        "id": item.episode_id,
        "name": item.name[:MAX_NAME_CHARS],
        "status": item.status.name.lower(),
        **moment(call, "start", item.start_ns),
        **ended,
    }


EPISODE_SUMMARY = Tool(
    "episode_summary",
    "What happened in an episode or a time, told in short.",
    (_EPISODE, *TIME, _LEVEL, HITS),
    _episode_summary,
)
