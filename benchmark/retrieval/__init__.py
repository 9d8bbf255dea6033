"""Which keyframes are found for a question: ours in each mode, flat search, and another memory.

On the tour with its true graph and with the graphs that the suite built itself, and in synthetic
houses; each question in its own words and in others. Goals on the true graph: retr_at_1 0.88,
mrr_at_5 0.92, paraphrases 0.70 and 0.75; at most 0.05 lower on the built ones; with 10,000 objects
ms_p50 below 15; prompt_tokens_max at most 4000; absent_false_alarms below 0.1.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmark.peer_python import PeerPython, peer_python
from benchmark.retrieval.embedding import KnownTexts
from benchmark.retrieval.memory import AskedMemory, built_tour, houses, true_tour
from benchmark.retrieval.peer import ask_peer
from benchmark.retrieval.pictures import Pictures
from benchmark.retrieval.reasoning import reasoning_systems
from benchmark.retrieval.scale import scale_figures
from benchmark.retrieval.scores import Outcome, figures
from benchmark.retrieval.systems import Graph, OnlyPictures, System, flat_captions, flat_objects
from memory_nodes.models.local_embeddings import MiniLMEmbedder
from memory_nodes.retrieval.object_vectors import sentence
from memory_nodes.retrieval.question import read_question


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--questions",
        type=Path,
        metavar="FILE",
        help="ask these on the tour, in the form of test/data/tour/truth/questions.json",
    )
    parser.add_argument(
        "--peer", choices=("emem", "none"), default="emem", help="the other memory (default: emem)"
    )


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Figures by place and mode; what a key means is told where it is made.

    tour and tour_paraphrase are of the true graph, built of the graphs by each resolver; pictures
    are vectors that only stand for pictures. Modes: gr (words), ger (words and pictures), hybrid
    (words and meaning), hybrid_ger (all three), pictures (nothing else), agent (with tools) and
    full (the whole graph), both with a scripted model, flat_objects and flat_captions (plain
    cosine), peer (null where there is none).

    Raises InputError for questions in another form, ConfigurationError where there is no MiniLM.
    """
    python = peer_python() if arguments.peer == "emem" else None
    embedder = KnownTexts(MiniLMEmbedder())
    tour = true_tour(arguments.questions)
    synthetic = houses()
    asked = [_asked([tour], embedder, python), _asked(synthetic, embedder, python)]
    return {
        "embed_ms_p50": embedder.ms_per_question([item.text for item in tour.questions]),
        "tour": asked[0]["text"],
        "tour_paraphrase": asked[0]["paraphrase"],
        "built": {
            resolver: _asked([built_tour(arguments.questions, resolver)], embedder, python)
            for resolver in ("model", "deterministic")
        },
        "synthetic": asked[1]["text"],
        "synthetic_paraphrase": asked[1]["paraphrase"],
        "scale": scale_figures(),
    }


def _asked(
    memories: Sequence[AskedMemory], embedder: KnownTexts, python: PeerPython | None
) -> dict[str, dict[str, Any]]:
    """Figures by wording and mode, over all questions of these memories; null: not asked."""
    for memory in memories:
        embedder.prepare(map(sentence, memory.snapshot.objects))
        embedder.prepare(
            phrase
            for question in memory.questions
            for text in (question.text, question.paraphrase)
            for phrase in (text, *read_question(text).phrases)
        )
    return {
        wording: {
            mode: figures(outcomes) if outcomes else None
            for mode, outcomes in _outcomes(memories, wording, embedder, python).items()
        }
        for wording in ("text", "paraphrase")
    }


def _outcomes(
    memories: Sequence[AskedMemory], wording: str, embedder: KnownTexts, python: PeerPython | None
) -> dict[str, list[Outcome]]:
    found: dict[str, list[Outcome]] = {}
    for memory in memories:
        texts = [str(getattr(question, wording)) for question in memory.questions]
        with reasoning_systems(memory, embedder) as reasoning:
            for mode, system in (*_systems(memory, embedder), *reasoning.items()):
                outcomes = found.setdefault(mode, [])
                outcomes += map(system.ask, memory.questions, texts)
        found.setdefault("peer", [])
        if python is not None:
            found["peer"] += ask_peer(memory, texts, embedder, python)
    return found


def _systems(memory: AskedMemory, embedder: KnownTexts) -> Iterable[tuple[str, System]]:
    pictures = Pictures(memory)
    made: dict[str, Callable[[], System]] = {
        "gr": lambda: Graph(memory.snapshot),
        "ger": lambda: Graph(memory.snapshot, None, pictures),
        "hybrid": lambda: Graph(memory.snapshot, embedder),
        "hybrid_ger": lambda: Graph(memory.snapshot, embedder, pictures),
        "pictures": lambda: OnlyPictures(pictures),
        "flat_objects": lambda: flat_objects(memory, embedder),
        "flat_captions": lambda: flat_captions(memory, embedder),
    }
    return ((mode, make()) for mode, make in made.items())


def shown(figures: dict[str, Any]) -> str:
    """The main figures as a table, one line a place and mode."""
    keys = ("retr_at_1", "mrr_at_5", "precision", "absent_false_alarms", "present_missed", "ms_p50")
    places = {
        **{name: figures[name] for name in ("tour", "tour_paraphrase")},
        **{
            f"built by {resolver}, {wording}": modes
            for resolver, wordings in figures["built"].items()
            for wording, modes in wordings.items()
        },
        **{name: figures[name] for name in ("synthetic", "synthetic_paraphrase")},
    }
    lines = [("", "", *keys)]
    for place, modes in places.items():
        for mode, found in modes.items():
            if found is not None:
                lines.append((place, mode, *(f"{found[key]:.3f}" for key in keys)))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    table = [" ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
    scale = figures["scale"]
    for mode in ("gr", "hybrid"):
        found = scale[mode]
        table.append(
            f"{mode} among {scale['objects']} objects: {found['ms_p50']} ms (p95 "
            f"{found['ms_p95']}), at most {found['prompt_tokens_max']} prompt tokens"
        )
    table.append(f"embedding a question: {figures['embed_ms_p50']} ms")
    return "\n".join(table)
