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
from benchmark.answers.scores import Reply, figures
from benchmark.embedders import DEADLINE_S, EMBEDDERS, Remembered
from benchmark.identity.resolver import MeteredModel
from benchmark.language_server import add_argument, language_server
from benchmark.retrieval.memory import true_tour
from memory_nodes.answering.answerer import MODES, Answerer, AnswererConfig
from memory_nodes.dates import Dates
from memory_nodes.models.openai_chat import chat_for
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.models.ports import TextEmbedder
from memory_nodes.retrieval.object_vectors import ObjectVectors
from memory_nodes.retrieval.retriever import Retriever
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.store.reader import Reader
from memory_test_support.tour import Question

ASKED_MODES = tuple(mode for mode in MODES if mode not in ("auto", "visual"))
"""auto chooses among the others, and the tour's pictures have no vectors here."""
TIMEOUT_S = 600.0


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


async def _run(arguments: argparse.Namespace, questions: Sequence[Question]) -> dict[str, Any]:
    make = EMBEDDERS.get(arguments.embedder)
    embedder = None if make is None else Remembered(make())
    dates = Dates()
    with tempfile.TemporaryDirectory(prefix="memory-bench-") as name:
        memory_dir = Path(name)
        now_ns = await remember(true_tour(None).snapshot, memory_dir, dates, embedder)
        tour = _Tour(memory_dir, now_ns, dates, embedder)
        await tour.learn()
        try:
            found: dict[str, Any] = {"without_model": figures(await tour.ask(questions, "graph"))}
            found["model"] = None
            if arguments.gguf is not None:
                with language_server(arguments.gguf) as base_url:
                    found["model"] = {
                        mode: figures(await tour.ask(questions, mode, base_url))
                        for mode in arguments.modes
                    }
        finally:
            tour.close()
    return {"embedder": arguments.embedder, **found}


class _Tour:
    """The remembered tour, which answers."""

    def __init__(
        self, memory_dir: Path, now_ns: int, dates: Dates, embedder: TextEmbedder | None
    ) -> None:
        self._reader = Reader(memory_dir)
        self._snapshots = SnapshotCache(self._reader)
        self._now_ns, self._dates = now_ns, dates
        self._vectors = None if embedder is None else ObjectVectors(embedder, DEADLINE_S)

    def close(self) -> None:
        self._reader.close()

    async def learn(self) -> None:
        """What its objects mean, before anything is timed."""
        while self._vectors is not None and await self._vectors.learn(self._snapshots.current()):
            pass

    async def ask(
        self, questions: Sequence[Question], mode: str, base_url: str | None = None
    ) -> list[Reply]:
        """Of the model that is served there; without one, out of the graph."""
        chat = None if base_url is None else chat_for(EndpointConfig(base_url, model="any"))
        model = None if chat is None else MeteredModel(chat)
        config = AnswererConfig(answer_timeout_s=TIMEOUT_S)
        retriever = Retriever(vectors=self._vectors)
        answerer = Answerer(model, self._snapshots, config, self._dates, retriever)
        return [await self._reply(answerer, model, item, mode) for item in questions]

    async def _reply(
        self, answerer: Answerer, model: MeteredModel | None, question: Question, mode: str
    ) -> Reply:
        calls = 0 if model is None else model.calls
        started_s = time.perf_counter()
        answer = await answerer.answer(question.text, self._now_ns, mode)
        return Reply(
            question=question,
            text=answer.text,
            found=answer.found,
            degraded=answer.degraded,
            seconds=time.perf_counter() - started_s,
            calls=0 if model is None else model.calls - calls,
            prompt_tokens=answer.prompt_tokens,
            completion_tokens=answer.completion_tokens,
            problems=answer.problems,
        )


def shown(found: dict[str, Any]) -> str:
    """One line a mode."""
    keys = ("right", "accuracy", "not_seen", "parsed", "prompt_tokens", "seconds_p50")
    modes = {"without model": found["without_model"], **(found["model"] or {})}
    lines = [f"{'':16}{''.join(f'{key:>15}' for key in keys)}"]
    for mode, item in modes.items():
        told = ("-" if item[key] is None else str(item[key]) for key in keys)
        lines.append(f"{mode:16}{''.join(f'{value:>15}' for value in told)}")
    return "\n".join(lines)
