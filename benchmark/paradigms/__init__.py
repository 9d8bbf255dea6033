"""What a memory does with what people remember and forget: ours and another one, side by side.

The eight paradigms of eMEM-Bench as schedules of texts, drawn anew for each seed. Each probe is
one call of a recall tool, and right or wrong is what it gives first; no model asks or judges. The
goals: right at least the peer's in each paradigm, and more in pattern_separation and interference.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from benchmark.embedders import EMBEDDERS, Remembered
from benchmark.paradigms.context import context_dependent, source_monitoring
from benchmark.paradigms.ours import findings
from benchmark.paradigms.peer import peer
from benchmark.paradigms.schedule import Schedule
from benchmark.paradigms.scores import Judged, figures
from benchmark.paradigms.similarity import lures, pattern_completion, pattern_separation
from benchmark.paradigms.temporal import interference, retention, serial_position
from benchmark.peer_python import peer_python

SEEDS = 5
PARADIGMS: dict[str, Callable[[random.Random], Schedule]] = {
    "serial_position": serial_position,
    "pattern_separation": pattern_separation,
    "pattern_completion": pattern_completion,
    "context_dependent": context_dependent,
    "drm_lures": lures,
    "source_monitoring": source_monitoring,
    "interference": interference,
    "retention": retention,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seeds", type=int, default=SEEDS, metavar="N", help="of each paradigm")
    parser.add_argument(
        "--embedder",
        choices=EMBEDDERS,
        default="minilm",
        help="of both memories; minilm needs ./dev setup --models, hashed knows words only",
    )
    parser.add_argument(
        "--peer", choices=("emem", "none"), default="emem", help="the other memory (default: emem)"
    )


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Figures by paradigm and memory, and their mean; the peer's are null where there is none.

    Raises ConfigurationError where there is no MiniLM, ExtraMissing where the Python that is named
    for the peer cannot run it.
    """
    embedder = Remembered(EMBEDDERS[arguments.embedder]())
    python = peer_python() if arguments.peer == "emem" else None
    judged: dict[str, dict[str, list[Judged]]] = {}
    with peer(python, embedder) if python is not None else nullcontext() as other:
        for name, schedule in _schedules(arguments.seeds):
            by_system = judged.setdefault(name, {"ours": [], "peer": []})
            with tempfile.TemporaryDirectory(prefix="memory-bench-") as directory:
                ours = asyncio.run(findings(schedule, embedder, Path(directory)))
            by_system["ours"] += zip(schedule.probes, ours, strict=True)
            if other is not None:
                theirs = other.findings(schedule)
                by_system["peer"] += zip(schedule.probes, theirs, strict=True)
    return {
        "embedder": arguments.embedder,
        "seeds": arguments.seeds,
        "mean": {system: _mean(judged, system) for system in ("ours", "peer")},
        **{
            name: {system: figures(found) if found else None for system, found in systems.items()}
            for name, systems in judged.items()
        },
    }


def _schedules(seeds: int) -> Iterable[tuple[str, Schedule]]:
    for seed in range(seeds):
        for name, make in PARADIGMS.items():
            yield name, make(random.Random(f"{name} {seed}"))


def _mean(judged: dict[str, dict[str, list[Judged]]], system: str) -> float | None:
    shares = [figures(found[system])["right"] for found in judged.values() if found[system]]
    return round(sum(shares) / len(shares), 3) if shares else None


def shown(found: dict[str, Any]) -> str:
    """One line a paradigm."""
    lines = [f"{'':20}{'ours':>8}{'peer':>8}"]
    for name in PARADIGMS:
        right = [found[name][system] for system in ("ours", "peer")]
        told = (f"{'-' if item is None else item['right']:>8}" for item in right)
        lines.append(f"{name:20}{''.join(told)}")
    mean = (f"{'-' if value is None else value:>8}" for value in found["mean"].values())
    return "\n".join([*lines, f"{'mean':20}{''.join(mean)}"])
