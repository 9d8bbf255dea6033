"""What stands on a command line wins over config/memory.yaml; skipped without ROS."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

rclpy = pytest.importorskip("rclpy")

CONFIG = Path(__file__).resolve().parents[2] / "config" / "memory.yaml"
SECTIONS = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
KEYS = [
    (pattern, key) for pattern, section in SECTIONS.items() for key in section["ros__parameters"]
]


@contextmanager
def node(domain_id: int, pattern: str, *arguments: str) -> Iterator[Any]:
    """A node to which the section applies, with whatever parameters it is given."""
    from rclpy.node import Node

    context = rclpy.Context()
    given = ["--params-file", str(CONFIG), *arguments]
    rclpy.init(
        args=["--ros-args", "-r", "__ns:=/memory", *given], context=context, domain_id=domain_id
    )
    made = Node(
        pattern.rpartition("/")[2].replace("**", "any_node"),
        context=context,
        automatically_declare_parameters_from_overrides=True,
    )
    yield made
    made.destroy_node()
    rclpy.shutdown(context=context)


@pytest.mark.parametrize(("pattern", "key"), KEYS)
def test_parameter_on_the_command_line_wins_over_the_file(
    pattern: str, key: str, ros_domain: int
) -> None:
    with node(ros_domain, pattern) as unchanged:
        value = SECTIONS[pattern]["ros__parameters"][key]
        assert unchanged.get_parameter(key).value == value
    given = other_than(value)
    written = yaml.safe_dump(given, default_flow_style=True).splitlines()[0]
    with node(ros_domain, pattern, "-p", f"{key}:={written}") as changed:
        assert changed.get_parameter(key).value == given


def other_than(value: Any) -> Any:
    """Another one of its type; whole for a double, as people write it."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, list):
        return [*value[1:], "given"]
    return "given" if isinstance(value, str) else int(value) + 1


def test_parameter_in_a_launch_file_wins_over_the_file(ros_domain: int, tmp_path: Path) -> None:
    """launch_ros writes its parameters into files that come after it, named or for all nodes."""
    for section in ("/**", "/memory/detector_node"):
        written = tmp_path / "launch_params.yaml"
        written.write_text(yaml.safe_dump({section: {"ros__parameters": {"use_depth": True}}}))
        arguments = ("--params-file", str(written))
        with node(ros_domain, "/**/detector_node", *arguments) as changed:
            assert changed.get_parameter("use_depth").value is True
