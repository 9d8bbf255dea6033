"""Chunks through the associator into a memory, with what that costs."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmark.identity.replies import ReplyTally
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
        self.replies = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.duration_s = 0.0

    async def complete(self, prompt: Prompt, deadline_s: float) -> Reply:
        self.calls += 1
        started_s = time.perf_counter()
        try:
            reply = await self._model.complete(prompt, deadline_s)
        finally:
            self.duration_s += time.perf_counter() - started_s
        self.replies += 1
        self.prompt_tokens += reply.prompt_tokens
        self.completion_tokens += reply.completion_tokens
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
        self._replies = ReplyTally()
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
        replies = self._model.replies if self._model is not None else 0
        started_s = time.perf_counter()
        resolved = await self._associator.resolve(graph)
        self._duration_s += time.perf_counter() - started_s
        self._chunks += 1
        if self._model is not None and self._model.replies > replies:
            self._replies.add(graph, resolved)
        return resolved

    def store(self, graph: ChunkGraph) -> None:
        """Stores a graph that has lasting ids."""
        self._writer.commit_chunk(graph)

    @property
    def resolving_s(self) -> float:
        """Spent on all chunks, without the calls to the model."""
        return self._duration_s - (self._model.duration_s if self._model is not None else 0.0)

    def figures(self) -> dict[str, float]:
        """Prompt tokens as the model reports them, for each reply; seconds with its calls."""
        model = self._model
        tokens = model.prompt_tokens / max(1, model.replies) if model is not None else 0.0
        return {
            "chunks": self._chunks,
            "prompt_tokens_per_chunk": round(tokens),
            "same_frame_merges": self._same_frame_merges,
            "seconds_per_chunk": round(self._duration_s / max(1, self._chunks), 4),
        }

    def reply_figures(self) -> dict[str, Any]:
        """What the model wrote for each reply, and what was wrong with it; empty without one."""
        model = self._model
        if model is None:
            return {}
        return {
            "completion_tokens_per_chunk": round(model.completion_tokens / max(1, model.replies)),
            "replies": model.replies,
            "unanswered_calls": model.calls - model.replies,
            **self._replies.figures(),
        }


def same_frame_merges(graph: ChunkGraph) -> int:
    """Boxes of one keyframe beyond the first in one identity: two boxes are two objects."""
    boxes = Counter(
        (item.object_id, view.keyframe_id) for item in graph.objects for view in item.views
    )
    return sum(count - 1 for count in boxes.values())
