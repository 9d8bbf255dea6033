"""`./dev demo`, run as a user runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

pytest.importorskip("robot_memory.msg")

DEMO = (sys.executable, "-m", "memory_test_support.demo")


def running(log_dir: Path) -> list[str]:
    """Command lines of processes that write the memory beside a log folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (OSError, UnicodeDecodeError):
            continue
        if str(log_dir.parent) in command and "memory_test_support.demo" not in command:
            found.append(command)
    return found


def lines_of(process: subprocess.Popen[str]) -> Iterator[str]:
    assert process.stdout is not None
    yield from process.stdout


@pytest.mark.timeout(180)
def test_demo_remembers_answers_and_arrives(tmp_path: Path) -> None:
    demo = subprocess.run(
        [*DEMO, "--out", str(tmp_path)],
        env={**os.environ, "ROBOT_MEMORY_SETUP_S": "7"},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = demo.stdout.splitlines()
    assert (lines[-1], demo.returncode) == ("demo: ok", 0), demo.stdout + demo.stderr
    assert "stand-ins" in demo.stdout
    assert max(map(len, lines)) <= 120
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert report["keyframes"] == 75
    assert sum(asked["in_truth"] for asked in report["questions"]) >= 7
    assert report["goal"]["outcome"] == "ARRIVED"
    assert report["seconds_setup"] == 7.0
    for name in ("map.png", "answer.png"):
        with Image.open(tmp_path / name) as image:
            assert min(image.size) > 600
    assert running(tmp_path / "logs") == []


@pytest.mark.timeout(120)
def test_interrupted_demo_says_so_and_leaves_no_process(tmp_path: Path) -> None:
    process = subprocess.Popen([*DEMO, "--out", str(tmp_path)], stdout=subprocess.PIPE, text=True)
    lines = []
    for line in lines_of(process):
        lines.append(line.rstrip())
        if "remembering" in line and process.poll() is None:
            process.send_signal(signal.SIGTERM)
    assert process.wait() == 1
    assert lines[-1] == "demo: FAILED interrupted"
    assert running(tmp_path / "logs") == []
