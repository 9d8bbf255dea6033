"""Programs end when they are told to, in whatever state they are."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from memory_nodes.perception.spool import SPOOL_NAME, Spool
from memory_test_support.hand_camera import EVERY_IMAGE, Camera
from memory_test_support.node_bench import NodeBench
from memory_test_support.programs import Program, executable
from memory_test_support.tour import load_tour

SHOTS = 5


@pytest.mark.parametrize("autostart", [True, False])
@pytest.mark.parametrize("name", ["memory", "query_node"])
def test_program_ends_on_ctrl_c_with_exit_code_0(
    name: str, autostart: bool, ros_domain: int, tmp_path: Path
) -> None:
    with NodeBench(ros_domain, tmp_path) as bench:
        program = Program(name, tmp_path, {"autostart": autostart, "memory_dir": tmp_path})
        try:
            bench.until(lambda: "query_node" in bench.user.get_node_names(), "the node to be up")
        finally:
            assert program.end() == 0, program.log.read_text()


def test_suite_told_to_end_while_it_records_leaves_all_it_took_on_disk(
    ros_domain: int, tmp_path: Path
) -> None:
    """Nobody listens on port 9: what was recorded waits in the spool, the open chunk too."""
    parameters = {
        "memory_dir": tmp_path,
        "base_url": "http://127.0.0.1:9/v1",
        **EVERY_IMAGE,
    }
    with NodeBench(ros_domain, tmp_path) as bench:
        program = Program("memory", tmp_path / "log", parameters)
        try:
            camera = Camera(bench, load_tour())
            for stamp_s in range(100, 100 + SHOTS):
                camera.stand_at(stamp_s, float(stamp_s))
                camera.shoot(stamp_s)
            bench.until(lambda: recorded(tmp_path) > 0, "the first keyframes on disk", 60.0)
            before = recorded(tmp_path)
        finally:
            assert program.end() == 0, program.log.read_text()
    spool = Spool(tmp_path)
    chunk = spool.next_undetected()
    assert chunk is not None
    assert spool.open_keyframe_ids() == []
    assert len(chunk.keyframes) >= before
    assert all((tmp_path / item.image_path).is_file() for item in chunk.keyframes)
    spool.close()


def recorded(memory_dir: Path) -> int:
    """Keyframes that are on disk."""
    spool = memory_dir / SPOOL_NAME
    if not spool.is_file():
        return 0
    query = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'keyframe'"
    with closing(sqlite3.connect(f"{spool.as_uri()}?mode=ro", uri=True)) as connection:
        try:
            return int(connection.execute(query).fetchone()[0])
        except sqlite3.OperationalError:  # it is just being made
            return 0


def test_program_that_cannot_start_says_why_with_exit_code_1(
    ros_domain: int, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no directory")
    program = Program("episodic_node", tmp_path, {"memory_dir": tmp_path / "file"})
    assert program.process.wait(30.0) == 1
    assert "cannot open the memory" in program.log.read_text()


def test_unknown_kind_of_parameter_is_named_with_exit_code_1(
    ros_domain: int, tmp_path: Path
) -> None:
    program = Program("query_node", tmp_path, {"memory_dir": tmp_path, "min_score": "high"})
    assert program.process.wait(30.0) == 1
    assert "min_score" in program.log.read_text()


@pytest.mark.parametrize("name", ["memory", "goal_node"])
def test_help_tells_what_a_program_is_and_starts_nothing(name: str, tmp_path: Path) -> None:
    said = subprocess.run(
        [executable(name), "--help"], capture_output=True, text=True, check=True, timeout=30
    )
    assert "GoalNode: " in said.stdout
    assert "--params-file" in said.stdout


def test_argument_that_means_nothing_is_refused(tmp_path: Path) -> None:
    said = subprocess.run(
        [executable("query_node"), "--fast"], capture_output=True, text=True, timeout=30
    )
    assert said.returncode == 2
    assert "--fast" in said.stderr
