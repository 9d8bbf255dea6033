"""Poses at a stamp: what every source of them does alike. By tf2_ros only where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import TransformStamped
from tf2_msgs.msg import TFMessage

from memory_nodes.errors import TransformNotYet, TransformTooOld, TransformUnknown
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.records import NS_PER_S
from memory_nodes.ros.conversions import time_to_msg
from memory_nodes.ros.endpoints import STATIC_TRANSFORMS, TRANSFORMS
from memory_nodes.ros.pose_source import OwnPoseSource, PoseSource, Tf2PoseSource
from memory_test_support.node_bench import NodeBench

NEEDS_TF2 = pytest.mark.skipif(find_spec("tf2_ros") is None, reason="tf2_ros is not installed")


class Rig:
    """A source in a node, and a robot that tells where it is."""

    def __init__(self, bench: NodeBench, make: Callable[[Any], PoseSource]) -> None:
        self._bench = bench
        self.source = make(bench.make(GoalNode))
        self._tf = bench.publisher(TFMessage, "/tf", TRANSFORMS)
        self._static = bench.publisher(TFMessage, "/tf_static", STATIC_TRANSFORMS)

    def say(self, parent: str, child: str, stamp_s: float, x_m: float, is_static: bool) -> None:
        item = TransformStamped(child_frame_id=child)
        item.header.frame_id = parent
        item.header.stamp = time_to_msg(round(stamp_s * NS_PER_S))
        item.transform.translation.x = x_m
        item.transform.rotation.w = 1.0
        (self._static if is_static else self._tf).publish(TFMessage(transforms=[item]))

    def x_m(self, stamp_s: float) -> float:
        found = self.source.lookup("map", "camera", round(stamp_s * NS_PER_S))
        return found.position_m[0]

    def knows(self, stamp_s: float) -> bool:
        try:
            self.x_m(stamp_s)
        except (TransformUnknown, TransformNotYet):
            return False
        return True

    def until_known(self, stamp_s: float) -> None:
        self._bench.until(lambda: self.knows(stamp_s), f"the transform at {stamp_s} s")


@pytest.fixture(params=[OwnPoseSource, pytest.param(Tf2PoseSource, marks=NEEDS_TF2)])
def rig(request: pytest.FixtureRequest, ros_domain: int, tmp_path: Path) -> Iterator[Rig]:
    """The base is at x = stamp from 10 s to 12 s, the camera half a metre before it."""
    with NodeBench(ros_domain, tmp_path) as bench:
        made = Rig(bench, request.param)
        made.say("base", "camera", 0.0, 0.5, is_static=True)
        for stamp_s in (10.0, 12.0):
            made.say("map", "base", stamp_s, stamp_s, is_static=False)
        made.until_known(12.0)
        yield made


@pytest.mark.parametrize(("stamp_s", "x_m"), [(10.0, 10.5), (11.0, 11.5), (12.0, 12.5)])
def test_pose_is_that_at_the_stamp(rig: Rig, stamp_s: float, x_m: float) -> None:
    assert rig.x_m(stamp_s) == pytest.approx(x_m)


def test_newer_stamp_is_not_yet_known(rig: Rig) -> None:
    with pytest.raises(TransformNotYet):
        rig.x_m(12.1)


def test_older_stamp_is_too_old(rig: Rig) -> None:
    with pytest.raises(TransformTooOld):
        rig.x_m(9.9)


def test_stamp_0_is_never_the_newest(rig: Rig) -> None:
    with pytest.raises(TransformTooOld):
        rig.x_m(0.0)


def test_frame_that_was_never_connected_is_unknown(rig: Rig) -> None:
    with pytest.raises(TransformUnknown):
        rig.source.lookup("map", "gripper", 11 * NS_PER_S)


def test_after_clear_the_old_time_is_gone_and_the_new_one_is_heard(rig: Rig) -> None:
    rig.source.clear()
    with pytest.raises(TransformUnknown):
        rig.x_m(11.0)
    rig.say("base", "camera", 0.0, 0.5, is_static=True)
    for stamp_s in (1.0, 3.0):
        rig.say("map", "base", stamp_s, stamp_s, is_static=False)
    rig.until_known(2.0)
    assert rig.x_m(2.0) == pytest.approx(2.5)
