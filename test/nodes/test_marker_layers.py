"""The layers of the scene in RViz."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from action_msgs.msg import GoalStatus, GoalStatusArray
from geometry_msgs.msg import Point, PointStamped, PoseStamped
from rclpy.qos import qos_profile_action_status_default
from robot_memory.msg import MemoryAnswer
from visualization_msgs.msg import Marker, MarkerArray

from memory_nodes.geometry import ROUGH_SIGMA_M
from memory_nodes.nodes.marker_node import MarkerNode
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.records import Relation, RetrievedKeyframe
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import object_to_msg, retrieved_to_msg
from memory_nodes.store.writer import Writer
from memory_test_support.node_bench import NodeBench
from memory_test_support.records import descriptor, gist, graph, keyframe, view

MUG = descriptor("mug_1", view(1, point_map_m=(3.0, 0.0, 0.5)))
CUP = descriptor("cup_1", view(1, point_map_m=(3.0, 1.0, 0.5)))


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    """A mug and a cup 1 m from each other, and a gist of 2 m around x = 1 m."""
    writer = Writer(tmp_path)
    near = Relation("mug_1", "near", "cup_1", (1,))
    writer.commit_chunk(graph(1, [keyframe(1), keyframe(2)], [MUG, CUP], [near]))
    writer.add_gist(gist("a quiet kitchen", center_map_m=(1.0, 0.0, 0.0), radius_m=2.0))
    writer.close()
    with NodeBench(ros_domain, tmp_path) as made:
        yield made


def drawn(
    bench: NodeBench, scenes: list[MarkerArray], is_drawn: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """The last marker of each namespace, of the first scene that is as wanted."""
    found: list[dict[str, Any]] = []

    def looks_so() -> bool:
        for scene in scenes:
            by_layer = {item.ns: item for item in scene.markers if item.action == Marker.ADD}
            if is_drawn(by_layer):
                found.append(by_layer)
        return bool(found)

    bench.until(looks_so, "the scene")
    return found[0]


def scenes_of(bench: NodeBench, **parameters: Any) -> list[MarkerArray]:
    bench.start(MarkerNode, **{"redraw_period_s": 0.1, "stale_after_s": 0.0, **parameters})
    return bench.heard(MarkerArray, endpoints.MARKERS, endpoints.LATCHED)


def test_objects_gists_and_near_relations_have_a_namespace_each(bench: NodeBench) -> None:
    by_layer = drawn(bench, scenes_of(bench), lambda layers: "objects" in layers)
    assert set(by_layer) == {
        *("objects", "labels", "uncertainty", "relations", "gists", "gist_labels"),
    }
    disc = by_layer["gists"]
    assert (disc.type, disc.scale.x, disc.scale.y) == (Marker.CYLINDER, 4.0, 4.0)
    assert by_layer["gist_labels"].text == "a quiet kitchen"
    assert len(by_layer["relations"].points) == 2


def test_no_more_objects_are_drawn_than_asked_for(bench: NodeBench) -> None:
    scenes = scenes_of(bench, max_objects=1)
    drawn(bench, scenes, lambda layers: "objects" in layers)
    assert [item.ns for item in scenes[-1].markers].count("objects") == 1


@pytest.mark.parametrize(("stale_after_s", "is_dim"), [(0.0, False), (60.0, True)])
def test_what_was_not_seen_for_long_is_dimmed(
    bench: NodeBench, stale_after_s: float, is_dim: bool
) -> None:
    """The mug was seen in second 1 of 1970."""
    scenes = scenes_of(bench, stale_after_s=stale_after_s)
    body = drawn(bench, scenes, lambda layers: "objects" in layers)["objects"]
    assert (body.color.a < 0.5) is is_dim


def test_hits_of_the_last_answer_are_highlighted_until_the_next(bench: NodeBench) -> None:
    scenes = scenes_of(bench)
    answers = bench.publisher(MemoryAnswer, endpoints.ANSWERS)
    hit = retrieved_to_msg(RetrievedKeyframe(replace(keyframe(2), image_path=""), 1.0))
    answers.publish(MemoryAnswer(objects=[object_to_msg(MUG)], keyframes=[hit]))
    by_layer = drawn(bench, scenes, lambda layers: "hits" in layers)
    assert by_layer["hits"].pose.position.x == pytest.approx(3.0, abs=0.1)
    arrow = by_layer["hit_keyframes"]
    assert (arrow.type, arrow.id) == (Marker.ARROW, 0)
    assert arrow.pose.position.x == pytest.approx(0.2)  # where keyframe 2 was taken
    scenes.clear()
    answers.publish(MemoryAnswer())
    drawn(bench, scenes, lambda layers: "hits" not in layers)
    gone = {item.ns for item in scenes[-1].markers if item.action == Marker.DELETE}
    assert gone == {"hits", "hit_keyframes"}


def test_uncertainty_of_a_rough_place_is_shown_once_it_is_asked_for(
    bench: NodeBench, tmp_path: Path
) -> None:
    """A lamp seen once, without depth: two sigma to either side of its place."""
    lamp = descriptor("lamp_1", view(1))
    bench.memory_dir = tmp_path / "rough"
    writer = Writer(bench.memory_dir)
    writer.commit_chunk(graph(1, [keyframe(1)], [lamp]))
    writer.close()
    scenes = scenes_of(bench)
    assert "uncertainty" not in drawn(bench, scenes, lambda layers: "objects" in layers)
    scenes.clear()
    answers = bench.publisher(MemoryAnswer, endpoints.ANSWERS)
    answers.publish(MemoryAnswer(objects=[object_to_msg(lamp)]))
    body = drawn(bench, scenes, lambda layers: "uncertainty" in layers)["uncertainty"]
    assert max(body.scale.x, body.scale.y, body.scale.z) >= 4.0 * ROUGH_SIGMA_M


def test_goal_is_shown_as_long_as_the_robot_drives_there(bench: NodeBench) -> None:
    scenes = scenes_of(bench)
    goal = PoseStamped()
    goal.header.frame_id, goal.pose.position.x = "map", 7.0
    bench.publisher(PoseStamped, endpoints.GOAL, endpoints.LATCHED).publish(goal)
    arrow = drawn(bench, scenes, lambda layers: "goal" in layers)["goal"]
    assert (arrow.type, arrow.pose.position.x) == (Marker.ARROW, 7.0)
    scenes.clear()
    status = bench.publisher(
        GoalStatusArray,
        f"{endpoints.NAVIGATE_TO_MEMORY}/_action/status",
        qos_profile_action_status_default,
    )
    status.publish(GoalStatusArray(status_list=[GoalStatus(status=GoalStatus.STATUS_SUCCEEDED)]))
    drawn(bench, scenes, lambda layers: "goal" not in layers)


def test_clicked_point_is_told_what_is_there(bench: NodeBench) -> None:
    bench.start(QueryNode, base_url="")
    scenes = scenes_of(bench)
    click = PointStamped(point=Point(x=3.0, y=0.0, z=0.5))
    click.header.frame_id = "map"
    clicks = bench.publisher(PointStamped, "/clicked_point")
    clicks.publish(click)
    note = drawn(bench, scenes, lambda layers: "notes" in layers)["notes"]
    assert "mug_1" in note.text
    assert (note.pose.position.x, note.pose.position.z) == (3.0, 0.5)


def test_click_that_nobody_can_answer_says_so(bench: NodeBench) -> None:
    scenes = scenes_of(bench, clicked_point_topic="point")
    click = PointStamped()
    click.header.frame_id = "map"
    bench.publisher(PointStamped, "point").publish(click)
    note = drawn(bench, scenes, lambda layers: "notes" in layers)["notes"]
    assert "query_node" in note.text


def test_click_in_another_frame_is_refused_with_the_cure(bench: NodeBench) -> None:
    scenes = scenes_of(bench)
    click = PointStamped()
    click.header.frame_id = "odom"
    bench.publisher(PointStamped, "/clicked_point").publish(click)
    note = drawn(bench, scenes, lambda layers: "notes" in layers)["notes"]
    assert note.text == "clicked in frame 'odom': choose 'map' in RViz"
