"""docs/parameters.md says what the nodes declare; skipped without ROS."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("rclpy")
pytest.importorskip("robot_memory.msg")

from memory_test_support.parameter_table import COMMAND, NAMES_PATH, PATH, names, page

CONFIG = Path(__file__).resolve().parents[2] / "config" / "memory.yaml"


@pytest.mark.parametrize(("path", "text"), [(PATH, page), (NAMES_PATH, names)])
def test_file_is_what_the_declarations_give_now(path: Path, text: Callable[[], str]) -> None:
    is_current = path.is_file() and path.read_text(encoding="utf-8") == text()
    assert is_current, f"{path} is out of date, write it anew with: {COMMAND}"


def test_page_has_a_row_for_a_parameter_with_default_unit_range_and_meaning() -> None:
    """By hand, from the declarations in suite.py, camera.py, openai_endpoint.py and safety.py."""
    rows = page().splitlines()
    assert '| `base_frame` | `"base_link"` |  |  |  | TF frame of the robot\'s base |' in rows
    starts = (
        "| `call_timeout_s` | `60.0` | s | 0.1 to 3600.0 |  | time",
        "| `use_depth` | `false` |  |  |  | use",
        "| `dry_run` | `false` |  |  | live | only",
    )
    for start in starts:
        assert any(row.startswith(start) for row in rows), start


def test_every_key_of_the_parameter_file_has_its_row() -> None:
    import yaml

    sections = yaml.safe_load(CONFIG.read_text(encoding="utf-8")).values()
    keys = {key for section in sections for key in section["ros__parameters"]}
    assert keys <= {row.split("`")[1] for row in page().splitlines() if row.startswith("| `")}
