"""The whole path on the tour, without ROS: how good are the identities and the answers?

Detections come from the stand-in model server, with its noise; identities are resolved once by
that server and once by words and places alone; questions are ranked from either memory.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmark.identity.scores import identity_figures
from benchmark.tour_memory import detected, instances_of_views, resolved, true_centres
from memory_nodes.models.openai_chat import chat_for
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.retrieval.ranking import rank
from memory_nodes.retrieval.snapshot import Snapshot, SnapshotCache
from memory_nodes.store.reader import Reader
from memory_test_support.model_server import ModelServer
from memory_test_support.tour import Tour, Truth, load_tour, load_truth

MAX_KEYFRAMES = 5


def run() -> dict[str, Any]:
    """Figures by resolver."""
    tour, truth = load_tour(), load_truth()
    figures = {}
    with ModelServer() as server:
        endpoint = EndpointConfig(base_url=server.base_url, model="stand-in")
        for name in ("model", "deterministic"):
            with tempfile.TemporaryDirectory() as directory:
                started_s = time.monotonic()
                snapshot = asyncio.run(_remember(tour, endpoint, name, Path(directory)))
                figures[name] = {
                    "build_s": round(time.monotonic() - started_s, 2),
                    **_identity(snapshot, tour, truth),
                    "questions": _retrieval(snapshot, tour, truth, paraphrased=False),
                    "paraphrases": _retrieval(snapshot, tour, truth, paraphrased=True),
                }
    return figures


async def _remember(
    tour: Tour, endpoint: EndpointConfig, resolver: str, memory_dir: Path
) -> Snapshot:
    """Records, detects, associates and stores the whole tour."""
    model = chat_for(endpoint)
    assert model is not None
    graphs = await detected(tour, model, memory_dir)
    await resolved(graphs, model if resolver == "model" else None, memory_dir)
    reader = Reader(memory_dir)
    snapshot = SnapshotCache(reader).current()
    reader.close()
    return snapshot


def _identity(snapshot: Snapshot, tour: Tour, truth: Truth) -> dict[str, float]:
    keyframes = snapshot.keyframes.values()
    true_of_view = instances_of_views(snapshot.objects, keyframes, tour, truth)
    return identity_figures(snapshot.objects, true_of_view, true_centres(truth))


def _retrieval(
    snapshot: Snapshot, tour: Tour, truth: Truth, *, paraphrased: bool
) -> dict[str, float]:
    frame_of = {frame.stamp_ns: frame.index for frame in tour.frames}
    ranks: list[int | None] = []
    times_ms = []
    for question in truth.questions.values():
        if not question.answerable:
            continue
        started_ns = time.perf_counter_ns()
        text = question.paraphrase if paraphrased else question.text
        hits = rank(text, snapshot, MAX_KEYFRAMES).keyframes
        times_ms.append((time.perf_counter_ns() - started_ns) / 1e6)
        frames = [frame_of[hit.keyframe.stamp_ns] for hit in hits]
        right = [frame in question.ground_truth_frames for frame in frames]
        ranks.append(right.index(True) + 1 if True in right else None)
    count = len(ranks)
    return {
        "retr_at_1": round(sum(rank == 1 for rank in ranks) / count, 3),
        "mrr_at_5": round(sum(1.0 / rank for rank in ranks if rank) / count, 3),
        "ms_p50": round(statistics.median(times_ms), 2),
    }
