"""Python programs in processes of their own, to be killed or watched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).resolve().parents[1]
PROJECT = SUPPORT.parents[1]
TIMEOUT_S = 60.0


def start_python(program: str, *arguments: str | Path) -> subprocess.Popen[str]:
    """A running program that may import the library and test support; its stdout is a pipe."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        env=_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_python(program: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A program that has ended, with its exit status and what it wrote."""
    process = start_python(program, *arguments)
    try:
        out, err = process.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def _environment() -> dict[str, str]:
    paths = [str(PROJECT), str(SUPPORT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
