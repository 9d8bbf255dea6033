"""The demo, as `./dev demo` runs it: the whole suite from camera to goal."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image


@pytest.mark.timeout(300)
def test_demo_remembers_answers_and_arrives(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "memory_test_support.demo", "--out", str(tmp_path)]
    demo = subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert demo.stdout.rstrip().endswith("demo: ok")
    assert "stand-in" in demo.stdout
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["keyframes"] == 75
    # ceil(75 / 8); a machine that stalls for longer than the flush time makes a chunk more
    assert report["chunks"] >= 10
    assert len(report["questions"]) == 8
    assert sum(asked["in_truth"] for asked in report["questions"]) >= 7
    assert report["goal"]["outcome"] == "ARRIVED"
    assert report["goal"]["distance_to_keyframe_pose_m"] < 0.001
    assert report["goal"]["heading_error_rad"] < 0.001
    assert report["goal"]["distance_to_tour_pose_m"] < 0.001
    assert report["goal"]["tour_heading_error_rad"] < 0.001
    for name in ("map.png", "markers.png", "answer.png"):
        with Image.open(tmp_path / name) as picture:
            assert min(picture.size) > 300


@pytest.mark.timeout(120)
def test_demo_without_its_suite_fails_in_one_line(tmp_path: Path) -> None:
    """A suite that cannot start, here for want of a writable directory, is told at the end."""
    (tmp_path / "memory").write_text("in the way")
    for name in ("map.png", "answer.png", "report.json"):
        (tmp_path / name).write_text("of an earlier demo")
    assert_fails_in_one_line(tmp_path)
    assert not (tmp_path / "map.png").exists()
    assert not (tmp_path / "answer.png").exists()
    assert json.loads((tmp_path / "report.json").read_text())["keyframes"] == 0


def test_demo_that_cannot_write_its_results_fails_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    last = assert_fails_in_one_line(tmp_path / "file" / "out")
    assert str(tmp_path / "file") in last


def test_interrupted_demo_says_so_and_ends_its_processes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "memory_test_support.demo", "--out", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        for line in demo.stdout:
            if line.startswith("remembering"):
                break
        running = children_of(demo.pid)
        assert len(running) == 4
        demo.send_signal(signal.SIGINT)
        out, _ = demo.communicate(timeout=60)
    assert demo.returncode == 1
    assert out.rstrip().splitlines()[-1] == "demo: FAILED interrupted"
    assert not any(Path(f"/proc/{pid}").exists() for pid in running)


def children_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def assert_fails_in_one_line(out: Path) -> str:
    """The verdict of a demo that fails."""
    command = [sys.executable, "-m", "memory_test_support.demo", "--out", str(out)]
    demo = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert demo.returncode == 1
    assert "Traceback" not in demo.stdout + demo.stderr
    last = demo.stdout.rstrip().splitlines()[-1]
    assert last.startswith("demo: FAILED ")
    return last
