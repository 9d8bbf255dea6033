"""What RViz gets to see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from nav_msgs.msg import Path as Trail
from PIL import Image as Pictures
from robot_memory.msg import ChunkGraph, MemoryAnswer
from robot_memory.srv import QueryMemory
from sensor_msgs.msg import Image
from visualization_msgs.msg import MarkerArray

from memory_nodes.nodes.episodic_node import EpisodicNode
from memory_nodes.nodes.marker_node import MarkerNode
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.records import RetrievedKeyframe
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import graph_to_msg, retrieved_to_msg
from memory_test_support.node_bench import NodeBench
from memory_test_support.records import descriptor, graph, keyframe, view


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    with NodeBench(ros_domain, tmp_path) as made:
        made.start(EpisodicNode)
        made.start(MarkerNode)
        yield made


def remember(bench: NodeBench) -> None:
    """Two keyframes; a mug with a measured position and a lamp without."""
    mug = descriptor("mug_1", view(1, point_map_m=(3.0, 1.0, 0.5)))
    message = graph_to_msg(
        graph(1, [keyframe(1), keyframe(2)], [mug, descriptor("lamp_1", view(2))])
    )
    bench.publisher(ChunkGraph, endpoints.CHUNK_GRAPHS).publish(message)


def test_objects_with_a_position_become_labelled_markers(bench: NodeBench) -> None:
    scenes = bench.heard(MarkerArray, endpoints.MARKERS, endpoints.LATCHED)
    remember(bench)
    bench.until(lambda: any(len(scene.markers) > 1 for scene in scenes), "the markers")
    by_layer = {marker.ns: marker for marker in scenes[-1].markers}
    body, label = by_layer["objects"], by_layer["labels"]
    assert label.text == "mug"
    # the object's centre lies a little behind its measured surface
    assert (body.pose.position.x, body.pose.position.y) == pytest.approx((3.0, 1.0), abs=0.1)
    assert body.header.frame_id == "map"
    assert body.pose.orientation.w == 1.0


def test_trail_is_where_the_keyframes_were_taken(bench: NodeBench) -> None:
    trails = bench.heard(Trail, endpoints.TRAIL, endpoints.LATCHED)
    remember(bench)
    bench.until(lambda: any(trail.poses for trail in trails), "the trail")
    assert [pose.pose.position.x for pose in trails[-1].poses] == pytest.approx([0.1, 0.2])


def test_best_keyframe_of_an_answer_is_shown_with_its_box(bench: NodeBench) -> None:
    picture = bench.memory_dir / keyframe(1).image_path
    picture.parent.mkdir(parents=True)
    Pictures.new("RGB", (640, 480), "white").save(picture)
    bench.start(QueryNode, base_url="")
    shown = bench.heard(Image, endpoints.RETRIEVED_IMAGE, endpoints.LATCHED)
    remember(bench)
    request = QueryMemory.Request(question="Where is the mug?")

    def is_shown() -> bool:
        """Asked again and again: the marker node may not have found the query node yet."""
        bench.call(QueryMemory, endpoints.QUERY, request)
        return bool(shown)

    bench.until(is_shown, "the image")
    assert (shown[-1].width, shown[-1].height, shown[-1].encoding) == (640, 480, "rgb8")
    assert any(value < 128 for value in shown[-1].data)


def test_best_keyframe_whose_image_is_kept_is_shown(bench: NodeBench) -> None:
    picture = bench.memory_dir / keyframe(2).image_path
    picture.parent.mkdir(parents=True)
    Pictures.new("RGB", (64, 48), "white").save(picture)
    shown = bench.heard(Image, endpoints.RETRIEVED_IMAGE, endpoints.LATCHED)
    dropped = replace(keyframe(1), image_path="")
    hits = [RetrievedKeyframe(item, 1.0) for item in (dropped, keyframe(2), keyframe(3))]
    answer = MemoryAnswer(keyframes=[retrieved_to_msg(hit) for hit in hits])
    bench.publisher(MemoryAnswer, endpoints.ANSWERS).publish(answer)
    bench.until(lambda: bool(shown), "the image")
    assert (shown[-1].width, shown[-1].header.stamp.sec) == (64, 2)
