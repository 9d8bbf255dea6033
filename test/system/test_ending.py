"""Programs end when they are told to, in whatever state they are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memory_test_support.node_bench import NodeBench
from memory_test_support.programs import Program, executable


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
