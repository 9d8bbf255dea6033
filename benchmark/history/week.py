"""One synthetic week, told by a real language model."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmark.history.lengths import LATER_NS
from benchmark.language_server import CALL_TIMEOUT_S
from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.teller import HistoryTeller
from memory_nodes.episodic.history.tree import Branch, HistoryTree
from memory_nodes.models.openai_chat import chat_for
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.records import HistoryUnit
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer, WriterConfig
from memory_test_support.household.histories import DATES, FIRST_DAY, random_history, remember

SEED = 3
EPISODES = 36
PER_DAY = (7, 8)
"""Enough to be grouped."""
TELLS_GOALS = False
"""On two cores a goal takes a minute; days show how well a model groups."""


def week_figures(base_url: str) -> dict[str, Any]:
    """groupings_valid_at_try: replies to the grouping prompt that could be used at the first,
    second and third try, and those never; tokens_per_day: in and out, of days with episodes;
    tree: what the model made of it, down to goals.
    """
    config = HistoryConfig(tell_goals_by_model=TELLS_GOALS)
    model = chat_for(EndpointConfig(base_url=base_url, model="any"))
    episodes = random_history(EPISODES, SEED, PER_DAY)
    week_later_ns = DATES.start_ns(FIRST_DAY.date()) + 8 * 86_400 * 1_000_000_000
    with tempfile.TemporaryDirectory() as directory:
        writer = Writer(Path(directory), WriterConfig(batch_size=100))
        past = Past(Path(directory))
        try:
            for episode in episodes:
                remember(writer, episode)
            teller = HistoryTeller(writer, past, model, config, DATES, CALL_TIMEOUT_S)
            begin_s = time.perf_counter()
            asyncio.run(_tell(teller, max(week_later_ns, episodes[-1].end_ns + LATER_NS)))
            took_s = time.perf_counter() - begin_s
            tree = HistoryTree(past, DATES)
            root = tree.root()
            shown = list(_lines(tree, root)) if root is not None else []
        finally:
            past.close()
            writer.close()
    usage = teller.usage
    days = len({DATES.date_of(episode.start_ns) for episode in episodes})
    return {
        "seconds": round(took_s),
        "calls": usage.calls,
        "groupings_valid_at_try": usage.groupings_by_try,
        "groupings_failed": usage.groupings_failed,
        "tokens_per_day": round((usage.prompt_tokens + usage.completion_tokens) / days),
        "problem": teller.problem,
        "tree": shown,
    }


async def _tell(teller: HistoryTeller, now_ns: int) -> None:
    while await teller.step(now_ns) == 0.0:
        """Until nothing is left to tell."""


def _lines(tree: HistoryTree, node: Branch, depth: int = 0) -> Iterator[str]:
    yield f"{'  ' * depth}{node.unit} {tree.when(node)}: {node.text}"
    if node.unit != HistoryUnit.GOAL.value:
        for child in tree.children(node.node_id):
            yield from _lines(tree, child, depth + 1)
