"""What a person does with an object in RViz. The server of the menus is a stand-in."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image as Pictures
from sensor_msgs.msg import Image
from std_msgs.msg import String
from visualization_msgs.msg import InteractiveMarkerFeedback, MarkerArray

from memory_nodes.nodes.episodic_node import EpisodicNode
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.nodes.marker_node import MarkerNode
from memory_nodes.ros import endpoints
from memory_nodes.ros.object_menu import Choice
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support import menu_server
from memory_test_support.goal_driver import SOON
from memory_test_support.menu_server import InteractiveMarkerServer
from memory_test_support.navigator import Navigator
from memory_test_support.node_bench import NodeBench
from memory_test_support.records import descriptor, graph, keyframe, view

FEEDBACK = f"{endpoints.OBJECT_MENUS}/feedback"


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[NodeBench]:
    """A memory of a mug, a picture of it, and RViz's menus."""
    monkeypatch.setitem(sys.modules, "interactive_markers", menu_server)
    monkeypatch.setattr(menu_server, "made", [])
    writer = Writer(tmp_path)
    mug = descriptor("mug_1", view(1, point_map_m=(3.0, 1.0, 0.5)))
    writer.commit_chunk(graph(1, [keyframe(1)], [mug]))
    writer.close()
    picture = tmp_path / keyframe(1).image_path
    picture.parent.mkdir(parents=True)
    Pictures.new("RGB", (64, 48), "white").save(picture)
    with NodeBench(ros_domain, tmp_path) as made:
        yield made


def menus(bench: NodeBench) -> InteractiveMarkerServer:
    """Once the mug has one."""
    bench.start(MarkerNode, redraw_period_s=0.1)
    (server,) = menu_server.made
    bench.until(lambda: "mug_1" in server.shown, "the menu of the mug")
    return server


def choose(bench: NodeBench, choice: Choice) -> None:
    feedback = InteractiveMarkerFeedback(
        marker_name="mug_1",
        event_type=InteractiveMarkerFeedback.MENU_SELECT,
        menu_entry_id=choice,
    )
    bench.publisher(InteractiveMarkerFeedback, FEEDBACK).publish(feedback)


def until_told(bench: NodeBench, scenes: list[MarkerArray], text: str) -> None:
    def notes() -> list[str]:
        return [marker.text for scene in scenes for marker in scene.markers if marker.ns == "notes"]

    bench.until(lambda: any(text in note for note in notes()), f"the note {text!r}")


def test_each_object_has_a_menu_where_it_is(bench: NodeBench) -> None:
    marker = menus(bench).shown["mug_1"]
    assert (marker.pose.position.x, marker.pose.position.y) == pytest.approx((3.0, 1.0), abs=0.1)
    assert marker.header.frame_id == "map"
    titles = {entry.id: entry.title for entry in marker.menu_entries}
    assert list(titles.values())[:4] == ["go here", "show evidence", "rename", "forget"]
    confirms = marker.menu_entries[-1]
    assert titles[confirms.parent_id] == "forget"


def test_menu_that_has_not_changed_is_not_sent_again(bench: NodeBench) -> None:
    server = menus(bench)
    scenes = bench.heard(MarkerArray, endpoints.MARKERS, endpoints.LATCHED)
    bench.start(GoalNode, **SOON)
    choose(bench, Choice.RENAME)
    until_told(bench, scenes, "publish its name")  # so the scene was drawn again
    assert len(server.sent) == 1


def test_forgetting_needs_the_second_entry_and_takes_the_menu_away(bench: NodeBench) -> None:
    bench.start(EpisodicNode)
    server = menus(bench)
    choose(bench, Choice.FORGET)
    choose(bench, Choice.SHOW_EVIDENCE)  # comes after it, so that was heard
    shown = bench.heard(Image, endpoints.RETRIEVED_IMAGE, endpoints.LATCHED)
    bench.until(lambda: bool(shown), "the image")
    assert "mug_1" in server.shown
    choose(bench, Choice.FORGET_FOR_GOOD)
    bench.until(lambda: server.shown == {}, "no menu")
    reader = Reader(bench.memory_dir)
    assert reader.objects() == []
    reader.close()


def test_name_comes_by_a_topic_once_for_each_choice(bench: NodeBench) -> None:
    bench.start(EpisodicNode)
    server = menus(bench)
    scenes = bench.heard(MarkerArray, endpoints.MARKERS, endpoints.LATCHED)
    choose(bench, Choice.RENAME)
    until_told(bench, scenes, "publish its name on /memory/new_name")
    names = bench.publisher(String, endpoints.NEW_NAME)
    names.publish(String(data="Bob's mug"))
    names.publish(String(data="a second name"))
    until_told(bench, scenes, "mug_1: is now called Bob's mug")
    bench.until(
        lambda: any(
            marker.text == "Bob's mug" for marker in scenes[-1].markers if marker.ns == "labels"
        ),
        "the label",
    )
    assert "mug_1" in server.shown


def test_robot_is_sent_to_the_object(bench: NodeBench) -> None:
    bench.start(GoalNode, **SOON)
    navigator = bench.make(Navigator)
    menus(bench)
    scenes = bench.heard(MarkerArray, endpoints.MARKERS, endpoints.LATCHED)
    choose(bench, Choice.GO_HERE)
    until_told(bench, scenes, "I have arrived.")
    (goal,) = navigator.goals
    assert goal.pose.position.x == pytest.approx(keyframe(1).map_from_base.position_m[0])


def test_choice_that_nobody_serves_says_who_is_missing(bench: NodeBench) -> None:
    menus(bench)
    scenes = bench.heard(MarkerArray, endpoints.MARKERS, endpoints.LATCHED)
    choose(bench, Choice.GO_HERE)
    until_told(bench, scenes, "is goal_node active?")
    choose(bench, Choice.FORGET_FOR_GOOD)
    until_told(bench, scenes, "is episodic_node active?")


def test_topics_of_the_menus_are_gone_after_deactivation(bench: NodeBench) -> None:
    node = bench.start(MarkerNode)
    (server,) = menu_server.made
    assert node.trigger_deactivate().name == "SUCCESS"
    names = [subscription.topic_name for subscription in node.subscriptions]
    assert not any(name.endswith("feedback") for name in names)
    assert not any("get_interactive_markers" in service.srv_name for service in node.services)
    assert server.update_pub is None


def test_menus_can_be_switched_off(bench: NodeBench) -> None:
    bench.start(MarkerNode, interactive_markers=False)
    assert menu_server.made == []
