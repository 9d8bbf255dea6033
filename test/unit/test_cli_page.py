"""docs/cli.md tells of every command; its lines are run by test_doc_commands."""

from __future__ import annotations

import re
from pathlib import Path

from memory_nodes.cli.main import COMMANDS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "cli.md").read_text(encoding="utf-8")


def test_page_names_every_command_and_no_other() -> None:
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", PAGE, re.MULTILINE)
    assert sorted(re.findall(r"\w+", " ".join(rows))) == sorted(item.name for item in COMMANDS)
