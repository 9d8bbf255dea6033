"""How long one chunk takes to resolve, and how much is asked, where many things are known."""

from __future__ import annotations

import asyncio
import statistics
from pathlib import Path

from benchmark.identity.resolver import Resolver
from memory_nodes.records import ChunkGraph
from memory_test_support.house import (
    AssociatingModel,
    DetectedChunk,
    HouseOptions,
    patrol,
    store_rooms,
)

KNOWN = 10_000
REPEATS = 5
CALL_TIMEOUT_S = 30.0
OPTIONS = HouseOptions(days=1, chunk_size=2, miss_rate=0.0)


class ManyThings:
    """A memory of so many things, and a chunk that shows twelve of them again."""

    def __init__(self, memory_dir: Path, known: int = KNOWN) -> None:
        (day,) = patrol(store_rooms(known), OPTIONS)
        *earlier, self._last = day.chunks
        self._memory_dir = memory_dir
        self._model = AssociatingModel(error_rate=0.0)
        for chunk in day.chunks:
            self._model.show(chunk)
        # The last of them come between the repeats: each is resolved after a commit.
        held = min(2 * (REPEATS + 1), len(earlier) // 3)
        self._to_come = [chunk.resolved for chunk in earlier[len(earlier) - held :]]
        with Resolver(memory_dir, None, CALL_TIMEOUT_S) as resolver:
            for chunk in earlier[: len(earlier) - held]:
                resolver.store(chunk.resolved)

    def figures(self, *, with_model: bool) -> dict[str, float]:
        """Times of Associator.resolve without the model call, and what the model is asked.

        first_of_ten_thousand_ms is the time in which a process that starts reads all objects;
        ten_thousand_known_ms that of each chunk after it, the median of REPEATS, each after a
        commit. Of two calls each stores chunks of its own, where there are enough.
        """
        model = self._model if with_model else None
        times_ms = []
        with Resolver(self._memory_dir, model, CALL_TIMEOUT_S) as resolver:
            for _ in range(REPEATS + 1):
                if self._to_come:
                    resolver.store(self._to_come.pop(0))
                spent_s = resolver.resolving_s
                resolved = asyncio.run(resolver.resolve(self._last.graph))
                times_ms.append((resolver.resolving_s - spent_s) * 1000.0)
        return {
            "first_of_ten_thousand_ms": round(times_ms[0], 1),
            "ten_thousand_known_ms": round(statistics.median(times_ms[1:]), 1),
            "ten_thousand_known_tokens": resolver.figures()["prompt_tokens_per_chunk"],
            "right_of_twelve": _right(resolved, self._last),
        }


def _right(resolved: ChunkGraph, chunk: DetectedChunk) -> int:
    """Objects of a resolved chunk that carry the name of what they are."""
    views = ((item.object_id, item.views[0]) for item in resolved.objects)
    return sum(chunk.thing_of[(view.keyframe_id, view.box)] == name for name, view in views)
