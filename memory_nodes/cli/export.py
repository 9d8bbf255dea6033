"""memory export"""

from __future__ import annotations

import argparse
from pathlib import Path

from memory_nodes.cli.command import Command, Outcome
from memory_nodes.store.exchange.exporting import EXPORTS_DIR, FORMATS, export


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help=f"a plain file name; it lies under {EXPORTS_DIR}/")
    parser.add_argument("--format", choices=FORMATS, default=FORMATS[0], help="default: jsonl")


def _run(memory_dir: Path, arguments: argparse.Namespace) -> Outcome:
    path = export(memory_dir, arguments.name, arguments.format)
    return Outcome((str(path),), {"path": str(path), "format": arguments.format})


COMMAND = Command("export", "write a memory for other programs to read", _run, _add_arguments)
