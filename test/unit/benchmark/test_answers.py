"""The tour is remembered, and asked with and without a model."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from benchmark.answers import RememberedTour, run
from benchmark.answers.memory import remember
from benchmark.retrieval.memory import true_tour
from memory_nodes.dates import Dates
from memory_test_support.model_server import ModelServer


def test_without_a_model_all_questions_with_key_words_are_asked_and_no_model_is_reported() -> None:
    found = run(argparse.Namespace(questions=None, limit=9, embedder="none", gguf=None, modes=()))
    assert found["model"] is None
    graph = found["without_model"]["graph"]
    assert (graph["questions"], graph["calls"], graph["parsed"]) == (9, 0.0, None)
    assert set(graph["by_type"]) == {
        *("object_search", "scene_description", "spatial_relation", "action_place"),
    }


def test_replies_of_a_model_are_counted_and_can_be_read(tmp_path: Path) -> None:
    memory, dates = true_tour(None), Dates()
    now_ns = asyncio.run(remember(memory.snapshot, tmp_path, dates, None))
    tour = RememberedTour(tmp_path, now_ns, dates, None)
    try:
        with ModelServer() as server:
            found = asyncio.run(tour.figures(memory.questions[:2], "graph", server.base_url))
    finally:
        tour.close()
    assert (found["questions"], found["calls"], found["parsed"]) == (2, 1.0, 1.0)
    assert found["prompt_tokens"] > 0
