"""Forgetting from the command line: nothing goes without a yes."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from memory_nodes.cli.main import main
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.full_memory import write_full_memory


@pytest.fixture
def memory_dir(tmp_path: Path) -> Path:
    write_full_memory(tmp_path / "memory")
    return tmp_path / "memory"


class Terminal(io.StringIO):
    """A standard input at which somebody sits."""

    def isatty(self) -> bool:
        return True


def _run(memory_dir: Path, *arguments: str) -> int:
    return main(["forget", *arguments, "--memory-dir", str(memory_dir)])


def _objects(memory_dir: Path) -> list[str]:
    reader = Reader(memory_dir)
    found = [item.object_id for item in reader.objects()]
    reader.close()
    return found


def test_dry_run_counts_and_forgets_nothing(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(memory_dir, "mug_1", "--dry-run", "--json") == 0
    counted = json.loads(capsys.readouterr().out)
    assert (counted["objects"], counted["forgotten"]) == (1, False)
    assert _objects(memory_dir) == ["mug_1", "desk_1"]


def test_with_yes_it_forgets_what_the_dry_run_counted(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _run(memory_dir, "mug_1", "--dry-run", "--json")
    counted = json.loads(capsys.readouterr().out)
    assert _run(memory_dir, "mug_1", "--yes", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {**counted, "forgotten": True}
    assert _objects(memory_dir) == ["desk_1"]


def test_without_a_terminal_and_without_yes_nothing_goes(
    memory_dir: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    assert _run(memory_dir, "mug_1") == 1
    assert "nothing was forgotten" in capsys.readouterr().out
    assert _objects(memory_dir) == ["mug_1", "desk_1"]


@pytest.mark.parametrize(("typed", "status"), [("yes\n", 0), ("y\n", 1), ("\n", 1), ("", 1)])
def test_person_at_a_terminal_is_asked(
    memory_dir: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
    status: int,
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    assert _run(memory_dir, "mug_1") == status
    assert "1 objects" in capsys.readouterr().err
    assert ("mug_1" in _objects(memory_dir)) == (status == 1)


def test_all_that_is_given_must_hold(memory_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    here = ("--center", "1", "-2.5", "0", "--radius", "0.5")
    assert _run(memory_dir, "--text", "snowman", *here, "--dry-run", "--json") == 0
    assert json.loads(capsys.readouterr().out)["observations"] == 1
    there = ("--center", "9", "9", "0", "--radius", "0.5")
    assert _run(memory_dir, "--text", "snowman", *there, "--dry-run", "--json") == 0
    assert json.loads(capsys.readouterr().out)["observations"] == 0


def test_request_for_nothing_is_refused(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(memory_dir, "--yes") == 1
    assert "nothing is given to forget" in capsys.readouterr().err


def test_no_memory_is_made_where_there_is_none(tmp_path: Path) -> None:
    assert _run(tmp_path / "nowhere", "mug_1", "--yes") == 1
    assert list(tmp_path.iterdir()) == []


def test_while_another_writes_it_says_who_may_forget(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = Writer(memory_dir)
    assert _run(memory_dir, "mug_1", "--yes") == 1
    writer.close()
    assert "forget: " in capsys.readouterr().err
