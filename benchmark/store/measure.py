"""Three phases of a memory's life, each measured in a process of its own."""

from __future__ import annotations

import sqlite3
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from benchmark.store.exactness import day_before, near, recalls
from benchmark.store.system import System
from benchmark.store.workload import (
    END_NS,
    START_NS,
    Question,
    Sighting,
    days,
    questions,
    sightings,
)
from memory_nodes.records import NS_PER_S

Figures: TypeAlias = "dict[str, float | None]"

QUESTIONS = 150
FEW_QUESTIONS = 60
STORED_ADDS = 200
MIN_TIMED = 5
ADD_PERIOD_S = 0.02
"""While it archives, an observation comes this often."""


@dataclass(frozen=True)
class Load:
    """What a memory has to carry, and how long one measurement may take."""

    size: int
    is_distinct: bool = False
    limit_s: float = 60.0


def ingest(system: System, load: Load, directory: Path) -> Figures:
    """Thirty patrols come in; each is stored to the last row before its episode ends."""
    system.open(directory, START_NS)
    adds_s: list[float] = []
    ends_s: list[float] = []
    ingest_s = 0.0
    for number, day in enumerate(days(load.size, load.is_distinct)):
        system.start_episode(f"day_{number}", day[0].stamp_ns)
        started_s = time.perf_counter()
        adds_s += [_seconds(system.add, sighting) for sighting in day]
        system.flush()
        ingest_s += time.perf_counter() - started_s
        ends_s.append(_seconds(system.end_episode, day[-1].stamp_ns))
    return {
        "ingest_per_s": load.size / ingest_s,
        "add_ms_p50": _percentile_ms(adds_s, 50),
        "add_ms_p99": _percentile_ms(adds_s, 99),
        "end_episode_s": statistics.median(ends_s),
        "ingest_rss_mb": _rss_mb(),
        "close_s": _seconds(system.close),
    }


def query(system: System, load: Load, directory: Path) -> Figures:
    """The memory is opened anew and asked; its answers are compared with exact ones."""
    asked = questions(QUESTIONS)
    figures: Figures = {"base_rss_mb": _rss_mb()}
    started_s = time.perf_counter()
    system.open(directory, END_NS)
    system.semantic("warm up")
    figures["reopen_s"] = time.perf_counter() - started_s
    unsettled = _timed(lambda q: system.semantic(q.text), asked[:FEW_QUESTIONS], load.limit_s)
    figures["semantic_unsettled_ms_p50"] = _percentile_ms(unsettled.seconds, 50)
    figures["index_settle_s"] = _seconds(system.settle)
    figures |= _latencies(system, asked, load.limit_s)
    figures["rss_mb"] = _rss_mb()
    rows = list(sightings(load.size, load.is_distinct))
    figures |= recalls(system, rows, asked[:FEW_QUESTIONS])
    system.close()
    figures["disk_bytes_per_observation"] = _disk_bytes(directory) / load.size
    return figures


def archive(system: System, load: Load, directory: Path) -> Figures:
    """The memory is opened once more and archives, while observations go on coming in."""
    started_s = time.perf_counter()
    system.open(directory, END_NS)
    system.semantic("warm up")
    figures: Figures = {"reopen_again_s": time.perf_counter() - started_s}
    late = Sighting("a late visitor", 25.0, 25.0, END_NS, "description")
    stored_s = [
        _seconds(system.add_stored, replace(late, stamp_ns=END_NS + number * NS_PER_S))
        for number in range(STORED_ADDS)
    ]
    figures["add_stored_ms_p50"] = _percentile_ms(stored_s, 50)
    figures["add_stored_ms_p99"] = _percentile_ms(stored_s, 99)
    started_s = time.perf_counter()
    stalls_s = [0.0]
    with ThreadPoolExecutor(1) as pool:
        archiving: Future[tuple[int, int]] = pool.submit(system.archive, load.limit_s)
        while not wait([archiving], timeout=ADD_PERIOD_S).done:
            stalls_s.append(_seconds(system.add_stored, late))
    archive_s = time.perf_counter() - started_s
    archived, due = archiving.result()
    is_extrapolated = archived < due
    if is_extrapolated:
        archive_s = whole_archive_s(archive_s, archived, due)
        # Cut into pieces it let others in between; the one call that it makes of it does not.
        stalls_s.append(archive_s)
    system.close()
    return figures | {
        "archive_s": archive_s,
        "archive_s_is_extrapolated": is_extrapolated,
        "archive_rows_measured": archived,
        "archive_stall_ms_max": max(stalls_s) * 1e3,
    }


