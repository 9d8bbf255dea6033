"""memory locate"""

from __future__ import annotations

import argparse
from contextlib import closing
from pathlib import Path

from memory_nodes.answering.locating import locate_objects
from memory_nodes.cli.command import Command, Outcome
from memory_nodes.cli.findings import keyframe_data, object_data, object_table
from memory_nodes.cli.options import add_map, add_time_zone, whole
from memory_nodes.dates import Dates
from memory_nodes.retrieval.retriever import RetrievalConfig
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.store.filters import Filter
from memory_nodes.store.memory_clock import MemoryClock
from memory_nodes.store.reader import Reader


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("text", nargs="?", default="", help='what it is: "red mug"')
    what.add_argument("--id", default="", dest="object_id", metavar="ID", help="mug_3, for one")
    parser.add_argument(
        "--max-objects",
        type=whole(least=1),
        default=5,
        metavar="N",
        help="at most (default: %(default)s)",
    )
    add_map(parser)
    add_time_zone(parser)


def _run(memory_dir: Path, arguments: argparse.Namespace) -> Outcome:
    with closing(Reader(memory_dir)) as reader:
        now_ns = MemoryClock(reader).now_ns()
        snapshot = SnapshotCache(reader).current().filtered(Filter(map_id=arguments.map_id))
    located = locate_objects(
        snapshot,
        arguments.text,
        arguments.object_id,
        RetrievalConfig().min_score,
        arguments.max_objects,
    )
    shown = [(item.descriptor, item.keyframe.keyframe) for item in located]
    return Outcome(
        lines=(object_table(shown, Dates(arguments.time_zone), now_ns),)
        if located
        else ("not seen",),
        data={
            "objects": [
                {
                    **object_data(item.descriptor, snapshot),
                    "age_s": max(0, now_ns - item.descriptor.last_seen_ns) / 1e9,
                    "keyframe": keyframe_data(item.keyframe),
                }
                for item in located
            ]
        },
        is_ok=bool(located),
    )


COMMAND = Command("locate", "tell where an object is, and when it was seen", _run, _add_arguments)
