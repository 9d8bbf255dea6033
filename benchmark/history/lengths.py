"""Histories of several lengths: what telling and searching them costs."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmark.history.explorer import Exploration, Explorer
from benchmark.history.retrieval import retrieval_f1
from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.teller import HistoryTeller
from memory_nodes.episodic.history.tree import Branch, HistoryTree
from memory_nodes.models.ports import ChatModel
from memory_nodes.records import NS_PER_S
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer, WriterConfig
from memory_test_support.household.diary_model import DiaryModel
from memory_test_support.household.histories import DATES, PastEpisode, random_history, remember
from memory_test_support.household.questions import Question, random_questions

LATER_NS = 120 * NS_PER_S
"""The history is told this long after an episode's end."""


@dataclass
class Reading:
    """Of all questions about histories of one length, explored in one way."""

    tokens: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    f1: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)

    def note(self, seen: Exploration, question: Question) -> None:
        visible = {node.node_id: (node.start_ns, node.end_ns) for node in seen.view.visible()}
        root = visible[seen.view.root.node_id]
        above = seen.view.parents(visible)
        self.f1.append(retrieval_f1(root, visible, above, question.spans_ns))
        self.tokens.append(seen.prompt_tokens)
        self.steps.append(seen.steps)
        starts_ns = sorted(node.start_ns for node in seen.found)
        self.right.append(starts_ns == sorted(start_ns for start_ns, _ in question.spans_ns))


@dataclass
class Figures:
    """Of all histories of one length."""

    build_s: list[float] = field(default_factory=list)
    calls: list[float] = field(default_factory=list)
    tokens: list[float] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    nodes: Counter[str] = field(default_factory=Counter)
    searching: Reading = field(default_factory=Reading)
    alone: Reading = field(default_factory=Reading)


def figures_by_length(
    lengths: Sequence[int], histories: int, questions: int, *, with_model: bool
) -> dict[str, Any]:
    """By length: build_seconds of a history, llm_calls and llm_tokens (in and out) an episode.

    root_depth: levels above events; nodes: of each unit in a history. prompt_tokens: what the
    explorer reads for a question, over all its prompts, characters / 4; steps: its prompts.
    retrieval_f1: H-EMV, section IV-D. found: share of questions for which it ended with exactly
    the episodes that were asked for. prompt_tokens_ratio: of the longest to the shortest.
    reading_alone: the same of an explorer that only opens nodes, and never searches.
    """
    found = {length: Figures() for length in lengths}
    for length, figures in found.items():
        for seed in range(histories):
            _measure(length, seed, questions, figures, with_model=with_model)
    return {
        "build_seconds": _means({n: each.build_s for n, each in found.items()}, 2),
        "llm_calls_per_episode": _means({n: each.calls for n, each in found.items()}, 2),
        "llm_tokens_per_episode": _means({n: each.tokens for n, each in found.items()}, 0),
        "nodes": {
            str(n): {unit: round(count / histories, 1) for unit, count in each.nodes.items()}
            for n, each in found.items()
        },
        "root_depth": {str(n): max(each.depth) for n, each in found.items()},
        **_reading_figures({n: each.searching for n, each in found.items()}),
        "reading_alone": _reading_figures({n: each.alone for n, each in found.items()}),
    }


def _reading_figures(found: dict[int, Reading]) -> dict[str, Any]:
    read = [fmean(each.tokens) for each in found.values()]
    return {
        "prompt_tokens": _means({n: each.tokens for n, each in found.items()}, 0),
        "prompt_tokens_ratio": round(read[-1] / read[0], 2),
        "steps": _means({n: each.steps for n, each in found.items()}, 1),
        "retrieval_f1": _means({n: each.f1 for n, each in found.items()}, 3),
        "found": _means({n: each.right for n, each in found.items()}, 3),
    }


def _means(values: Mapping[int, Sequence[float]], digits: int) -> dict[str, float]:
    return {str(length): round(fmean(each), digits) for length, each in values.items()}


def _measure(length: int, seed: int, questions: int, figures: Figures, *, with_model: bool) -> None:
    episodes = random_history(length, seed)
    model = DiaryModel() if with_model else None
    with tempfile.TemporaryDirectory() as directory:
        writer = Writer(Path(directory), WriterConfig(batch_size=100))
        past = Past(Path(directory))
        try:
            figures.build_s.append(asyncio.run(tell_all(writer, past, episodes, model)))
            calls, tokens = (0, 0) if model is None else (model.calls, model.tokens)
            figures.calls.append(calls / length)
            figures.tokens.append(tokens / length)
            tree = HistoryTree(past, DATES)
            root = tree.root()
            assert root is not None
            figures.nodes += count_units(tree, root)
            figures.depth.append(root.level - 2)
            asked = random_questions(episodes, questions, seed)
            for reading, can_search in ((figures.searching, True), (figures.alone, False)):
                explorer = Explorer(tree, can_search=can_search)
                for question in asked:
                    reading.note(explorer.explore(root, question.text, question.named_ns), question)
        finally:
            past.close()
            writer.close()


async def tell_all(
    writer: Writer, past: Past, episodes: Sequence[PastEpisode], model: ChatModel | None
) -> float:
    """Feeds and tells a history episode by episode; the seconds that telling took."""
    teller = HistoryTeller(writer, past, model, HistoryConfig(), DATES)
    telling_s = 0.0
    for episode in episodes:
        remember(writer, episode)
        begin_s = time.perf_counter()
        while await teller.step(episode.end_ns + LATER_NS) == 0.0:
            """Until nothing is left to tell."""
        telling_s += time.perf_counter() - begin_s
    return telling_s


def count_units(tree: HistoryTree, node: Branch) -> Counter[str]:
    """The nodes of each unit, from one down to events."""
    counts = Counter({node.unit: 1})
    if node.level > 2:
        for child in tree.children(node.node_id):
            counts += count_units(tree, child)
    return counts