def whole_archive_s(measured_s: float, archived: int, due: int) -> float:
    """At least how long all rows take, from the time of the first ones.

    A row is taken to cost in proportion to the rows that are left, so that the first are the
    dearest: that is the most favourable of what a growing cost can mean.
    """
    left = 1.0 - archived / due
    return measured_s / (1.0 - left**2)


PHASES = {"ingest": ingest, "query": query, "archive": archive}


@dataclass(frozen=True)
class _Timed:
    seconds: list[float]
    chars: list[int]


def _latencies(system: System, asked: Sequence[Question], limit_s: float) -> Figures:
    """How long each kind of question takes, with the text of its answer."""
    hour_ns = 3_600 * NS_PER_S
    few = asked[:FEW_QUESTIONS]
    semantic = _timed(lambda q: system.semantic(q.text), asked, limit_s)
    recall = _timed(lambda q: system.recall(q.text), few, limit_s)
    near_2m = _timed(lambda q: system.near(q.x_m, q.y_m, 2.0), asked, limit_s)
    near_10m = _timed(lambda q: system.near(q.x_m, q.y_m, 10.0), few, limit_s)
    between = _timed(lambda q: system.between(q.stamp_ns - hour_ns, q.stamp_ns), asked, limit_s)
    locate = _timed(lambda q: system.locate(q.text), asked, limit_s)
    within_3m = _timed(lambda q: system.semantic(q.text, near(q)), asked, limit_s)
    within_1day = _timed(lambda q: system.semantic(q.text, day_before(q)), asked, limit_s)
    return {
        "semantic_ms_p50": _percentile_ms(semantic.seconds, 50),
        "semantic_ms_p95": _percentile_ms(semantic.seconds, 95),
        "semantic_3m_ms_p50": _percentile_ms(within_3m.seconds, 50),
        "semantic_1day_ms_p50": _percentile_ms(within_1day.seconds, 50),
        "spatial_2m_ms_p50": _percentile_ms(near_2m.seconds, 50),
        "spatial_10m_ms_p50": _percentile_ms(near_10m.seconds, 50),
        "temporal_ms_p50": _percentile_ms(between.seconds, 50),
        "locate_ms_p50": _percentile_ms(locate.seconds, 50),
        "recall_ms_p50": _percentile_ms(recall.seconds, 50),
        "recall_chars_max": max(recall.chars, default=None),
    }


def _timed(ask: Callable[[Question], str], asked: Sequence[Question], limit_s: float) -> _Timed:
    """Asks until the time is up; a search that the database refuses has no figure."""
    seconds: list[float] = []
    chars: list[int] = []
    for question in asked:
        if len(seconds) >= MIN_TIMED and sum(seconds) > limit_s:
            break
        started_s = time.perf_counter()
        try:
            answer = ask(question)
        except sqlite3.Error:
            continue
        seconds.append(time.perf_counter() - started_s)
        chars.append(len(answer))
    return _Timed(seconds, chars)


def _seconds(call: Callable[..., object], *arguments: object) -> float:
    started_s = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - started_s


def _percentile_ms(seconds: Sequence[float], percent: int) -> float | None:
    if len(seconds) < 2:
        return None
    return statistics.quantiles(seconds, n=100, method="inclusive")[percent - 1] * 1e3


def _rss_mb() -> float:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024.0
    raise RuntimeError("/proc/self/status has no VmRSS")


def _disk_bytes(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
