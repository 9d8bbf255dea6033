"""rviz/memory.rviz shows what the suite publishes, in its types and with its quality of service."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from rclpy.qos import QoSProfile

from memory_nodes.nodes.detector_node import DetectorNode
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.nodes.marker_node import MarkerNode
from memory_test_support import menu_server
from memory_test_support.node_bench import NodeBench

PATH = Path(__file__).resolve().parents[2] / "rviz" / "memory.rviz"
TYPES = {
    "MarkerArray": "visualization_msgs/msg/MarkerArray",
    "Path": "nav_msgs/msg/Path",
    "Image": "sensor_msgs/msg/Image",
    "Pose": "geometry_msgs/msg/PoseStamped",
    "PublishPoint": "geometry_msgs/msg/PointStamped",
}
OF_OTHERS = {"/map", "/map_updates", "/initialpose", "/goal_pose"}
"""Of SLAM and Nav2."""
CAMERA = "/memory/image"
"""What the suite listens to, too."""


def displays(items: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for item in items:
        yield item
        yield from displays(item.get("Displays", []))


def all_displays() -> Iterator[dict[str, Any]]:
    yield from displays(_manager()["Displays"])


def shown() -> list[tuple[str, dict[str, Any]]]:
    """The last word of the class, and the topic, of all that is drawn or sent."""
    everything = [*all_displays(), *_manager()["Tools"]]
    return [
        (item["Class"].rpartition("/")[2], topic)
        for item in everything
        for name, topic in item.items()
        if name.endswith("Topic")
    ]


def _manager() -> dict[str, Any]:
    whole: dict[str, Any] = yaml.safe_load(PATH.read_text(encoding="utf-8"))
    manager: dict[str, Any] = whole["Visualization Manager"]
    return manager


def reaches(publisher: tuple[str, str], subscription: tuple[str, str]) -> bool:
    """Whether a publisher offers the durability and reliability that a subscription asks for."""
    is_kept = publisher[0] == "Transient Local" or subscription[0] == "Volatile"
    return is_kept and (publisher[1] == "Reliable" or subscription[1] == "Best Effort")


def written(quality: QoSProfile) -> tuple[str, str]:
    """Durability and reliability as RViz calls them."""
    names = (quality.durability.name, quality.reliability.name)
    durability, reliability = (name.replace("_", " ").title() for name in names)
    return durability, reliability


@pytest.fixture
def suite(ros_domain: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[NodeBench]:
    """Those that draw, with a stand-in for the package of the menus."""
    monkeypatch.setitem(sys.modules, "interactive_markers", menu_server)
    monkeypatch.setattr(menu_server, "made", [])
    with NodeBench(ros_domain, tmp_path) as bench:
        bench.start(MarkerNode)
        bench.start(GoalNode)
        bench.start(DetectorNode, image_transport="raw")
        yield bench


def test_every_topic_is_one_of_the_suite_with_its_type_and_quality(suite: NodeBench) -> None:
    for kind, topic in shown():
        name, wanted = topic["Value"], (topic["Durability Policy"], topic["Reliability Policy"])
        if name in OF_OTHERS:
            continue
        published = suite.user.get_publishers_info_by_topic(name)
        heard = suite.user.get_subscriptions_info_by_topic(name)
        assert {end.topic_type for end in (*published, *heard)} == {TYPES[kind]}, name
        if kind == "PublishPoint":
            assert all(reaches(wanted, written(end.qos_profile)) for end in heard), name
        elif name != CAMERA:
            (end,) = published
            assert reaches(written(end.qos_profile), wanted), name
        else:
            assert wanted == ("Volatile", "Best Effort"), "any camera reaches it"


def test_menus_have_their_topics_and_their_service_where_the_display_looks(
    suite: NodeBench,
) -> None:
    (display,) = (item for item in all_displays() if "Interactive Markers Namespace" in item)
    namespace = display["Interactive Markers Namespace"]
    (update,) = suite.user.get_publishers_info_by_topic(f"{namespace}/update")
    assert update.topic_type == "visualization_msgs/msg/InteractiveMarkerUpdate"
    (feedback,) = suite.user.get_subscriptions_info_by_topic(f"{namespace}/feedback")
    assert feedback.topic_type == "visualization_msgs/msg/InteractiveMarkerFeedback"
    # Both ends of the package: reliable and volatile.
    for end in (update, feedback):
        assert written(end.qos_profile) == ("Volatile", "Reliable")
    services = dict(suite.user.get_service_names_and_types())
    kind = services[f"{namespace}/get_interactive_markers"]
    assert kind == ["visualization_msgs/srv/GetInteractiveMarkers"]


def test_all_that_the_suite_draws_is_shown() -> None:
    values = {topic["Value"] for _, topic in shown()}
    drawn = ("markers", "trail", "retrieved_image", "goal", "image")
    assert {f"/memory/{name}" for name in drawn} <= values
    assert {"/map", "/clicked_point"} <= values


def test_transforms_and_menus_have_their_displays() -> None:
    by_class = {item["Class"].rpartition("/")[2]: item for item in all_displays()}
    assert by_class["TF"]["Enabled"]
    assert by_class["InteractiveMarkers"]["Interactive Markers Namespace"] == "/memory/object_menus"


def test_every_topic_of_the_file_was_looked_at() -> None:
    """None hides in a field of another name."""
    named = set(re.findall(r": (/[a-z_]\S*)", PATH.read_text(encoding="utf-8")))
    menus = {item.get("Interactive Markers Namespace") for item in all_displays()}
    assert named == {topic["Value"] for _, topic in shown()} | menus - {None}
