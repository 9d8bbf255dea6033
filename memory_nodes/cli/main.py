"""``memory``, with ROS ``memory_cli``: looks after a memory from the command line.

Exit status: 0 all is well, 1 there are findings, nothing was found, or an error, 2 the arguments
cannot be used, 130 a person has interrupted it.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from memory_nodes.cli import (
    ask,
    backup,
    bench,
    completion,
    doctor,
    export,
    forget,
    import_,
    locate,
    mcp,
    replay,
    report,
    stats,
    timeline,
)
from memory_nodes.cli.command import Command
from memory_nodes.cli.printing import print_error, print_outcome
from memory_nodes.errors import RobotMemoryError
from memory_nodes.parameters import path_of
from memory_nodes.suite import SuiteConfig

COMMANDS: tuple[Command, ...] = (
    ask.COMMAND,
    locate.COMMAND,
    timeline.COMMAND,
    report.COMMAND,
    stats.COMMAND,
    doctor.COMMAND,
    forget.COMMAND,
    backup.COMMAND,
    export.COMMAND,
    import_.COMMAND,
    replay.COMMAND,
    mcp.COMMAND,
    bench.COMMAND,
    completion.COMMAND,
)
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and gives the exit status; argparse exits with 2 by itself."""
    arguments = parser().parse_args(argv)
    command: Command = arguments.command
    try:
        outcome = command.run(path_of("--memory-dir", str(arguments.memory_dir)), arguments)
    except RobotMemoryError as error:
        print_error(f"{command.name}: {error}")
        return 1
    except KeyboardInterrupt:
        print_error(f"{command.name}: interrupted")
        return INTERRUPTED
    try:
        print_outcome(outcome, as_json=arguments.json)
        sys.stdout.flush()
    except BrokenPipeError:  # whom it was told to, such as head, has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0 if outcome.is_ok else 1


def parser() -> argparse.ArgumentParser:
    """All commands with their arguments."""
    made = argparse.ArgumentParser(description="Looks after the memory of a robot.")
    commands = made.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        own = commands.add_parser(command.name, help=command.summary, description=command.summary)
        own.set_defaults(command=command, parser=made)
        command.add_arguments(own)
        own.add_argument(
            "--memory-dir",
            type=Path,
            default=Path(SuiteConfig().memory_dir),
            metavar="DIR",
            help="directory of the memory (default: %(default)s)",
        )
        own.add_argument("--json", action="store_true", help="print JSON instead of text")
    return made
