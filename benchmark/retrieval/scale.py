"""Retrieval in a house with ten thousand things."""

from __future__ import annotations

import time
from typing import Any

from benchmark.retrieval.memory import AskedMemory
from benchmark.retrieval.scores import Outcome, figures
from benchmark.retrieval.systems import Graph
from memory_nodes.retrieval.graph_index import GraphIndex
from memory_nodes.retrieval.snapshot import Snapshot
from memory_test_support.asked_house import ask, build
from memory_test_support.recorded_models import HashedEmbedder

OBJECTS = 10_000
KEYFRAMES = 3_000
QUESTIONS_PER_TYPE = 20


def scale_figures() -> dict[str, Any]:
    """Times and prompts; meaning by vectors of hashed words, since only the work is measured."""
    house = build(0, OBJECTS, KEYFRAMES, has_distractors=True)
    keyframes = {item.keyframe_id: item for item in house.keyframes}
    questions = tuple(ask(house, 0, QUESTIONS_PER_TYPE))
    snapshot = Snapshot(house.objects, house.relations, keyframes)
    memory = AskedMemory("scale", snapshot, questions, {})
    started_s = time.perf_counter()
    GraphIndex.of(snapshot.objects, snapshot.relations)
    index_ms = (time.perf_counter() - started_s) * 1e3
    return {
        "objects": len(snapshot.objects),
        "index_ms": round(index_ms, 1),
        "gr": _times(_asked(Graph(snapshot), memory)),
        "hybrid": _times(_asked(Graph(snapshot, HashedEmbedder()), memory)),
    }


def _asked(system: Graph, memory: AskedMemory) -> list[Outcome]:
    return [system.ask(question, question.text) for question in memory.questions]


def _times(outcomes: list[Outcome]) -> dict[str, Any]:
    wanted = ("ms_p50", "ms_p95", "prompt_tokens_p50", "prompt_tokens_max")
    found = figures(outcomes)
    return {key: found[key] for key in wanted}
