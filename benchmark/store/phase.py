"""One phase of one memory: `python -m benchmark.store.phase SYSTEM PHASE SIZE ...`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from benchmark.store.measure import PHASES, Load
from benchmark.store.ours import RobotMemory
from benchmark.store.peer import Emem
from benchmark.store.system import System

SYSTEMS: dict[str, Callable[[], System]] = {"ours": RobotMemory, "emem": Emem}


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmark.store.phase")
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("phase", choices=PHASES)
    parser.add_argument("size", type=int)
    parser.add_argument("limit_s", type=float)
    parser.add_argument("directory", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--distinct", action="store_true")
    arguments = parser.parse_args()
    arguments.directory.mkdir(parents=True, exist_ok=True)
    load = Load(arguments.size, arguments.distinct, arguments.limit_s)
    figures = PHASES[arguments.phase](SYSTEMS[arguments.system](), load, arguments.directory)
    arguments.output.write_text(json.dumps(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
