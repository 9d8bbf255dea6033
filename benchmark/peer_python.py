"""The Python that the peer memory, eMEM, runs in: never the one of the suite."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmark.store.peer import installed
from memory_nodes.errors import ExtraMissing

PYTHON_VARIABLE = "MEMORY_BENCH_PEER_PYTHON"
_PACKAGES = Path(__file__).parents[1] / ".dev" / "peer"


@dataclass(frozen=True)
class PeerPython:
    """An interpreter that can import emem, and numpy with it."""

    executable: str
    variables: Mapping[str, str] = field(default_factory=dict)
    """Of its environment, beside those that are there."""

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, **self.variables}


def peer_python(packages: Path = _PACKAGES) -> PeerPython | None:
    """The Python that MEMORY_BENCH_PEER_PYTHON names, else ours with the peer installed beside it.

    None where it cannot be installed: the reason is told on the screen.
    """
    named = os.environ.get(PYTHON_VARIABLE)
    if named:
        return PeerPython(named, {"PYTHONPATH": ""})  # nothing of ours
    try:
        return PeerPython(sys.executable, {"PYTHONPATH": str(installed(packages))})
    except ExtraMissing as error:
        print(f"bench: without the peer: {error}; or name a Python in {PYTHON_VARIABLE}")
        return None
