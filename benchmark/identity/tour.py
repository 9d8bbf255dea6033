"""Identities on the recorded tour, with the stand-in server's noise."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmark.identity.scores import identity_figures
from benchmark.tour_memory import detected, instances_of_views, resolved, true_centres
from memory_nodes.models.openai_chat import chat_for
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.store.reader import Reader
from memory_test_support.model_server import ModelServer, ServerOptions
from memory_test_support.tour import load_tour, load_truth


async def tour_figures(error_rate: float) -> dict[str, dict[str, float]]:
    """By resolver; both get the same detections.

    Args:
        error_rate: of the associating model, as a share of identities.
    """
    tour, truth = load_tour(), load_truth()
    figures = {}
    with ModelServer(ServerOptions(association_error_rate=error_rate)) as server:
        model = chat_for(EndpointConfig(base_url=server.base_url, model="stand-in"))
        assert model is not None
        with tempfile.TemporaryDirectory() as directory:
            graphs = await detected(tour, model, Path(directory))
        for name, asked in (("model", model), ("deterministic", None)):
            with tempfile.TemporaryDirectory() as directory:
                resolver = await resolved(graphs, asked, Path(directory))
                reader = Reader(Path(directory))
                objects, _, keyframes = reader.graph()
                reader.close()
            true_of_view = instances_of_views(objects, keyframes, tour, truth)
            figures[name] = {
                **identity_figures(objects, true_of_view, true_centres(truth)),
                **resolver.figures(),
            }
    return figures
