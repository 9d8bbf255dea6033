"""Each command does its work and tells by its exit status how that went."""

from __future__ import annotations

import configparser
import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from memory_nodes.cli.main import COMMANDS, main
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.suite import SuiteConfig
from memory_test_support.child import PROJECT, run_python
from memory_test_support.full_memory import write_full_memory


@pytest.fixture
def memory_dir(tmp_path: Path) -> Path:
    write_full_memory(tmp_path / "memory")
    return tmp_path / "memory"


def _run(memory_dir: Path, *arguments: str) -> int:
    return main([*arguments, "--memory-dir", str(memory_dir)])


def test_doctor_of_a_sound_memory_gives_0(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(memory_dir, "doctor") == 0
    assert f"0 faults in {memory_dir}" in capsys.readouterr().out


def test_doctor_gives_1_until_the_fault_is_repaired(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    connection.execute("UPDATE row_count SET rows = 0")
    connection.commit()
    connection.close()
    assert _run(memory_dir, "doctor") == 1
    assert "warn  counts_wrong:" in capsys.readouterr().out
    assert _run(memory_dir, "doctor", "--repair", "--json") == 0
    assert json.loads(capsys.readouterr().out)["repaired"] == ["counts_wrong"]
    assert _run(memory_dir, "doctor", "--quick") == 0


def test_doctor_tells_findings_in_json(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (memory_dir / "images/2.jpg").unlink()
    assert _run(memory_dir, "doctor", "--json") == 1
    findings = {item["code"]: item for item in json.loads(capsys.readouterr().out)["findings"]}
    assert findings["images_missing"]["severity"] == "error"
    assert findings["images_missing"]["is_repairable"] is False


def test_stats_tell_the_counts(memory_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(memory_dir, "stats", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["counts"]["observations"], found["counts"]["keyframes"]) == (5, 3)
    assert (found["counts"]["entities"], found["counts"]["history_nodes"]) == (2, 2)
    assert found["map_ids"] == ["first floor", "map"]
    assert _run(memory_dir, "stats") == 0
    assert "first floor, map" in capsys.readouterr().out


def test_backup_makes_a_memory(
    memory_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(memory_dir, "backup", str(tmp_path / "copy"), "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "path": str(tmp_path / "copy"),
        "images": 3,
        "missing_images": 0,
    }
    assert _run(tmp_path / "copy", "doctor") == 0


def test_backup_without_all_images_gives_1(memory_dir: Path, tmp_path: Path) -> None:
    (memory_dir / "images/2.jpg").unlink()
    assert _run(memory_dir, "backup", str(tmp_path / "copy")) == 1
    assert (tmp_path / "copy" / DATABASE_NAME).is_file()


@pytest.mark.parametrize("format_name", ["jsonl", "graphml", "node-link", "cypher", "geojson"])
def test_export_prints_where_it_is(
    memory_dir: Path, capsys: pytest.CaptureFixture[str], format_name: str
) -> None:
    assert _run(memory_dir, "export", "all", "--format", format_name) == 0
    assert capsys.readouterr().out == f"{memory_dir / 'exports/all'}\n"
    assert (memory_dir / "exports/all").exists()


def test_import_makes_a_memory_and_counts(
    memory_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _run(memory_dir, "export", "all")
    capsys.readouterr()
    export_dir = str(memory_dir / "exports/all")
    assert _run(tmp_path / "second", "import", export_dir, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["counts"]["observations.jsonl"], found["skipped"]) == (5, 0)
    assert _run(tmp_path / "second", "doctor") == 0


def test_import_with_a_damaged_line_names_it_and_gives_1(
    memory_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _run(memory_dir, "export", "all")
    path = memory_dir / "exports/all/gists.jsonl"
    path.write_text("damaged\n", encoding="utf-8")
    capsys.readouterr()
    assert _run(tmp_path / "second", "import", str(path.parent)) == 1
    assert capsys.readouterr().out.startswith("gists.jsonl:1: skipped: ")


@pytest.mark.parametrize(
    "arguments",
    [
        *(("doctor",), ("stats",), ("backup", "copy"), ("export", "all"), ("import", "nowhere")),
        *(("ask", "where?"), ("locate", "mug"), ("timeline",), ("forget", "mug_1", "--yes")),
    ],
)
def test_error_is_one_line_without_a_traceback(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _run(tmp_path / "nothing", *arguments) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"{arguments[0]}: ")
    assert captured.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_home_of_nobody_is_no_memory(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(Path("~nobody_of_this_name/memory"), "stats") == 1
    assert capsys.readouterr().err == (
        "stats: --memory-dir is '~nobody_of_this_name/memory': there is no such home directory\n"
    )


def test_name_outside_exports_is_refused(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(memory_dir, "export", "../out") == 1
    assert "'../out' cannot be the name of an export" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        *([], ["unknown"], ["backup"], ["export", "x", "--format", "csv"], ["doctor", "--fast"]),
        *(["locate", "mug", "--max-objects", "0"], ["ask", "where?", "--max-keyframes", "-2"]),
        *(["report", "--max-objects", "-1"], ["timeline", "--level", "-1"]),
        *(["mcp", "--http", "65536"], ["mcp", "--http", "web"]),
    ],
)
def test_arguments_that_cannot_be_used_give_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2


def test_every_command_has_a_summary_and_takes_the_memory_and_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for command in COMMANDS:
        with pytest.raises(SystemExit) as exit_:
            main([command.name, "--help"])
        assert exit_.value.code == 0
        printed = capsys.readouterr().out
        assert "--json" in printed
        assert SuiteConfig().memory_dir in printed
        assert command.summary in " ".join(printed.split())


def test_command_runs_in_a_process_of_its_own(memory_dir: Path) -> None:
    program = "import sys; from memory_nodes.cli.main import main; sys.exit(main())"
    child = run_python(program, "stats", "--json", "--memory-dir", memory_dir)
    assert child.returncode == 0, child.stderr
    assert json.loads(child.stdout)["counts"]["gists"] == 1
    child = run_python(program, "stats", "--memory-dir", memory_dir / "nothing")
    assert (child.returncode, child.stdout) == (1, "")
    assert child.stderr.startswith("stats: no memory in")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(command.name in script for command in COMMANDS)
    assert "--memory-dir" in script or "memory-dir" in script


def test_completion_for_bash_is_a_script_that_bash_reads(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["completion", "bash"])
    script = capsys.readouterr().out
    subprocess.run(["bash", "-n"], input=script, text=True, check=True, timeout=10.0)


def test_completion_without_shtab_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["completion", "bash"]) == 1
    assert "robot-memory[completion]" in capsys.readouterr().err


def test_mcp_without_its_packages_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "memory_nodes.mcp_server", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)  # the first that the server imports
    assert main(["mcp"]) == 1
    assert "robot-memory[agents]" in capsys.readouterr().err


def test_reader_that_has_had_enough_is_no_error(memory_dir: Path) -> None:
    """As in `memory stats | head -1`."""
    ear, mouth = os.pipe()
    os.close(ear)
    program = "import sys; from memory_nodes.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "stats", "--memory-dir", str(memory_dir)]
    child = subprocess.run(command, stdout=mouth, stderr=subprocess.PIPE, cwd=PROJECT, timeout=60.0)
    os.close(mouth)
    assert (child.returncode, child.stderr) == (0, b"")


def test_interrupted_command_ends_with_130(
    memory_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("memory_nodes.cli.stats.statistics", interrupted)
    assert _run(memory_dir, "stats") == 130
    assert capsys.readouterr().err == "stats: interrupted\n"


def test_colcon_installs_the_command_beside_the_node_of_the_same_name() -> None:
    parser = configparser.ConfigParser()
    parser.read(PROJECT / "setup.cfg")
    scripts = dict(
        line.replace(" ", "").split("=")
        for line in parser["options.entry_points"]["console_scripts"].strip().splitlines()
    )
    assert scripts["memory_cli"] == "memory_nodes.cli.main:main"
    assert scripts["memory"] == "memory_nodes.nodes.memory:main"


def test_report_writes_a_page_and_a_picture(
    memory_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out" / "today.html"
    assert _run(memory_dir, "report", str(target), "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["page"], told["objects"]) == (str(target), 2)
    assert "mug_1" in target.read_text(encoding="utf-8")
    assert target.with_suffix(".png").read_bytes().startswith(b"\x89PNG")


def test_report_of_another_kind_is_refused(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(memory_dir, "report", "today.pdf") == 1
    assert "ends in .html" in capsys.readouterr().err
