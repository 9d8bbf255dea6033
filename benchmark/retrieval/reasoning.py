"""Ways that a model takes part in: it reads the whole graph, or looks for keyframes with tools.

The model is scripted, so that what is measured is what the suite gives it to read.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmark.retrieval.embedding import DEADLINE_S, KnownTexts
from benchmark.retrieval.memory import AskedMemory
from benchmark.retrieval.scores import Outcome
from benchmark.retrieval.systems import CONFIG, System, first
from benchmark.scripted_model import ScriptedModel
from benchmark.stored_graph import in_order, store
from memory_nodes.answering.agents.config import AgentConfig
from memory_nodes.answering.agents.tool_agent import ToolAgent
from memory_nodes.answering.answerer import Answerer
from memory_nodes.answering.tools.toolbox import Sources, Toolbox
from memory_nodes.dates import Dates
from memory_nodes.retrieval.object_vectors import ObjectVectors
from memory_nodes.retrieval.retriever import Retriever
from memory_nodes.store.writer import Writer
from memory_test_support.tour import Question

FULL = "full"


@contextmanager
def reasoning_systems(memory: AskedMemory, embedder: KnownTexts) -> Iterator[dict[str, System]]:
    """By mode, over the memory on disk as the suite has it there."""
    with tempfile.TemporaryDirectory(prefix="memory-bench-") as name:
        writer = Writer(Path(name))
        store(memory.snapshot, writer)
        writer.close()
        vectors = ObjectVectors(embedder, DEADLINE_S)
        sources = Sources.of(Path(name), Dates(), retriever=Retriever(vectors=vectors))
        try:
            whole = sources.snapshots.current()
            while asyncio.run(vectors.learn(whole)):
                """Until all objects have their vectors."""
            now_ns = in_order(memory.snapshot)[-1].stamp_ns
            yield {"agent": Agent(sources, now_ns), FULL: Full(sources, now_ns)}
        finally:
            sources.close()


class Full:
    """The whole graph in one prompt. What is too large for its budget is not answered by it."""

    def __init__(self, sources: Sources, now_ns: int) -> None:
        self._now_ns = now_ns
        self._answerer = Answerer(
            ScriptedModel(), sources.snapshots, CONFIG, sources.dates, sources.retriever
        )

    def ask(self, question: Question, text: str) -> Outcome:
        started_ns = time.perf_counter_ns()
        answer = asyncio.run(self._answerer.answer(text, self._now_ns, FULL))
        ms = (time.perf_counter_ns() - started_ns) / 1e6
        ids = first(hit.keyframe.keyframe_id for hit in answer.keyframes)
        return Outcome(question, ids, answer.found, ms, answer.prompt_tokens)


class Agent:
    """The agent with the recall tools; its tokens are those of all its prompts together."""

    def __init__(self, sources: Sources, now_ns: int) -> None:
        self._now_ns = now_ns
        self._agent = ToolAgent(Toolbox(sources), ScriptedModel(), AgentConfig(), sources.dates)

    def ask(self, question: Question, text: str) -> Outcome:
        started_ns = time.perf_counter_ns()
        run = asyncio.run(self._agent.answer(text, self._now_ns, DEADLINE_S))
        ms = (time.perf_counter_ns() - started_ns) / 1e6
        return Outcome(question, first(run.keyframe_ids), run.found, ms, run.trace.prompt_tokens)
