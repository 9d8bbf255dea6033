"""The commands of docs/cli.md are commands, and those that need nothing else run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from memory_nodes.cli.main import COMMANDS, main
from memory_test_support.told_house import write_told_house

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "cli.md").read_text(encoding="utf-8")
BLOCKS = "\n".join(re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)).replace("\\\n", " ")
LINES = [
    shlex.split(line.partition(" > ")[0], comments=True)[1:]
    for line in BLOCKS.splitlines()
    if line.startswith("memory ")
]
NOTHING_THERE = ("timeline",)
"""The history of the house is not told."""


def test_page_names_every_command_and_no_other() -> None:
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", PAGE, re.MULTILINE)
    assert sorted(re.findall(r"\w+", " ".join(rows))) == sorted(item.name for item in COMMANDS)


@pytest.mark.parametrize("arguments", LINES, ids=" ".join)
def test_line_of_the_page_does_what_it_says(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_told_house(tmp_path / "memory")
    if arguments[0] == "replay":
        assert main(arguments) == 1  # not 2: all that it lacks is the recording
        assert "cannot be read as a rosbag2 recording" in capsys.readouterr().err
        return
    status = main([*arguments, "--memory-dir", str(tmp_path / "memory")])
    printed = capsys.readouterr()
    assert printed.out
    assert printed.err == ""
    if arguments[0] not in NOTHING_THERE and "--when" not in arguments:
        assert status == 0


def test_files_that_the_page_links_to_are_there() -> None:
    for link in re.findall(r"\]\((?!http|#)([^)#]+)", PAGE):
        assert (DOCS / link).exists(), link
