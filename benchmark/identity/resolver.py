"""Chunks through the associator into a memory, with what that costs."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from types import TracebackType

from memory_nodes.association.associator import Associator, AssociatorConfig
from memory_nodes.models.ports import ChatModel, Prompt, Reply
from memory_nodes.records import ChunkGraph
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer


class MeteredModel:
    """A ChatModel that counts what another one is asked."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.calls = 0
        self.prompt_tokens = 0
        self.duration_s = 0.0

    async def complete(self, prompt: Prompt, deadline_s: float) -> Reply:
        started_s = time.perf_counter()
        try:
            reply = await self._model.complete(prompt, deadline_s)
        finally:
            self.duration_s += time.perf_counter() - started_s
        self.calls += 1
        self.prompt_tokens += reply.prompt_tokens
        return reply


class Resolver:
    """Gives chunks identities and stores them, one after another."""

    def __init__(self, memory_dir: Path, model: ChatModel | None, call_timeout_s: float) -> None:
        self.reader = Reader(memory_dir)
        self._writer = Writer(memory_dir)
        self._model = MeteredModel(model) if model is not None else None
        self._associator = Associator(
            self._model, self.reader, AssociatorConfig(), call_timeout_s=call_timeout_s
        )
        self._chunks = 0
        self._same_frame_merges = 0
        self._duration_s = 0.0

    def __enter__(self) -> Resolver:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.reader.close()
        self._writer.close()

    async def take(self, graph: ChunkGraph) -> None:
        """Resolves and stores the next chunk."""
        resolved = await self.resolve(graph)
        self._same_frame_merges += same_frame_merges(resolved)
        self.store(resolved)

    async def resolve(self, graph: ChunkGraph) -> ChunkGraph:
        """The graph with lasting ids; its time counts."""
        started_s = time.perf_counter()
        resolved = await self._associator.resolve(graph)
        self._duration_s += time.perf_counter() - started_s
        self._chunks += 1
        return resolved

    def store(self, graph: ChunkGraph) -> None:
        """Stores a graph that has lasting ids."""
        self._writer.commit_chunk(graph)

    @property
    def resolving_s(self) -> float:
        """Spent on all chunks, without the calls to the model."""
        return self._duration_s - (self._model.duration_s if self._model is not None else 0.0)

    def figures(self) -> dict[str, float]:
        """Prompt tokens as the model reports them, for each chunk that it was asked about."""
        model = self._model
        tokens = model.prompt_tokens / model.calls if model is not None and model.calls else 0.0
        return {
            "prompt_tokens_per_chunk": round(tokens),
            "same_frame_merges": self._same_frame_merges,
            "seconds_per_chunk": round(self.resolving_s / max(1, self._chunks), 4),
        }


def same_frame_merges(graph: ChunkGraph) -> int:
    """Boxes of one keyframe beyond the first in one identity: two boxes are two objects."""
    boxes = Counter(
        (item.object_id, view.keyframe_id) for item in graph.objects for view in item.views
    )
    return sum(count - 1 for count in boxes.values())
