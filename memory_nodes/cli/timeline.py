"""memory timeline"""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path
from typing import Any

from memory_nodes.cli.command import Command, Outcome, Table
from memory_nodes.cli.options import TIMES, add_time_zone, read_when, whole
from memory_nodes.dates import Dates
from memory_nodes.episodic.history.summary import summary
from memory_nodes.episodic.history.tree import Branch, HistoryTree
from memory_nodes.store.memory_clock import MemoryClock
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader

INDENT = "  "


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "when", nargs="*", help=f"a time: {TIMES} (default: all that is remembered)"
    )
    parser.add_argument(
        "--level",
        type=whole(least=0),
        default=0,
        metavar="N",
        help="2 for events, 3 for goals, more for what is above (default: what fits best)",
    )
    parser.add_argument(
        "--tree", action="store_true", help="with all that is below, down to the events"
    )
    add_time_zone(parser)


def _run(memory_dir: Path, arguments: argparse.Namespace) -> Outcome:
    dates = Dates(arguments.time_zone)
    with closing(Reader(memory_dir)) as reader:
        since_ns, until_ns, _ = reader.span()
        if arguments.when:
            now_ns = MemoryClock(reader).now_ns()
            span = read_when(" ".join(arguments.when), now_ns, dates)
            since_ns, until_ns = max(since_ns, span.since_ns), span.until_ns
    with closing(Past(memory_dir)) as past:
        found = summary(past, min(since_ns, until_ns), until_ns, arguments.level, dates)
        rows = [(node, 0) for node in found.nodes]
        if arguments.tree:
            rows = list(HistoryTree(past, dates).down_to_events(found.nodes))
    table = Table(
        ("when", "what"),
        tuple(
            (dates.span(node.start_ns, node.end_ns), INDENT * depth + node.text)
            for node, depth in rows
        ),
    )
    return Outcome(
        lines=(table,) if rows else (found.text,),
        data={
            "since_ns": since_ns,
            "until_ns": until_ns,
            "nodes": [_data(node, depth) for node, depth in rows],
        },
        is_ok=bool(rows),
    )


def _data(node: Branch, depth: int) -> dict[str, Any]:
    return {
        "node_id": node.node_id,
        "unit": node.unit,
        "level": node.level,
        "depth": depth,
        "start_ns": node.start_ns,
        "end_ns": node.end_ns,
        "text": node.text,
        "is_open": node.is_open,
    }


COMMAND = Command("timeline", "tell what happened in a stretch of time", _run, _add_arguments)
