"""memory forget"""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from dataclasses import asdict, fields
from pathlib import Path

from memory_nodes.cli.command import Command, Outcome, Table
from memory_nodes.cli.options import TIMES, add_map, add_time_zone, read_when
from memory_nodes.cli.printing import printable
from memory_nodes.dates import Dates
from memory_nodes.store.forgetting.forgetting import Forgotten
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.memory_clock import MemoryClock
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer

KINDS = tuple(item.name for item in fields(Forgotten) if item.name != "problems")


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "ids",
        nargs="*",
        metavar="ID",
        help="of objects, observations, episodes, gists, entities or keyframes (keyframe_12)",
    )
    parser.add_argument("--text", default="", help="in what was said of it, whatever the case")
    parser.add_argument("--when", help=f"only in this time: {TIMES}")
    parser.add_argument(
        "--center",
        nargs=3,
        type=float,
        metavar=("X", "Y", "Z"),
        help="with --radius: only around here, metres of the map frame",
    )
    parser.add_argument("--radius", type=float, default=0.0, metavar="R", help="metres")
    add_map(parser)
    add_time_zone(parser)
    parser.add_argument("--dry-run", action="store_true", help="only count")
    parser.add_argument("--yes", action="store_true", help="do not ask before deleting")


def _run(memory_dir: Path, arguments: argparse.Namespace) -> Outcome:
    """What is given must all hold, as in the service ForgetMemory."""
    what = _what(memory_dir, arguments)
    with closing(Writer(memory_dir)) as writer:
        counted = writer.forget(what, dry_run=True)
        if arguments.dry_run:
            return _outcome(counted, "would be forgotten", is_done=False)
        if not arguments.yes and not _is_confirmed(counted, as_json=arguments.json):
            return _outcome(
                counted, "nothing was forgotten: it takes a yes, or --yes", is_done=None
            )
        return _outcome(writer.forget(what), "forgotten", is_done=True)


def _what(memory_dir: Path, arguments: argparse.Namespace) -> Forget:
    """Raises StoreMissing where there is no memory: the writer would make one."""
    with closing(Reader(memory_dir)) as reader:
        now_ns = MemoryClock(reader).now_ns()
    span = None
    if arguments.when is not None:
        span = read_when(arguments.when, now_ns, Dates(arguments.time_zone))
    return Forget(
        ids=tuple(arguments.ids),
        text=arguments.text,
        since_ns=None if span is None else span.since_ns,
        until_ns=None if span is None else span.until_ns,
        map_id=arguments.map_id,
        center_map_m=None if arguments.center is None else tuple(arguments.center),
        radius_m=arguments.radius,
    )


def _is_confirmed(counted: Forgotten, *, as_json: bool) -> bool:
    """Asks a person, if there is one; nothing to forget needs no word."""
    if as_json or not sys.stdin.isatty():
        return False
    told = ", ".join(f"{getattr(counted, kind)} {kind}" for kind in KINDS)
    print(printable(f"This forgets for good: {told}."), file=sys.stderr)
    print('Type "yes" to forget: ', end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() == "yes"


def _outcome(forgotten: Forgotten, said: str, *, is_done: bool | None) -> Outcome:
    """``is_done``: None where it should have been, and nobody said yes."""
    table = Table(("", ""), tuple((kind, str(getattr(forgotten, kind))) for kind in KINDS))
    return Outcome(
        lines=(table, said, *(f"problem: {problem}" for problem in forgotten.problems)),
        data={"forgotten": bool(is_done), **asdict(forgotten)},
        is_ok=is_done is not None and not forgotten.problems,
    )


COMMAND = Command(
    "forget", "delete for good: rows, words, vectors and images", _run, _add_arguments
)
