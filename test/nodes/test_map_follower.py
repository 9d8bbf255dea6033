"""The pose graph of SLAM comes over DDS, and the memory follows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.parameter import Parameter
from robot_memory.msg import ChunkGraph as ChunkGraphMsg
from std_msgs.msg import String
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from memory_nodes.geometry import Pose
from memory_nodes.nodes.episodic_node import EpisodicNode
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.records import NS_PER_S
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import (
    graph_to_msg,
    keyframe_from_msg,
    keyframe_to_msg,
    time_to_msg,
)
from memory_nodes.store.reader import Reader
from memory_test_support.node_bench import NodeBench
from memory_test_support.records import graph, keyframe

TOPIC = "/slam_toolbox/graph_visualization"
LINE = {key: (0.5 * key, 0.0) for key in range(24)}
SHIFTED = {key: (x_m, 0.4) for key, (x_m, _) in LINE.items()}
ACROSS = {key: (y_m, x_m) for key, (x_m, y_m) in LINE.items()}


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    with NodeBench(ros_domain, tmp_path) as made:
        yield made


@pytest.fixture
def node(bench: NodeBench) -> Any:
    return bench.start(EpisodicNode, graph_timeout_s=0.0)


@pytest.fixture
def reader(bench: NodeBench, node: EpisodicNode) -> Iterator[Reader]:
    """A memory with a chunk of ten keyframes, one a second, along the line."""
    opened = Reader(bench.memory_dir)
    chunks = bench.publisher(ChunkGraphMsg, endpoints.CHUNK_GRAPHS)
    shown = [keyframe(n, base=Pose.planar(0.5 * n, 0.0, 0.0)) for n in range(1, 11)]
    chunks.publish(graph_to_msg(graph(1, shown)))
    bench.until(lambda: opened.counts().last_chunk_id == 1, "the commit")
    yield opened
    opened.close()


def _markers(points_m: dict[int, tuple[float, float]], stamp_s: float) -> MarkerArray:
    """As slam_toolbox sends them: all before is deleted, spheres are vertices, lines are edges."""
    message = MarkerArray(markers=[Marker(action=Marker.DELETEALL)])
    stamp = time_to_msg(round(stamp_s * NS_PER_S))
    for key, (x_m, y_m) in points_m.items():
        vertex = Marker(ns="slam_toolbox", id=key, type=Marker.SPHERE, action=Marker.ADD)
        vertex.header.frame_id, vertex.header.stamp = "map", stamp
        vertex.pose.position.x, vertex.pose.position.y = x_m, y_m
        message.markers.append(vertex)
    edges = Marker(ns="slam_toolbox_edges", id=0, type=Marker.LINE_LIST, action=Marker.ADD)
    edges.header.frame_id, edges.header.stamp = "map", stamp
    message.markers.append(edges)
    return message


def _transform(x_m: float, stamp_s: float) -> TFMessage:
    item = TransformStamped(child_frame_id="odom")
    item.header.frame_id, item.header.stamp = "map", time_to_msg(round(stamp_s * NS_PER_S))
    item.transform.translation.x, item.transform.rotation.w = x_m, 1.0
    return TFMessage(transforms=[item])


def _commits(bench: NodeBench, reader: Reader) -> Callable[[], None]:
    """What waits until one commit more is there than now."""
    before = reader.counts().sequence
    return lambda: bench.until(lambda: reader.counts().sequence > before, "a commit")


def _place(reader: Reader, keyframe_id: int) -> tuple[float, float, float]:
    return reader.keyframes([keyframe_id])[0].map_from_base.position_m


def test_poses_follow_the_vertices_and_an_undo_takes_them_back(
    bench: NodeBench, reader: Reader
) -> None:
    graphs = bench.publisher(MarkerArray, TOPIC)
    arrived = _commits(bench, reader)
    graphs.publish(_markers(LINE, 20.0))
    arrived()
    graphs.publish(_markers(SHIFTED, 30.0))
    bench.until(lambda: _place(reader, 5)[1] > 0.1, "the correction")
    assert _place(reader, 5) == pytest.approx((2.5, 0.4, 0.0))
    undone = bench.call(Trigger, endpoints.UNDO_MAP_CORRECTION, Trigger.Request())
    assert undone.success
    assert _place(reader, 5) == pytest.approx((2.5, 0.0, 0.0), abs=1e-9)
    again = bench.call(Trigger, endpoints.UNDO_MAP_CORRECTION, Trigger.Request())
    assert not again.success
    assert "no correction" in again.message


def test_closure_counts_from_the_jump_of_the_transform_and_not_from_the_late_graph(
    bench: NodeBench, node: EpisodicNode, reader: Reader
) -> None:
    """Keyframes 6 to 10 were taken after it: their poses are on the new map already."""
    graphs, transforms = bench.publisher(MarkerArray, TOPIC), bench.publisher(TFMessage, "/tf")
    arrived = _commits(bench, reader)
    graphs.publish(_markers(LINE, 1.0))
    arrived()
    for x_m, stamp_s in ((0.0, 2.0), (0.2, 5.5), (0.2, 9.0)):
        transforms.publish(_transform(x_m, stamp_s))
    jumps = node.maps.jumps
    bench.until(lambda: jumps.largest is not None and jumps.largest.distance_m > 0.1, "the jump")
    graphs.publish(_markers({key: (x_m + 0.2, 0.0) for key, (x_m, _) in LINE.items()}, 10.5))
    bench.until(lambda: _place(reader, 5)[0] > 2.6, "the correction")
    assert [_place(reader, n)[0] for n in (5, 6)] == pytest.approx([2.7, 3.0])


def test_jump_that_no_graph_explains_makes_earlier_poses_less_certain(
    bench: NodeBench, reader: Reader
) -> None:
    transforms = bench.publisher(TFMessage, "/tf")
    for x_m, stamp_s in ((0.0, 2.0), (0.5, 8.5), (0.5, 9.0)):
        transforms.publish(_transform(x_m, stamp_s))
    bench.until(lambda: reader.keyframes([8])[0].stale_m > 0.0, "the mark")
    assert [item.stale_m for item in reader.keyframes([1, 8, 9])] == [0.5, 0.5, 0.0]


def test_how_far_a_pose_may_be_off_travels_as_its_covariance() -> None:
    message = keyframe_to_msg(replace(keyframe(1), stale_m=0.5))
    covariance = message.base_pose.covariance
    assert [covariance[0], covariance[7], covariance[14]] == [0.25, 0.25, 0.0]
    assert keyframe_from_msg(message).stale_m == 0.5


def test_graph_that_begins_anew_is_another_map_for_every_node(
    bench: NodeBench, reader: Reader
) -> None:
    """What was recorded in between may be of either map: it is never driven to."""
    goal_node = bench.start(GoalNode)
    current = bench.heard(String, endpoints.CURRENT_MAP, endpoints.LATCHED)
    graphs = bench.publisher(MarkerArray, TOPIC)
    arrived = _commits(bench, reader)
    graphs.publish(_markers(LINE, 7.5))
    arrived()

    def heard(map_id: str) -> bool:
        return bool(current) and current[-1].data == map_id

    bench.until(lambda: heard("map"), "word of the first map")
    graphs.publish(_markers({0: (0.0, 0.0)}, 12.0))
    bench.until(lambda: goal_node.suite.map_id == "map_new_2", "the new map")
    bench.until(lambda: heard("map_new_2"), "word of it")
    bench.until(lambda: not reader.keyframes([10])[0].is_localized, "the doubt")
    assert [item.is_localized for item in reader.keyframes([1, 7, 8])] == [True, True, False]
    graphs.publish(_markers(LINE, 20.0))
    bench.until(lambda: goal_node.suite.map_id == "map", "the old map")


def test_map_is_unknown_from_the_start_of_slam_to_its_first_graph(bench: NodeBench) -> None:
    bench.start(EpisodicNode)
    goal_node = bench.start(GoalNode)
    current = bench.heard(String, endpoints.CURRENT_MAP, endpoints.LATCHED)
    bench.until(lambda: bool(current), "word of the map")
    assert (current[-1].data, goal_node.knows_map) == ("map", True)
    graphs = bench.publisher(MarkerArray, TOPIC)
    bench.until(lambda: not goal_node.knows_map, "doubt")
    graphs.publish(_markers(LINE, 7.5))
    bench.until(lambda: goal_node.knows_map, "the map")
    assert goal_node.suite.map_id == "map"


def test_loaded_map_is_called_what_slam_toolbox_calls_it(
    bench: NodeBench, node: EpisodicNode
) -> None:
    slam = Node(
        "slam_toolbox",
        namespace="/",
        context=bench.context,
        allow_undeclared_parameters=True,
        automatically_declare_parameters_from_overrides=True,
        parameter_overrides=[Parameter("map_file_name", value="/maps/warehouse.posegraph")],
    )
    bench.executor.add_node(slam)
    current = bench.heard(String, endpoints.CURRENT_MAP, endpoints.LATCHED)
    graphs = bench.publisher(MarkerArray, TOPIC)
    bench.until(node.maps.may_ask, "the service of slam_toolbox")
    graphs.publish(_markers(ACROSS, 20.0))
    bench.until(lambda: bool(current) and current[-1].data == "warehouse", "the name")
    bench.executor.remove_node(slam)
    slam.destroy_node()
