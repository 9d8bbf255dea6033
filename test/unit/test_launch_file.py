"""memory.launch.py against the real launch; skipped where that is not installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

# Where there is no launch, this repository's folder of that name could be imported in its place.
pytest.importorskip("launch.launch_context")
pytest.importorskip("launch_ros.actions")

from memory_test_support import launch_files
from memory_test_support.launch_files import PARAMS_FILE

ROOT = Path(__file__).resolve().parents[2]
FILE = "memory.launch.py"
ARGUMENTS = {
    *("namespace", "robot_namespace", "use_sim_time", "params_file", "autostart"),
    *("use_composition", "use_respawn", "log_level", "memory_dir"),
    *("image_topic", "camera_info_topic", "depth_topic", "use_depth"),
    *("base_url", "model", "rviz", "rviz_config"),
}
NODES = {
    *("detector_node", "association_node", "episodic_node"),
    *("query_node", "goal_node", "marker_node"),
}
RVIZ = "/memory/memory_rviz"


def nodes(**arguments: str) -> dict[str, Any]:
    """The suite's nodes by name, with every substitution performed, for these arguments."""
    return launch_files.started(FILE, **arguments).nodes


def overrides(node: Any) -> dict[str, Any]:
    """What is set after the parameter file, by name."""
    given: dict[str, Any] = {}
    for line in parameter_files(node):
        if line != str(PARAMS_FILE):
            for section in yaml.safe_load(Path(line).read_text(encoding="utf-8")).values():
                given.update(section["ros__parameters"])
    return given


def parameter_files(node: Any) -> list[str]:
    arguments = node._Node__expanded_parameter_arguments or []
    return [argument for argument, is_file in arguments if is_file]


def remappings(node: Any) -> dict[str, str]:
    return dict(node.expanded_remapping_rules or [])


def test_arguments_are_those_of_the_interface_and_each_says_what_it_is() -> None:
    arguments = launch_files.own_arguments(FILE)
    assert set(arguments) == ARGUMENTS
    for argument in arguments.values():
        assert len(argument.description) > 10
        assert argument.default_value is not None


def test_six_nodes_whose_names_are_their_executables() -> None:
    started = nodes()
    assert set(started) == {f"/memory/{name}" for name in NODES}
    for name, node in started.items():
        assert node.node_package == "robot_memory"
        assert node.node_executable == name.rpartition("/")[2]


def test_composition_is_one_process_in_which_each_node_keeps_its_name() -> None:
    given = {"namespace": "robot1/memory", "memory_dir": "/data", "image_topic": "/camera/image"}
    ((name, node),) = nodes(use_composition="True", **given).items()
    assert (name, node.node_executable) == ("memory", "memory")
    assert node.expanded_node_namespace == "/robot1/memory"
    assert "__node:=" not in " ".join(map(str, node.cmd))
    assert parameter_files(node)[0] == str(PARAMS_FILE)
    assert overrides(node) == {"memory_dir": "/data"}
    assert remappings(node)["image"] == "/camera/image"


def test_namespace_moves_the_whole_suite() -> None:
    assert set(nodes(namespace="robot_1/memory")) == {f"/robot_1/memory/{name}" for name in NODES}


def test_transforms_and_nav2_stay_global_under_a_namespace() -> None:
    for node in nodes(namespace="robot_1/memory").values():
        assert not any(own.startswith("/") for own in remappings(node))


def test_namespace_of_the_robot_moves_its_transforms_and_every_end_of_its_actions() -> None:
    for node in nodes(namespace="robot1/memory", robot_namespace="/robot1/").values():
        moved = {own: there for own, there in remappings(node).items() if own.startswith("/")}
        assert {"/tf", "/tf_static", "/navigate_to_pose/_action/send_goal"} <= set(moved)
        assert all(there == f"/robot1{own}" for own, there in moved.items())


def test_arguments_not_given_leave_the_parameter_file_its_word() -> None:
    for node in nodes().values():
        assert parameter_files(node) == [str(PARAMS_FILE)]


def test_empty_argument_overrides_nothing() -> None:
    assert overrides(nodes(base_url="", autostart="")["/memory/query_node"]) == {}


def test_parameter_file_that_is_none_is_refused() -> None:
    with pytest.raises(RuntimeError, match="is no file"):
        nodes(params_file="/nowhere.yaml")


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
    assert remappings(node["/memory/detector_node"]) == {
        "image": "/camera/image/compressed",
        "camera_info": "camera_info",
        "depth": "/camera/depth",
    }


def test_rviz_starts_only_when_asked_for() -> None:
    assert RVIZ not in nodes()
    assert RVIZ in nodes(rviz="true")


def test_rviz_has_the_time_of_the_nodes() -> None:
    assert overrides(nodes(rviz="true", use_sim_time="true")[RVIZ]) == {"use_sim_time": True}


def test_every_topic_of_the_suite_in_rviz_follows_the_namespace() -> None:
    rviz = nodes(rviz="true", namespace="robot1/memory")["/robot1/memory/memory_rviz"]
    displays = (ROOT / "rviz" / "memory.rviz").read_text(encoding="utf-8")
    shown = [line.split()[-1] for line in displays.splitlines() if "/memory/" in line]
    assert "/memory/object_menus" in shown
    moved = remappings(rviz)
    for topic in set(shown) - {"/memory/object_menus"}:
        assert moved[topic] == topic.removeprefix("/memory/"), topic
    for end in ("update", "feedback", "get_interactive_markers"):
        assert moved[f"/memory/object_menus/{end}"] == f"object_menus/{end}"


def test_rviz_shows_the_raw_images_of_the_camera() -> None:
    rviz = nodes(rviz="true", image_topic="/camera/color/image_raw/compressed")[RVIZ]
    assert remappings(rviz)["/memory/image"] == "/camera/color/image_raw"


def test_rviz_of_a_robot_in_a_namespace_shows_and_sets_what_is_there() -> None:
    moved = remappings(nodes(rviz="true", robot_namespace="robot1")[RVIZ])
    for topic in ("/tf", "/tf_static", "/map", "/goal_pose", "/initialpose", "/clicked_point"):
        assert moved[topic] == f"/robot1{topic}"
