"""The transform tree at a stamp: exact, interpolated, or a reason why not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from memory_nodes.errors import TransformNotYet, TransformTooOld, TransformUnknown
from memory_nodes.geometry import Pose
from memory_nodes.perception.transforms import TransformBuffer
from memory_nodes.records import NS_PER_S

S = NS_PER_S


@pytest.fixture
def tree() -> TransformBuffer:
    """odom moves in map, base moves in odom, the camera is fixed on the base."""
    buffer = TransformBuffer(history_s=30.0)
    for second in range(1, 11):
        buffer.add("map", "odom", second * S, Pose.planar(1.0, 0.0, 0.0), is_static=False)
        pose = Pose.planar(float(second), 0.0, 0.1 * second)
        buffer.add("odom", "base", second * S, pose, is_static=False)
    buffer.add("base", "camera", 0, Pose((0.2, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0)), is_static=True)
    return buffer


def test_exact_stamp_gives_the_sample_itself(tree: TransformBuffer) -> None:
    found, sample = tree.lookup("odom", "base", 3 * S), Pose.planar(3.0, 0.0, 0.1 * 3)
    assert found.position_m == sample.position_m
    assert found.quat_xyzw == pytest.approx(sample.quat_xyzw, abs=1e-12)


def test_first_and_last_sample_are_known(tree: TransformBuffer) -> None:
    assert tree.lookup("odom", "base", 1 * S).position_m[0] == pytest.approx(1.0)
    assert tree.lookup("odom", "base", 10 * S).position_m[0] == pytest.approx(10.0)


def test_between_samples_it_interpolates_as_scipy_does() -> None:
    buffer = TransformBuffer()
    turns = Rotation.from_euler("xyz", [[0.1, 0.2, 0.3], [1.0, -0.4, 2.0]])
    for stamp_ns, turn, x_m in zip((2 * S, 4 * S), turns, (1.0, 2.0), strict=True):
        qx, qy, qz, qw = map(float, turn.as_quat())
        buffer.add("a", "b", stamp_ns, Pose((x_m, 0.0, 0.0), (qx, qy, qz, qw)), is_static=False)
    found = buffer.lookup("a", "b", 2 * S + S // 2)
    expected = Slerp([2.0, 4.0], turns)(2.5)
    assert (expected.inv() * found.rotation).magnitude() < 1e-9
    assert found.position_m == pytest.approx((1.25, 0.0, 0.0))


def test_chain_goes_up_and_down_by_hand(tree: TransformBuffer) -> None:
    yaw = 0.1 * 4
    expected = (5.0 + 0.2 * math.cos(yaw), 0.2 * math.sin(yaw), 1.0)
    found = tree.lookup("map", "camera", 4 * S)
    assert found.position_m == pytest.approx(expected)
    back = tree.lookup("camera", "map", 4 * S)
    np.testing.assert_allclose((back @ found).position_m, (0.0, 0.0, 0.0), atol=1e-9)


def test_siblings_meet_at_their_parent() -> None:
    buffer = TransformBuffer()
    buffer.add("base", "left", 0, Pose.planar(0.0, 1.0, 0.0), is_static=True)
    buffer.add("base", "right", 0, Pose.planar(0.0, -1.0, 0.0), is_static=True)
    assert buffer.lookup("left", "right", 7).position_m == pytest.approx((0.0, -2.0, 0.0))


def test_newer_than_the_newest_sample_is_not_yet(tree: TransformBuffer) -> None:
    with pytest.raises(TransformNotYet, match="odom <- base is known up to 10000000000 ns"):
        tree.lookup("odom", "base", 10 * S + 1)


def test_older_than_the_oldest_sample_is_too_old(tree: TransformBuffer) -> None:
    with pytest.raises(TransformTooOld, match="known from 1000000000 ns"):
        tree.lookup("odom", "base", S - 1)


def test_history_is_forgotten_after_its_time() -> None:
    buffer = TransformBuffer(history_s=5.0)
    for second in range(0, 11):
        buffer.add("a", "b", second * S, Pose.identity(), is_static=False)
    buffer.lookup("a", "b", 5 * S)
    with pytest.raises(TransformTooOld):
        buffer.lookup("a", "b", 5 * S - 1)


def test_frames_that_were_never_connected_are_unknown(tree: TransformBuffer) -> None:
    with pytest.raises(TransformUnknown, match="'map' and 'lidar'"):
        tree.lookup("map", "lidar", 3 * S)


def test_static_transform_holds_at_any_stamp(tree: TransformBuffer) -> None:
    for stamp_ns in (0, 3 * S, 10**18):
        assert tree.lookup("base", "camera", stamp_ns).position_m == (0.2, 0.0, 1.0)


def test_newer_static_transform_replaces_the_older(tree: TransformBuffer) -> None:
    tree.add("base", "camera", 0, Pose.planar(9.0, 0.0, 0.0), is_static=True)
    assert tree.lookup("base", "camera", 5).position_m[0] == pytest.approx(9.0)


def test_clear_forgets_all_but_static_transforms(tree: TransformBuffer) -> None:
    tree.clear()
    tree.lookup("base", "camera", 3 * S)
    with pytest.raises(TransformUnknown):
        tree.lookup("map", "base", 3 * S)


def test_samples_out_of_order_find_their_place() -> None:
    buffer = TransformBuffer()
    for second in (3, 1, 2):
        pose = Pose.planar(float(second), 0.0, 0.0)
        buffer.add("a", "b", second * S, pose, is_static=False)
    assert buffer.lookup("a", "b", 3 * S // 2).position_m[0] == pytest.approx(1.5)


def test_second_sample_of_one_stamp_replaces_the_first() -> None:
    buffer = TransformBuffer()
    buffer.add("a", "b", S, Pose.planar(1.0, 0.0, 0.0), is_static=False)
    buffer.add("a", "b", S, Pose.planar(2.0, 0.0, 0.0), is_static=False)
    assert buffer.lookup("a", "b", S).position_m[0] == pytest.approx(2.0)


def test_new_parent_replaces_the_old_one(tree: TransformBuffer) -> None:
    tree.add("dock", "base", 11 * S, Pose.planar(0.5, 0.0, 0.0), is_static=False)
    assert tree.lookup("dock", "base", 11 * S).position_m[0] == pytest.approx(0.5)
    with pytest.raises(TransformUnknown):
        tree.lookup("map", "base", 11 * S)


def test_loop_in_the_tree_ends_with_an_error() -> None:
    buffer = TransformBuffer()
    buffer.add("a", "b", 0, Pose.identity(), is_static=True)
    buffer.add("b", "a", 0, Pose.identity(), is_static=True)
    with pytest.raises(TransformUnknown):
        buffer.lookup("map", "a", 0)


def test_frame_in_itself_is_identity() -> None:
    assert TransformBuffer().lookup("map", "map", 5) == Pose.identity()


def test_sample_from_before_a_jump_does_not_keep_out_those_after_it() -> None:
    """One message of the old time that arrives after the buffer was cleared."""
    buffer = TransformBuffer(history_s=30.0)
    here = Pose.identity()
    buffer.add("map", "base", 100 * NS_PER_S, here, is_static=False)
    for second in (4, 6):
        buffer.add("map", "base", second * NS_PER_S, here, is_static=False)
    assert buffer.lookup("map", "base", 5 * NS_PER_S) == here
