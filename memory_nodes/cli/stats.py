"""memory stats"""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from memory_nodes.cli.command import Command, Outcome, Table
from memory_nodes.records import NS_PER_S
from memory_nodes.store.reader import Reader
from memory_nodes.store.statistics import statistics


def _run(memory_dir: Path, arguments: argparse.Namespace) -> Outcome:
    with closing(Reader(memory_dir)) as reader:
        found = statistics(reader, memory_dir)
    span_s = (found.last_stamp_ns - found.first_stamp_ns) / NS_PER_S
    counted = tuple((name, str(count)) for name, count in asdict(found.counts).items())
    return Outcome(
        lines=(
            Table(
                ("", ""),
                (
                    *counted,
                    ("disk", f"{found.disk_bytes / 1e6:.1f} MB"),
                    ("span", f"{span_s:.0f} s"),
                    ("maps", ", ".join(found.map_ids)),
                ),
            ),
        ),
        data=asdict(found),
    )


COMMAND = Command("stats", "tell how much a memory holds", _run)
