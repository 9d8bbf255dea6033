"""How many answers are right: without a model, and by a real small one, in each mode.

The public questions of the tour over its true graph; a right answer says one of the key words. The
goals, by a model of 1.5 B parameters: right 0.70 in graph, not_seen and parsed 1.0.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmark.answers.memory import remember
from benchmark.answers.metered import NO_USE, MeteredToolModel
from benchmark.answers.scores import Reply, figures
from benchmark.embedders import DEADLINE_S, EMBEDDERS, Remembered
from benchmark.language_server import add_argument, language_server
from benchmark.retrieval.memory import true_tour
from memory_nodes.answering.agents.config import AgentConfig
from memory_nodes.answering.agents.console import HistoryConsole
from memory_nodes.answering.agents.pictures import KeyframePictures
from memory_nodes.answering.agents.tool_agent import ToolAgent
from memory_nodes.answering.answerer import MODES, Answerer
from memory_nodes.answering.config import AnswererConfig
from memory_nodes.answering.recall import Recall
from memory_nodes.answering.tools.toolbox import Sources, Toolbox
from memory_nodes.dates import Dates
from memory_nodes.episodic.history.tree import HistoryTree
from memory_nodes.models.openai_chat import chat_for
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.models.ports import TextEmbedder
from memory_nodes.retrieval.object_vectors import ObjectVectors
from memory_nodes.retrieval.retriever import Retriever
from memory_test_support.tour import Question

ASKED_MODES = tuple(mode for mode in MODES if mode != "visual")
"""The tour's pictures have no vectors here."""
WITHOUT_MODEL = ("auto", "graph")
CONFIG = AnswererConfig(answer_timeout_s=600.0, question_timeout_s=3600.0)
"""On two cores a long prompt takes minutes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--questions",
        type=Path,
        metavar="FILE",
        help="ask these, in the form of test/data/tour/truth/questions.json",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="ask only N of them, evenly spread")
    parser.add_argument(
        "--modes", nargs="+", choices=ASKED_MODES, default=ASKED_MODES, help="default: all"
    )
    parser.add_argument(
        "--embedder",
        choices=(*EMBEDDERS, "none"),
        default="minilm",
        help="for what words mean; minilm needs ./dev setup --models",
    )
    add_argument(parser)


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Figures without a model, and by mode of the one in a file; null where none is named.

    Raises InputError for questions in another form, and as language_server does.
    """
    asked = [
        item
        for item in true_tour(arguments.questions).questions
        if item.answer_keywords or not item.answerable
    ]
    questions = spread(asked, arguments.limit)
    return asyncio.run(_run(arguments, questions))


def spread(questions: Sequence[Question], limit: int | None) -> Sequence[Question]:
    """So many of them, evenly spread over all, so that each kind is asked; all without a limit."""
    if limit is None or limit >= len(questions):
        return questions
    return [questions[number * len(questions) // limit] for number in range(limit)]


async def _run(arguments: argparse.Namespace, asked: Sequence[Question]) -> dict[str, Any]:
    make = EMBEDDERS.get(arguments.embedder)
    embedder = None if make is None else Remembered(make())
    dates = Dates()
    with tempfile.TemporaryDirectory(prefix="memory-bench-") as name:
        memory_dir = Path(name)
        now_ns = await remember(true_tour(None).snapshot, memory_dir, dates, embedder)
        tour = RememberedTour(memory_dir, now_ns, dates, embedder)
        await tour.learn()
        try:
            found: dict[str, Any] = {
                "without_model": {mode: await tour.figures(asked, mode) for mode in WITHOUT_MODEL},
                "model": None,
            }
            if arguments.gguf is not None:
                with language_server(arguments.gguf) as base_url:
                    found["model"] = {
                        mode: await tour.figures(asked, mode, base_url) for mode in arguments.modes
                    }
        finally:
            tour.close()
    return {"embedder": arguments.embedder, **found}


class RememberedTour:
    """The remembered tour, which answers."""

    def __init__(
        self, memory_dir: Path, now_ns: int, dates: Dates, embedder: TextEmbedder | None
    ) -> None:
        self._vectors = None if embedder is None else ObjectVectors(embedder, DEADLINE_S)
        self._retriever = Retriever(vectors=self._vectors)
        self._sources = Sources.of(
            memory_dir,
            dates,
            retriever=self._retriever,
            embedder=embedder,
            embedding_timeout_s=DEADLINE_S,
        )
        self._memory_dir, self._now_ns = memory_dir, now_ns

    def close(self) -> None:
        self._sources.close()

    async def learn(self) -> None:
        """What its objects mean, before anything is timed."""
        whole = self._sources.snapshots.current()
        while self._vectors is not None and await self._vectors.learn(whole):
            """Until all have their vectors."""

    async def figures(
        self, questions: Sequence[Question], mode: str, base_url: str | None = None
    ) -> dict[str, Any]:
        """By the model that is served there; without one, by rule."""
        model = None
        if base_url is not None:
            chat = chat_for(EndpointConfig(base_url, model="any"))
            assert chat is not None
            model = MeteredToolModel(chat)
        answerer = self._answerer(model)
        return figures([await self._reply(answerer, model, item, mode) for item in questions])

    def _answerer(self, model: MeteredToolModel | None) -> Answerer:
        sources, config = self._sources, AgentConfig()
        agents: dict[str, ToolAgent | HistoryConsole] = {}
        if model is not None:
            tree = HistoryTree(sources.past, sources.dates)
            pictures = KeyframePictures(sources.past, self._memory_dir)
            agents = {
                "agent": ToolAgent(Toolbox(sources), model, config, sources.dates),
                "history": HistoryConsole(tree, pictures, model, config, sources.dates),
            }
        return Answerer(
            model,
            sources.snapshots,
            CONFIG,
            sources.dates,
            self._retriever,
            sources.past,
            agents,
            Recall(sources.sightings),
            sources.search,
        )

    async def _reply(
        self, answerer: Answerer, model: MeteredToolModel | None, question: Question, mode: str
    ) -> Reply:
        before = NO_USE if model is None else model.use
        started_s = time.perf_counter()
        answer = await answerer.answer(question.text, self._now_ns, mode)
        seconds = time.perf_counter() - started_s
        if model is not None:
            print(f"bench: {mode} {question.question_id}: {seconds:.1f} s", flush=True)
        return Reply(
            question=question,
            text=answer.text,
            found=answer.found,
            degraded=answer.degraded,
            seconds=seconds,
            use=NO_USE if model is None else model.use - before,
            problems=answer.problems,
        )


def shown(found: dict[str, Any]) -> str:
    """One line a mode."""
    keys = ("right", "accuracy", "not_seen", "parsed", "prompt_tokens", "seconds_p50")
    modes = {f"{mode}, no model": item for mode, item in found["without_model"].items()}
    modes |= found["model"] or {}
    lines = [f"{'':20}{''.join(f'{key:>15}' for key in keys)}"]
    for mode, item in modes.items():
        told = ("-" if item[key] is None else str(item[key]) for key in keys)
        lines.append(f"{mode:20}{''.join(f'{value:>15}' for value in told)}")
    return "\n".join(lines)
