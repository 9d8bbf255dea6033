"""Where the robot is, whatever its clock does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import TransformStamped
from tf2_msgs.msg import TFMessage

from memory_nodes.geometry import Pose
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.records import NS_PER_S
from memory_nodes.ros.conversions import header
from memory_nodes.ros.endpoints import TRANSFORMS
from memory_nodes.ros.whereabouts import Whereabouts
from memory_test_support.node_bench import NodeBench


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    with NodeBench(ros_domain, tmp_path) as made:
        yield made


def test_pose_from_before_time_jumped_back_is_not_where_the_robot_is(
    bench: NodeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A simulation that is reset puts the robot elsewhere, and its clock to where it was."""
    node: Any = bench.start(GoalNode)
    now_s = [10.0]
    monkeypatch.setattr(node, "now_ns", lambda: round(now_s[0] * NS_PER_S))
    whereabouts = Whereabouts(node, lost_after_s=3.0)
    transforms = bench.publisher(TFMessage, "/tf", TRANSFORMS)
    for stamp_s in (2, 10):
        moved = TransformStamped(header=header(stamp_s * NS_PER_S, "map"))
        moved.child_frame_id = "base_link"
        moved.transform.translation.x = float(stamp_s)
        transforms.publish(TFMessage(transforms=[moved]))
    bench.until(lambda: whereabouts.now() is not None, "the robot's pose")
    now_s[0] = 5.0
    assert whereabouts.now() is None
    assert whereabouts.is_lost


def test_clock_that_begins_at_zero_is_asked_for_nothing_before(
    bench: NodeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """tf2 raises for a negative stamp."""
    node: Any = bench.start(GoalNode)
    monkeypatch.setattr(node, "now_ns", lambda: NS_PER_S // 4)
    whereabouts = Whereabouts(node, lost_after_s=3.0)
    asked: list[int] = []
    lookup = whereabouts._source.lookup

    def asking(target: str, source: str, stamp_ns: int) -> Pose:
        asked.append(stamp_ns)
        return lookup(target, source, stamp_ns)

    monkeypatch.setattr(whereabouts._source, "lookup", asking)
    assert whereabouts.now() is None
    assert min(asked) >= 0
