"""How fast, exact and small the memory is, beside another memory that carries the same load.

Both take thirty days of patrols, and are then asked; ours and the peer in turns, each phase in a
process of its own, so that what is asked has been read from the disk.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from benchmark.store.measure import Load
from benchmark.store.peer import installed
from benchmark.store.processes import measured
from benchmark.store.table import table
from memory_nodes.errors import InputError

MIN_SIZE = 100
_PACKAGES = Path(__file__).parents[2] / ".dev" / "peer"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--size", type=int, default=10_000, metavar="N", help="observations")
    peer = parser.add_mutually_exclusive_group()
    peer.add_argument(
        "--peer", choices=("emem", "none"), default="emem", help="the other memory (default: emem)"
    )
    peer.add_argument("--only-peer", action="store_true", help="measure the peer alone")
    parser.add_argument("--distinct", action="store_true", help="make each text occur once only")
    parser.add_argument(
        "--limit-s",
        type=float,
        default=60.0,
        metavar="S",
        help="most seconds for one kind of question, and for the peer's archiving, which is "
        "extrapolated beyond (default: 60)",
    )


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Figures of both memories by their keys; empty for one that was left out.

    Raises InputError for a size or a limit out of range, and ExtraMissing where the peer cannot
    be installed.
    """
    if arguments.size < MIN_SIZE or arguments.limit_s <= 0.0:
        raise InputError(
            f"--size {arguments.size} --limit-s {arguments.limit_s}: give at least {MIN_SIZE} "
            "observations and more than 0 s"
        )
    load = Load(arguments.size, arguments.distinct, arguments.limit_s)
    systems: dict[str, Path | None] = {} if arguments.only_peer else {"ours": None}
    if arguments.peer != "none":
        systems[arguments.peer] = installed(_PACKAGES)
    figures = measured(load, systems)
    return {
        "size": load.size,
        "is_distinct": load.is_distinct,
        "ours": figures.get("ours", {}),
        "peer": figures.get(arguments.peer, {}),
    }


def shown(figures: dict[str, Any]) -> str:
    """The figures as a table."""
    return table(figures["ours"], figures["peer"])
