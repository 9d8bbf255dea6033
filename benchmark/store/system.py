"""What the benchmark asks of a memory, ours or another's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from benchmark.store.workload import Sighting

HITS = 10
"""The answers that each search is asked for."""


@dataclass(frozen=True)
class Where:
    """What narrows a search: a disc on the floor, a span of time, both or neither."""

    center_m: tuple[float, float] | None = None
    radius_m: float = 0.0
    span_ns: tuple[int, int] | None = None
    """First and last stamp, both included."""


EVERYWHERE = Where()


class System(Protocol):
    """One memory in one process. Searches give the text that a language model would read."""

    def open(self, directory: Path, now_ns: int) -> None:
        """Opens the memory in a directory, or makes it, so that it answers and takes in."""

    def close(self) -> None:
        """Leaves everything on disk."""

    def start_episode(self, name: str, stamp_ns: int) -> None: ...

    def end_episode(self, stamp_ns: int) -> None:
        """Ends the episode, with the summaries that the memory makes of one."""

    def add(self, sighting: Sighting) -> None:
        """Takes one observation as a robot hands it over; it need not be stored at once."""

    def flush(self) -> None:
        """Returns when all that was added is stored."""

    def add_stored(self, sighting: Sighting) -> None:
        """Takes one observation and returns when it is stored."""

    def settle(self) -> None:
        """Returns when nothing is left to be built in the background."""

    def semantic(self, text: str, where: Where = EVERYWHERE) -> str: ...

    def found_texts(self, text: str, where: Where) -> list[str]:
        """The texts that ``semantic`` finds."""

    def near(self, x_m: float, y_m: float, radius_m: float) -> str: ...

    def between(self, since_ns: int, until_ns: int) -> str: ...

    def locate(self, text: str) -> str:
        """Where something is."""

    def recall(self, text: str) -> str:
        """All that is known about something and the place where it is."""

    def archive(self, limit_s: float) -> tuple[int, int]:
        """Archives what is older than ARCHIVE_AFTER_NS: observations archived, and those due.

        It may stop before they are equal when it would take longer than the limit.
        """
