"""What a command is."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Table:
    """Rows of texts, each with one text a column."""

    columns: tuple[str, ...]
    """Their headings; all empty for a table without them."""
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Outcome:
    """What a command found out or did, for people and for programs."""

    lines: tuple[str | Table, ...]
    data: Mapping[str, Any]
    """What JSON can hold; printed instead of the lines with --json."""
    is_ok: bool = True
    """False: it worked, but there is something to see to, or nothing was found."""


def no_arguments(parser: argparse.ArgumentParser) -> None:
    """For a command that takes none of its own."""


@dataclass(frozen=True)
class Command:
    """One subcommand; what ``run`` raises of the error tree is printed without a traceback."""

    name: str
    summary: str
    run: Callable[[Path, argparse.Namespace], Outcome]
    """Gets the directory of the memory and the arguments."""
    add_arguments: Callable[[argparse.ArgumentParser], None] = field(default=no_arguments)
