"""Every number in the interfaces says what it is and in which unit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path for kind in ("msg", "srv", "action") for path in (PROJECT / kind).glob(f"*.{kind}")
)
NUMBER = re.compile(r"^(u?int\d+|float\d+|builtin_interfaces/\w+)(\[\d*\])? \w+ *(#.*)?$")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_number_has_a_comment(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        number = NUMBER.match(line)
        assert number is None or number[3], f"{path.name}: {line}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_floating_point_number_has_a_unit(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("float"):
            assert re.search(r"\[(m|s|px|rad|-)\]", line) or "[px]" in line, f"{path.name}: {line}"
