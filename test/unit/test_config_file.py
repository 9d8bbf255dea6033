"""config/memory.yaml against the parameters that the nodes declare; skipped without ROS."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

rclpy = pytest.importorskip("rclpy")
pytest.importorskip("robot_memory.msg")

CONFIG = Path(__file__).resolve().parents[2] / "config" / "memory.yaml"
SECTIONS: dict[str, dict[str, Any]] = {
    pattern: section["ros__parameters"]
    for pattern, section in yaml.safe_load(CONFIG.read_text(encoding="utf-8")).items()
}
SHARED = SECTIONS["/**"]
OF_NODE = {
    pattern.rpartition("/")[2]: keys for pattern, keys in SECTIONS.items() if pattern != "/**"
}


@pytest.fixture
def nodes(ros_domain: int) -> Iterator[dict[str, Any]]:
    """Every node by name, in the namespace of the launch file, with CONFIG as its parameters."""
    from memory_nodes.nodes.association_node import AssociationNode
    from memory_nodes.nodes.detector_node import DetectorNode
    from memory_nodes.nodes.episodic_node import EpisodicNode
    from memory_nodes.nodes.goal_node import GoalNode
    from memory_nodes.nodes.marker_node import MarkerNode
    from memory_nodes.nodes.query_node import QueryNode

    kinds = (DetectorNode, AssociationNode, EpisodicNode, QueryNode, GoalNode, MarkerNode)
    rclpy.init(
        args=["--ros-args", "-r", "__ns:=/memory", "--params-file", str(CONFIG)],
        domain_id=ros_domain,
    )
    made = [kind() for kind in kinds]
    yield {node.get_name(): node for node in made}
    for node in made:
        node.destroy_node()
    rclpy.shutdown()


def test_every_key_of_a_node_section_is_declared(nodes: dict[str, Any]) -> None:
    for name, section in OF_NODE.items():
        for key in section:
            assert nodes[name].has_parameter(key), f"{name} {key}"


def test_values_of_a_file_reach_their_nodes_in_the_namespace_of_the_launch_file(
    ros_domain: int, tmp_path: Path
) -> None:
    from memory_nodes.nodes.query_node import QueryNode

    changed = tmp_path / "changed.yaml"
    text = CONFIG.read_text(encoding="utf-8")
    changed.write_text(re.sub(r"max_keyframes: \d+", "max_keyframes: 7", text), encoding="utf-8")
    arguments = ["--ros-args", "-r", "__ns:=/memory", "--params-file", str(changed)]
    rclpy.init(args=arguments, domain_id=ros_domain)
    node = QueryNode()
    assert node.answering.max_keyframes == 7
    node.destroy_node()
    rclpy.shutdown()


def test_every_shared_key_is_declared_by_some_node_and_taken(nodes: dict[str, Any]) -> None:
    for key, value in SHARED.items():
        declared = [node for node in nodes.values() if node.has_parameter(key)]
        assert declared, key
        assert all(node.get_parameter(key).value == value for node in declared), key


def test_values_have_the_type_of_the_default(nodes: dict[str, Any]) -> None:
    """`3` for a double would pass the node, but teach the reader a wrong thing."""
    for name, section in OF_NODE.items():
        for key, value in section.items():
            assert type(value) is type(_default(nodes[name], key)), f"{name} {key}"


def test_file_shows_the_defaults(nodes: dict[str, Any]) -> None:
    """So that a user who deletes a line changes nothing."""
    for name, node in nodes.items():
        for key, value in {**SHARED, **OF_NODE.get(name, {})}.items():
            if node.has_parameter(key):
                assert value == _default(node, key), f"{name} {key}"


def test_what_must_agree_between_nodes_stands_in_the_shared_section() -> None:
    shared_only = {
        *("memory_dir", "map_id", "map_frame", "base_frame"),
        *("text_embedder", "embedding_base_url", "embedding_model"),
    }
    assert shared_only <= SHARED.keys()
    assert not any(shared_only & section.keys() for section in OF_NODE.values())


def _default(node: Any, key: str) -> object:
    """The default in the configuration classes that a node holds."""
    configs = [value for value in vars(node).values() if hasattr(value, "__dataclass_fields__")]
    found = next(
        config.__dataclass_fields__[key].default
        for config in configs
        if key in config.__dataclass_fields__
    )
    return list(found) if isinstance(found, tuple) else found
