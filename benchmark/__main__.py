"""`./dev bench NAME [--json FILE] ...`: runs one benchmark and prints its figures."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmark import (
    answers,
    consolidation,
    cost,
    goals,
    history,
    identity,
    paradigms,
    pipeline,
    retention,
    retrieval,
    store,
    tour,
)
from benchmark.ending import exit_on_sigterm
from memory_nodes.errors import RobotMemoryError


def _as_json(figures: dict[str, Any]) -> str:
    return json.dumps(figures, indent=2)


def _no_arguments(parser: argparse.ArgumentParser) -> None:
    """Most benchmarks have none."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark's arguments, what runs it, and how its figures look on the screen."""

    module: ModuleType
    run: Callable[[argparse.Namespace], dict[str, Any]]
    add_arguments: Callable[[argparse.ArgumentParser], None] = _no_arguments
    shown: Callable[[dict[str, Any]], str] = _as_json

    @property
    def question(self) -> str:
        """What it asks: the first line of its docstring."""
        return (self.module.__doc__ or "").splitlines()[0]


BENCHMARKS = {
    "answers": Benchmark(answers, answers.run, answers.add_arguments, answers.shown),
    "consolidation": Benchmark(consolidation, consolidation.run, consolidation.add_arguments),
    "cost": Benchmark(cost, cost.run, cost.add_arguments),
    "goals": Benchmark(goals, goals.run, goals.add_arguments),
    "history": Benchmark(history, history.run, history.add_arguments),
    "identity": Benchmark(identity, identity.run, identity.add_arguments),
    "paradigms": Benchmark(paradigms, paradigms.run, paradigms.add_arguments, paradigms.shown),
    "pipeline": Benchmark(pipeline, lambda _: pipeline.run()),
    "retention": Benchmark(retention, retention.run, retention.add_arguments),
    "retrieval": Benchmark(retrieval, retrieval.run, retrieval.add_arguments, retrieval.shown),
    "store": Benchmark(store, store.run, store.add_arguments, store.shown),
    "tour": Benchmark(tour, lambda _: tour.run()),
}


def main() -> None:
    exit_on_sigterm()
    parser = argparse.ArgumentParser(
        prog="./dev bench", description="Runs one benchmark and prints its figures."
    )
    commands = parser.add_subparsers(metavar="NAME", dest="name")
    for name, benchmark in BENCHMARKS.items():
        question = benchmark.question
        command = commands.add_parser(name, help=question, description=question)
        command.add_argument("--json", type=Path, metavar="FILE", help="write the figures there")
        benchmark.add_arguments(command)
    arguments = parser.parse_args()
    if arguments.name is None:
        parser.exit(2, f"bench: name one of {', '.join(BENCHMARKS)}: ./dev bench NAME\n")
    benchmark = BENCHMARKS[arguments.name]
    try:
        figures = benchmark.run(arguments)
    except RobotMemoryError as error:
        parser.exit(1, f"bench: {error}\n")
    print(benchmark.shown(figures))
    if arguments.json is not None:
        arguments.json.write_text(_as_json(figures) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
