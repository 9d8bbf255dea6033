"""``memory_cli``: looks after a memory from the command line.

Exit status: 0 all is well, 1 there are findings or an error, 2 the arguments cannot be used.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from memory_nodes.cli import backup, doctor, export, import_, mcp, stats
from memory_nodes.cli.command import Command, Outcome
from memory_nodes.errors import RobotMemoryError
from memory_nodes.suite import SuiteConfig

COMMANDS: tuple[Command, ...] = (
    doctor.COMMAND,
    stats.COMMAND,
    backup.COMMAND,
    export.COMMAND,
    import_.COMMAND,
    mcp.COMMAND,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and gives the exit status; argparse exits with 2 by itself."""
    arguments = _parser().parse_args(argv)
    command: Command = arguments.command
    try:
        outcome = command.run(Path(arguments.memory_dir).expanduser(), arguments)
    except RobotMemoryError as error:
        print(f"{command.name}: {_one_line(error)}", file=sys.stderr)
        return 1
    _print(outcome, as_json=arguments.json)
    return 0 if outcome.is_ok else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Looks after the memory of a robot.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        own = commands.add_parser(command.name, help=command.summary, description=command.summary)
        own.set_defaults(command=command)
        command.add_arguments(own)
        own.add_argument(
            "--memory-dir",
            default=SuiteConfig().memory_dir,
            metavar="DIR",
            help="directory of the memory (default: %(default)s)",
        )
        own.add_argument("--json", action="store_true", help="print JSON instead of text")
    return parser


def _print(outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(outcome.data, indent=2))
    else:
        for line in outcome.lines:
            print(line)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
