"""memory backup"""

from __future__ import annotations

import argparse
from pathlib import Path

from memory_nodes.cli.command import Command, Outcome
from memory_nodes.store.exchange.backup import backup


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", type=Path, help="a directory that is new or empty")


def _run(memory_dir: Path, arguments: argparse.Namespace) -> Outcome:
    made = backup(memory_dir, arguments.target)
    lines = [f"{made.path}: the memory with {made.images} images"]
    if made.missing_images:
        lines.append(f"{made.missing_images} images were not there: see `doctor`")
    return Outcome(
        lines=tuple(lines),
        data={
            "path": str(made.path),
            "images": made.images,
            "missing_images": made.missing_images,
        },
        is_ok=made.missing_images == 0,
    )


COMMAND = Command(
    "backup", "copy a memory, also while it is written, to a new directory", _run, _add_arguments
)
