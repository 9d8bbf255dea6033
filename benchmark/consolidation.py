"""How large the places are that a large memory is made of, and what that holds up.

The goals: of 20,000 observations over 50 x 50 m median_radius_m under 4, archive_s of 10,000 under
1, and longest_wait_ms while archiving under 50.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from memory_nodes.episodic.consolidator import Consolidator
from memory_nodes.records import NS_PER_S
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support import roaming

OBSERVATIONS = 20_000
ARCHIVED = 10_000
_PAUSE_S = 0.002
_FLUSHED_TOGETHER = 1000
Result = TypeVar("Result")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", type=int, default=OBSERVATIONS, help="observations")


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Figures outside of any episode and in one; what a key means is told where it is made."""
    figures: dict[str, Any] = {}
    for name in ("free", "episode"):
        with tempfile.TemporaryDirectory() as directory:
            figures[name] = _figures(Path(directory), arguments.size, in_episode=name == "episode")
    return figures


def _figures(memory_dir: Path, size: int, *, in_episode: bool) -> dict[str, Any]:
    """Of one memory. longest_wait_ms: for an empty commit, by a thread that makes one every
    _PAUSE_S. archive_s is of ARCHIVED observations, the pauses for others included, and
    archive_cpu_s what it takes of a core, whoever else works.
    """
    writer, past = Writer(memory_dir), Past(memory_dir)
    if in_episode:
        writer.start_episode("a long walk", "", roaming.START_NS)
    stamps_ns = []
    for observation in roaming.observations(size):
        writer.submit(observation)
        stamps_ns.append(observation.stamp_ns)
        if len(stamps_ns) % _FLUSHED_TOGETHER == 0:  # a slow disk takes no more at once
            writer.flush()
    writer.flush()
    if in_episode:
        writer.end_episode("", stamps_ns[-1])
    consolidator = Consolidator(writer, past, None, None)
    now_ns = stamps_ns[-1] + NS_PER_S
    gists, consolidating_s, wait_s = _disturbed(
        writer, lambda: asyncio.run(consolidator.consolidate_now("", now_ns))
    )
    with writer.database.reading() as connection:
        radii_m = [row[0] for row in connection.execute("SELECT radius_m FROM gist")]
        summarised = connection.execute(
            "SELECT count(*) FROM link WHERE kind = 'SUMMARIZES'"
        ).fetchone()[0]
    figures = {
        "gists": gists,
        "median_radius_m": round(statistics.median(radii_m), 2),
        "largest_radius_m": round(max(radii_m), 2),
        "noise": size - summarised,
        "entities": writer.counts().entities,
        "consolidating_s": round(consolidating_s, 1),
        "consolidating_longest_wait_ms": round(wait_s * 1000.0, 1),
    }
    before_ns = stamps_ns[min(ARCHIVED, size) - 1] + 1
    cpu_s = time.thread_time()
    archived, archive_s, wait_s = _disturbed(
        writer, lambda: writer.archive(before_ns, only_consolidated=True)
    )
    cpu_s = time.thread_time() - cpu_s
    past.close()
    writer.close()
    return figures | {
        "archived": archived,
        "archive_s": round(archive_s, 2),
        "archive_cpu_s": round(cpu_s, 2),
        "longest_wait_ms": round(wait_s * 1000.0, 1),
    }


def _disturbed(writer: Writer, work: Callable[[], Result]) -> tuple[Result, float, float]:
    """What some work gives, the seconds that it took, and the longest that another writer waited
    meanwhile.
    """
    waits_s: list[float] = []
    is_done = threading.Event()

    def write() -> None:
        while not is_done.wait(_PAUSE_S):
            asked_s = time.perf_counter()
            with writer.database.transaction():
                waits_s.append(time.perf_counter() - asked_s)

    other = threading.Thread(target=write)
    other.start()
    started_s = time.perf_counter()
    try:
        result = work()
        taken_s = time.perf_counter() - started_s
    finally:
        is_done.set()
        other.join()
    return result, taken_s, max(waits_s, default=0.0)
