"""memory.launch.py against the real launch; skipped where that is not installed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
import yaml

# Where there is no launch, this repository's folder of that name could be imported in its place.
launch = pytest.importorskip("launch.launch_context")
launch_ros = pytest.importorskip("launch_ros.actions")

ROOT = Path(__file__).resolve().parents[2]
ARGUMENTS = {
    *("namespace", "use_sim_time", "params_file", "autostart", "use_respawn", "log_level"),
    *("memory_dir", "image_topic", "camera_info_topic", "depth_topic", "use_depth"),
    *("base_url", "model", "rviz"),
}
NODES = {
    *("detector_node", "association_node", "episodic_node"),
    *("query_node", "goal_node", "marker_node"),
}
PARAMS_FILE = ROOT / "config" / "memory.yaml"


def load() -> Any:
    spec = importlib.util.spec_from_file_location(
        "memory_launch", ROOT / "launch" / "memory.launch.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.generate_launch_description()


def nodes(**arguments: str) -> dict[str, Any]:
    """The suite's nodes by name, with every substitution performed, for these arguments."""
    context = launch.LaunchContext()
    context.launch_configurations.update(params_file=str(PARAMS_FILE), **arguments)
    found: dict[str, Any] = {}
    pending = list(load().entities)
    while pending:
        entity = pending.pop(0)
        if isinstance(entity, launch_ros.Node):
            if entity.condition is None or entity.condition.evaluate(context):
                entity._perform_substitutions(context)
                found[entity.node_name] = entity
        else:
            pending = [*(entity.visit(context) or []), *pending]
    return found


def overrides(node: Any) -> dict[str, Any]:
    """What is set after the parameter file, by name."""
    given: dict[str, Any] = {}
    for line in parameter_files(node)[1:]:
        for section in yaml.safe_load(Path(line).read_text(encoding="utf-8")).values():
            given.update(section["ros__parameters"])
    return given


def parameter_files(node: Any) -> list[str]:
    return [argument for argument, is_file in node._Node__expanded_parameter_arguments if is_file]


def test_arguments_are_those_of_the_interface_and_each_says_what_it_is() -> None:
    arguments = load().get_launch_arguments()
    assert {argument.name for argument in arguments} == ARGUMENTS
    assert all(len(argument.description) > 10 for argument in arguments)
    assert all(argument.default_value is not None for argument in arguments)


def test_six_nodes_whose_names_are_their_executables() -> None:
    started = nodes()
    assert set(started) == {f"/memory/{name}" for name in NODES}
    for name, node in started.items():
        assert node.node_package == "robot_memory"
        assert node.node_executable == name.rpartition("/")[2]


def test_namespace_moves_the_whole_suite() -> None:
    assert set(nodes(namespace="robot_1/memory")) == {f"/robot_1/memory/{name}" for name in NODES}


def test_arguments_not_given_leave_the_parameter_file_its_word() -> None:
    for node in nodes().values():
        assert parameter_files(node) == [str(PARAMS_FILE)]


def test_empty_argument_overrides_nothing() -> None:
    assert overrides(nodes(base_url="", autostart="")["/memory/query_node"]) == {}


def test_given_arguments_override_the_file_with_the_right_types() -> None:
    given = {
        **{"use_sim_time": "true", "autostart": "false", "memory_dir": "/data/memory"},
        **{"base_url": "http://10.0.0.2:8000/v1", "model": "4", "use_depth": "true"},
    }
    expected = {**given, "use_sim_time": True, "autostart": False, "use_depth": True}
    for node in nodes(**given).values():
        assert overrides(node) == expected


def test_camera_topics_are_remapped() -> None:
    node = nodes(image_topic="/camera/image/compressed", depth_topic="/camera/depth")
    remapped = dict(node["/memory/detector_node"].expanded_remapping_rules)
    assert remapped == {
        "image": "/camera/image/compressed",
        "camera_info": "camera_info",
        "depth": "/camera/depth",
    }


def test_rviz_starts_only_when_asked_for() -> None:
    assert "/memory/memory_rviz" not in nodes()
    assert "/memory/memory_rviz" in nodes(rviz="true")
