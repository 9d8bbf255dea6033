"""What docs/running.md says of the launch files is so, and what they say of other names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memory_test_support.launch_names import arguments, robot_remappings

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "running.md").read_text(encoding="utf-8")
PARAMETERS = (DOCS / "parameters.md").read_text(encoding="utf-8")
FILES = ("memory.launch.py", "bringup.launch.py", "replay.launch.py")
CHAPTERS = dict(
    zip(FILES, re.split(r"^## .*launch\.py$", PAGE, flags=re.MULTILINE)[1:], strict=True)
)


@pytest.mark.parametrize("file", FILES)
def test_table_has_the_arguments_that_the_launch_file_declares(file: str) -> None:
    told = set(re.findall(r"^\| `(\w+)` \|", CHAPTERS[file], re.MULTILINE))
    assert told == arguments(file)


@pytest.mark.parametrize(
    "call", re.findall(r"ros2 launch robot_memory (.*?)\n(?! )", PAGE, re.DOTALL)
)
def test_arguments_of_each_call_exist(call: str) -> None:
    known = arguments("memory.launch.py") | arguments(call.split()[0])
    assert set(re.findall(r"\b([a-z0-9_]+):=", call)) <= known


def test_parameters_named_for_robots_with_one_tf_have_names_of_the_robot() -> None:
    """All that a robot must be told which does not have its names where robot_namespace says."""
    named = set(re.findall(r"`(\w+)`", PAGE.split("share one `/tf`")[1].split("##")[0]))
    absolute = set(re.findall(r'^\| `(\w+)` \| `\[?"/', PARAMETERS, re.MULTILINE))
    assert absolute - {"clicked_point_topic"} <= named


def test_every_name_of_the_robot_that_a_parameter_has_is_moved_into_its_namespace() -> None:
    moved = robot_remappings("robot1")
    defaults = set(re.findall(r'"(/[a-z_/]+)"', PARAMETERS))
    assert {"/navigate_to_pose", "/bt_navigator", "/battery_state"} <= defaults
    for name in defaults:
        assert any(own == name or own.startswith(f"{name}/") for own in moved), name


def test_files_that_the_page_links_to_are_there() -> None:
    for link in re.findall(r"\]\((?!http|#)([^)#]+)", PAGE):
        assert (DOCS / link).exists(), link


def test_nodes_of_the_lifecycle_manager_are_those_of_the_suite() -> None:
    (listed,) = re.findall(r'node_names:="\[([^]]*)\]', PAGE)
    nodes = Path(DOCS.parent / "memory_nodes" / "nodes").glob("*_node.py")
    assert {name.strip() for name in listed.split(",")} == {path.stem for path in nodes}
