"""A progress bar on a terminal, and nothing elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from memory_nodes.replay.recording import Progress as Report


@contextmanager
def progress_bars() -> Iterator[Report]:
    """One bar for each thing that is done, on the standard error."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    times = (TimeElapsedColumn(), TimeRemainingColumn())
    bars: dict[str, TaskID] = {}
    with Progress(*columns, *times, console=console, disable=not console.is_terminal) as drawn:

        def report(what: str, done: int, total: int) -> None:
            if what not in bars:
                bars[what] = drawn.add_task(what)
            drawn.update(bars[what], completed=done, total=total)

        yield report
