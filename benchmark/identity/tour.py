"""Identities on the recorded tour, with the stand-in server's noise."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmark import language_server
from benchmark.identity.scores import identity_figures
from benchmark.tour_memory import (
    CALL_TIMEOUT_S,
    detected,
    instances_of_views,
    resolved,
    true_centres,
)
from memory_nodes.models.openai_chat import chat_for
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.models.ports import ChatModel
from memory_nodes.records import ChangeKind, ChunkGraph
from memory_nodes.store.reader import Reader
from memory_test_support.model_server import ModelServer, ServerOptions
from memory_test_support.tour import Tour, Truth, load_tour, load_truth


async def tour_figures(
    error_rate: float, language_url: str | None = None
) -> dict[str, dict[str, Any]]:
    """By resolver; all get the same detections.

    Args:
        error_rate: of the associating model, as a share of identities.
        language_url: the base_url of a real language model, to be the resolver real_model.
    """
    tour, truth = load_tour(), load_truth()
    with ModelServer(ServerOptions(association_error_rate=error_rate)) as server:
        model = _chat(server.base_url)
        with tempfile.TemporaryDirectory() as directory:
            graphs = await detected(tour, model, Path(directory))
        figures = {
            "model": await _figures(graphs, model, tour, truth),
            "deterministic": await _figures(graphs, None, tour, truth),
        }
    if language_url is not None:
        model, timeout_s = _chat(language_url), language_server.CALL_TIMEOUT_S
        figures["real_model"] = await _figures(graphs, model, tour, truth, timeout_s)
    return figures


def _chat(base_url: str) -> ChatModel:
    model = chat_for(EndpointConfig(base_url=base_url, model="any"))
    assert model is not None
    return model


async def _figures(
    graphs: Sequence[ChunkGraph],
    model: ChatModel | None,
    tour: Tour,
    truth: Truth,
    call_timeout_s: float = CALL_TIMEOUT_S,
) -> dict[str, Any]:
    """Of one resolver, with a memory of its own.

    moved_false and missing_false count events: nothing moves or is taken away on the tour.
    """
    with tempfile.TemporaryDirectory() as directory:
        resolver = await resolved(graphs, model, Path(directory), call_timeout_s)
        reader = Reader(Path(directory))
        objects, _, keyframes = reader.graph()
        kinds = Counter(change.kind for change in reader.changes(0, tour.frames[-1].stamp_ns))
        reader.close()
    true_of_view = instances_of_views(objects, keyframes, tour, truth)
    return {
        **identity_figures(objects, true_of_view, true_centres(truth)),
        "moved_false": kinds[ChangeKind.MOVED],
        "missing_false": kinds[ChangeKind.MISSING],
        **resolver.figures(),
        **resolver.reply_figures(),
    }
