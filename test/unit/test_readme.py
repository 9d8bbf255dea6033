"""What the README says first is what is checked; its commands are read by test_doc_commands."""

from __future__ import annotations

import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
README = (PROJECT / "README.md").read_text(encoding="utf-8")
CODE_BLOCKS = re.findall(r"```bash\n(.*?)```", README, re.DOTALL)


def test_test_command_of_the_readme_is_what_ci_runs() -> None:
    commands = {line.strip() for block in CODE_BLOCKS for line in block.splitlines()}
    assert {"./dev demo", "./dev test"} <= commands
    assert "./dev test" in (PROJECT / ".ci" / "run").read_text(encoding="utf-8")


def test_readme_leads_to_every_page() -> None:
    pages = {path.relative_to(PROJECT) for path in (PROJECT / "docs").glob("*.md")}
    pages |= {path.relative_to(PROJECT) for path in (PROJECT / "docs" / "tutorials").glob("*.md")}
    assert {str(page) for page in pages} <= set(re.findall(r"\]\(([^)#]+)", README))
