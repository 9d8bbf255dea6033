"""What is printed is data: it steers neither the terminal nor rich."""

from __future__ import annotations

import pytest

from memory_nodes.cli.command import Outcome, Table
from memory_nodes.cli.printing import print_error, print_outcome

HOSTILE = "\x1b[31m[bold red]poster[/bold red]\x07\u202e"
OUTCOME = Outcome((Table(("what", "n"), ((HOSTILE, "1"), ("mug", "22"))), HOSTILE), {"a": HOSTILE})


def test_plain_table_has_columns_of_equal_width(capsys: pytest.CaptureFixture[str]) -> None:
    print_outcome(
        Outcome((Table(("what", "n"), (("mug", "1"), ("two\nlines", "22"))),), {}), as_json=False
    )
    assert capsys.readouterr().out == "what       n\nmug        1\ntwo lines  22\n"


@pytest.mark.parametrize("is_terminal", [False, True])
def test_text_steers_neither_terminal_nor_markup(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.setenv(name, "1" if is_terminal else "0")
    monkeypatch.setenv("COLUMNS", "100")
    print_outcome(OUTCOME, as_json=False)
    printed = capsys.readouterr().out
    assert ("\u2500" in printed) == is_terminal  # the line that rich draws below the headings
    assert printed.count("[bold red]poster[/bold red]") == 2
    assert "\x1b[31m" not in printed
    assert "\x07" not in printed
    assert "\u202e" not in printed


def test_json_escapes_what_would_steer_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_outcome(OUTCOME, as_json=True)
    assert capsys.readouterr().out.isascii()


def test_error_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_error("a\nb \x1b[2J")
    assert capsys.readouterr().err == "a b \ufffd[2J\n"
