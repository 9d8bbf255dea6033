"""Each phase of each memory in a process of its own, in turns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from benchmark.store.measure import PHASES, Figures, Load

_PROJECT = Path(__file__).parents[2]


def measured(load: Load, systems: Mapping[str, Path | None]) -> dict[str, Figures]:
    """The figures of each system; its process looks for packages in the path given first.

    Raises subprocess.CalledProcessError when a phase fails; it has said why on the screen.
    """
    figures: dict[str, Figures] = {name: {} for name in systems}
    with tempfile.TemporaryDirectory(prefix="memory-bench-") as directory:
        for phase in PHASES:
            for name, packages in systems.items():
                print(f"bench: {phase} {name}", flush=True)
                figures[name] |= _run_phase(name, phase, load, Path(directory) / name, packages)
    for found in figures.values():
        found["ingest_settled_per_s"] = _settled_per_s(load, found)
    return figures


def _run_phase(
    system: str, phase: str, load: Load, directory: Path, packages: Path | None
) -> Figures:
    output = directory.with_suffix(f".{phase}.json")
    python_path = [str(path) for path in (packages, _PROJECT) if path is not None]
    arguments = [system, phase, str(load.size), str(load.limit_s), str(directory), str(output)]
    command = [sys.executable, "-m", "benchmark.store.phase", *arguments]
    subprocess.run(
        [*command, "--distinct"] if load.is_distinct else command,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(python_path)},
        check=True,
    )
    figures: Figures = json.loads(output.read_text(encoding="utf-8"))
    return figures


def _settled_per_s(load: Load, figures: Figures) -> float:
    """Observations a second, with the time that the index needs to be complete."""
    per_s, settle_s = figures["ingest_per_s"], figures["index_settle_s"]
    assert per_s is not None and settle_s is not None
    return load.size / (load.size / per_s + settle_s)
