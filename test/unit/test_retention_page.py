"""What docs/retention.md says of parameters is so."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
_DEFAULT = re.compile(r"^\| `(\w+)` \| `([^`]*)` \|", re.MULTILINE)


def test_parameters_of_the_page_have_these_defaults() -> None:
    declared = _DEFAULT.findall((DOCS / "parameters.md").read_text(encoding="utf-8"))
    said = _DEFAULT.findall((DOCS / "retention.md").read_text(encoding="utf-8"))
    assert {"archive_after_s", "image_retention_s"} <= {name for name, _ in said}
    assert set(said) <= set(declared)
