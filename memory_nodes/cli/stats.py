"""memory stats"""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from memory_nodes.cli.command import Command, Outcome
from memory_nodes.records import NS_PER_S
from memory_nodes.store.reader import Reader
from memory_nodes.store.statistics import statistics


def _run(memory_dir: Path, arguments: argparse.Namespace) -> Outcome:
    with closing(Reader(memory_dir)) as reader:
        found = statistics(reader, memory_dir)
    span_s = (found.last_stamp_ns - found.first_stamp_ns) / NS_PER_S
    return Outcome(
        lines=(
            *(f"{name:14} {count}" for name, count in asdict(found.counts).items()),
            f"{'disk':14} {found.disk_bytes / 1e6:.1f} MB",
            f"{'span':14} {span_s:.0f} s",
            f"{'maps':14} {', '.join(found.map_ids)}",
        ),
        data=asdict(found),
    )


COMMAND = Command("stats", "tell how much a memory holds", _run)
