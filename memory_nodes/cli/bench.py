"""memory bench"""

from __future__ import annotations

import argparse
from pathlib import Path

from memory_nodes.cli.command import Command, Outcome

_LIST, _RUN = "./dev bench", "./dev bench NAME"


def _run(memory_dir: Path, arguments: argparse.Namespace) -> Outcome:
    return Outcome(
        lines=(
            "Benchmarks need the recorded tour and are run in the source tree:",
            f"  {_LIST:18} which there are",
            f"  {_RUN:18} runs one; --json FILE keeps its figures",
        ),
        data={"list": _LIST, "run": _RUN},
    )


COMMAND = Command("bench", "say how the benchmarks are run", _run)
