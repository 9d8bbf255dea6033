"""What is known around a place, by service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from geometry_msgs.msg import Point
from robot_memory.srv import GetContext

from memory_nodes.geometry import Pose
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.records import Relation
from memory_nodes.ros import endpoints
from memory_nodes.store.writer import Writer
from memory_test_support.node_bench import NodeBench
from memory_test_support.records import descriptor, graph, keyframe, observation, view

DESK_M = (2.0, 0.0, 1.0)


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    """A mug on a desk, 2 m before the robot; a lamp far away; the robot is in an office."""
    writer = Writer(tmp_path)
    objects = [
        descriptor("lamp_1", view(1, point_map_m=(20.0, 0.0, 1.0))),
        descriptor("mug_1", view(1, point_map_m=(2.0, 0.3, 1.2))),
        descriptor("desk_1", view(1, point_map_m=DESK_M)),
    ]
    seen = graph(
        1,
        [keyframe(1, base=Pose.planar(0.0, 0.0, 0.0))],
        objects,
        [Relation("mug_1", "on", "desk_1", (1,))],
    )
    writer.commit_chunk(seen, [observation("office", layer="place", stamp_s=1.0)])
    writer.close()
    with NodeBench(ros_domain, tmp_path) as made:
        yield made


def _context(bench: NodeBench, request: GetContext.Request) -> GetContext.Response:
    return bench.call(GetContext, endpoints.CONTEXT, request)


def test_what_is_here_comes_by_layer_with_the_objects_nearest_first(bench: NodeBench) -> None:
    bench.start(QueryNode, base_url="")
    response = _context(bench, GetContext.Request(here=True, radius=4.0))
    assert response.success
    assert [item.object_id for item in response.objects] == ["desk_1", "mug_1"]
    assert response.layers == ["objects", "place"]
    objects, place = response.texts
    assert "mug_1 on desk_1" in objects
    assert "lamp_1" not in objects
    assert place.endswith(": office")


def test_place_where_nothing_is_known_says_so(bench: NodeBench) -> None:
    bench.start(QueryNode, base_url="")
    response = _context(bench, GetContext.Request(center=Point(x=-50.0), radius=1.0))
    assert response.success
    assert (list(response.objects), list(response.layers)) == ([], [])
    assert response.message == "nothing is known around there"


def test_here_on_a_map_where_the_robot_never_was_is_refused_with_a_reason(
    bench: NodeBench,
) -> None:
    bench.start(QueryNode, base_url="", map_id="another_house")
    response = _context(bench, GetContext.Request(here=True, radius=4.0))
    assert not response.success
    assert "another_house" in response.message
