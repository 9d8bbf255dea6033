"""memory import"""

from __future__ import annotations

import argparse
from pathlib import Path

from memory_nodes.cli.command import Command, Outcome
from memory_nodes.store.exchange.importing import import_


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("export", type=Path, help="the directory of a jsonl export")


def _run(memory_dir: Path, arguments: argparse.Namespace) -> Outcome:
    imported = import_(arguments.export, memory_dir)
    unnamed = imported.problem_count - len(imported.problems)
    return Outcome(
        lines=(
            *imported.problems,
            *((f"and {unnamed} more problems",) if unnamed else ()),
            *(f"{name:22} {count}" for name, count in imported.counts.items()),
            f"{'images':22} {imported.images}",
            f"{imported.skipped} lines were skipped",
        ),
        data={
            "memory_dir": str(imported.memory_dir),
            "counts": imported.counts,
            "images": imported.images,
            "skipped": imported.skipped,
            "problem_count": imported.problem_count,
            "problems": imported.problems,
        },
        is_ok=imported.problem_count == 0,
    )


COMMAND = Command(
    "import", "make a new memory of a jsonl export, in --memory-dir", _run, _add_arguments
)
