"""memory completion"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from memory_nodes.cli.command import Command, Outcome
from memory_nodes.errors import ExtraMissing

SHELLS = ("bash", "zsh", "fish")


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS)


def _run(memory_dir: Path, arguments: argparse.Namespace) -> Outcome:
    """Of the command under the name that it was called by."""
    shtab = _installed_shtab()
    for action in _actions(arguments.parser):
        if action.type is Path:
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # where shtab looks for it
    script = shtab.complete(arguments.parser, arguments.shell)
    return Outcome((script,), {"shell": arguments.shell, "script": script})


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All arguments of a parser and of its subcommands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)


def _installed_shtab() -> Any:
    try:
        return import_module("shtab")
    except ModuleNotFoundError as error:
        raise ExtraMissing(
            "completion needs the Python package shtab, which is not installed: "
            "pip install 'robot-memory[completion]'"
        ) from error


COMMAND = Command(
    "completion", "print the script by which a shell completes this command", _run, _add_arguments
)
