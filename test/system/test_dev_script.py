"""What `./dev` says on a machine that cannot run it: one line with the cure, and no success.

Each test runs a copy of the script with a bare environment; .dev of this checkout stays untouched.
"""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = str(Path(sys.base_prefix) / "bin" / "python3")
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs the copy of `dev`; `tools` are fake programs, by name, that come first on PATH."""
    tree = tmp_path / "tree"
    tree.mkdir()
    shutil.copy(ROOT / "dev", tree)
    shutil.copytree(ROOT / "requirements", tree / "requirements")
    fakes = tmp_path / "fakes"
    fakes.mkdir()

    def run_dev(
        *arguments: str, tools: dict[str, str] | None = None, path: str = SYSTEM_PATH, **env: str
    ) -> "subprocess.CompletedProcess[str]":
        for name, body in (tools or {}).items():
            (fakes / name).write_text(f"#!/bin/sh\n{body}\n")
            (fakes / name).chmod(0o755)
        return subprocess.run(
            [str(tree / "dev"), *arguments],
            env={"PATH": f"{fakes}:{path}", "PYTHON": PYTHON, "PIP_CONFIG_FILE": os.devnull, **env},
            capture_output=True,
            text=True,
            check=False,
        )

    return run_dev


def assert_one_line(result: "subprocess.CompletedProcess[str]", *cues: str) -> None:
    """The command failed, and its only line on stderr holds every cue."""
    assert result.returncode != 0
    (line,) = result.stderr.splitlines()
    for cue in cues:
        assert cue in line


@pytest.mark.parametrize("arguments", [("help",), ("--help",), ()])
def test_help_names_every_command(run: Run, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)

    assert result.returncode == 0
    assert result.stderr == ""
    for command in ("demo", "test", "lint", "bench", "shell", "build", "setup", "help"):
        assert f"\n  {command}" in result.stdout


def test_unknown_command_is_refused_and_points_to_help(run: Run) -> None:
    assert_one_line(run("tset"), "'tset'", "./dev help")


def test_unknown_setup_option_is_refused_before_anything_is_set_up(run: Run) -> None:
    result = run("setup", "--all")

    assert_one_line(result, "'--all'", "--models")
    assert result.stdout == ""


def test_unsupported_python_is_named_with_the_range_that_works(run: Run, tmp_path: Path) -> None:
    old = tmp_path / "old_python"
    old.write_text("#!/bin/sh\necho 3.9\n")
    old.chmod(0o755)

    assert_one_line(run("build", PYTHON=str(old)), "3.10 to 3.13", "found 3.9", "PYTHON=")


def test_missing_python_is_told_apart_from_a_wrong_one(run: Run) -> None:
    assert_one_line(run("build", PYTHON="/nowhere/python3"), "found none", "PYTHON=")


def test_machine_without_wheels_is_told_to_source_a_ros(run: Run) -> None:
    uname = 'case "$1" in -m) echo aarch64 ;; *) echo Linux ;; esac'

    assert_one_line(run("test", tools={"uname": uname}), "aarch64", "install ROS 2", "setup.bash")


def test_full_disk_is_found_before_anything_is_downloaded(run: Run) -> None:
    df = "echo Filesystem 1M-blocks Used Available Capacity Mounted\necho disk 1000 900 100 90% /"

    assert_one_line(run("build", tools={"df": df}), "100 MB are free", "2000 MB", "free some space")


def test_unreachable_package_index_is_named_with_the_cure(run: Run) -> None:
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))  # bound, never listening: connections are refused
        index = f"http://127.0.0.1:{unheard.getsockname()[1]}/simple"

        result = run("build", PIP_INDEX_URL=index)

    assert_one_line(result, "package index", "PIP_INDEX_URL", ".dev/log/python-packages.log")


def test_missing_compiler_without_root_prints_the_exact_install_line(
    run: Run, tmp_path: Path
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    for name in ("awk", "bash", "cat", "df", "dirname", "env", "flock", "mkdir", "rm", "sha256sum"):
        found = shutil.which(name, path=SYSTEM_PATH)
        assert found is not None
        (bare / name).symlink_to(found)
    tools = {
        "apt-get": "exit 1",
        "id": "echo 1000",
        "sudo": "exit 1",
        "uname": 'case "$1" in -m) echo x86_64 ;; *) echo Linux ;; esac',
    }

    result = run("build", tools=tools, path=str(bare))

    assert_one_line(result, "sudo apt-get install -y", "g++")


def test_failed_set_up_is_not_taken_for_done(run: Run) -> None:
    index = "http://127.0.0.1:9/simple"
    run("build", PIP_INDEX_URL=index)

    assert_one_line(run("build", PIP_INDEX_URL=index), "package index")
