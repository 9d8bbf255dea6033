"""What a command prints: rich tables on a terminal, plain text elsewhere."""

from __future__ import annotations

import json
import sys

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from memory_nodes.cli.command import Outcome, Table

_KEPT = "\n\t"
_GAP = "  "


def print_outcome(outcome: Outcome, *, as_json: bool) -> None:
    """To the standard output."""
    if as_json:
        print(json.dumps(outcome.data, indent=2))
        return
    console = Console()
    for line in outcome.lines:
        if isinstance(line, str):
            print(printable(line))
        elif console.is_terminal:
            console.print(_rich(line))
        else:
            for row in _plain(line):
                print(row)


def print_error(text: str) -> None:
    """As one line, to the standard error."""
    print(printable(" ".join(text.split())), file=sys.stderr)


def printable(text: str) -> str:
    """Without what would steer a terminal: a model, or a poster in a picture, may have said it."""
    return "".join(char if char.isprintable() or char in _KEPT else "\ufffd" for char in text)


def _rich(table: Table) -> RichTable:
    has_head = any(table.columns)
    drawn = RichTable(box=SIMPLE_HEAD if has_head else None, show_header=has_head, pad_edge=False)
    for column in table.columns:
        drawn.add_column(Text(column), overflow="fold")
    for row in table.rows:
        drawn.add_row(*(Text(printable(cell)) for cell in row))
    return drawn


def _plain(table: Table) -> list[str]:
    """In columns; a cell has one line."""
    head = [table.columns] if any(table.columns) else []
    rows = [
        [" ".join(printable(cell).splitlines()) for cell in row] for row in (*head, *table.rows)
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        _GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
