"""The examples of docs/store.md run, one after another."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "store.md"


def test_examples_run_in_the_order_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = PAGE.read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for block in re.finditer(r"```python\n(.*?)```", page, re.DOTALL):
        line = page[: block.start(1)].count("\n")
        code = compile("\n" * line + block[1], str(PAGE), "exec")
        exec(code, names)
    assert (tmp_path / "memory" / "memory.sqlite").is_file()
