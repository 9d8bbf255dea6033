"""What belongs to an image is that of its stamp."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from memory_nodes.errors import TransformNotYet
from memory_nodes.geometry import Pose
from memory_nodes.perception.gathering import MAX_DEPTHS, Gatherer

STEP_NS = 10_000_000


def message(stamp_ns: int, **fields: Any) -> Any:
    """A message with a header, as every library gives it."""
    seconds, nanoseconds = divmod(stamp_ns, 10**9)
    stamp = SimpleNamespace(sec=seconds, nanosec=nanoseconds)
    return SimpleNamespace(header=SimpleNamespace(stamp=stamp, frame_id="/camera"), **fields)


def camera_info(fx_px: float = 500.0) -> Any:
    return message(0, k=[fx_px, 0.0, 320.0, 0.0, 500.0, 240.0, 0.0, 0.0, 1.0])


def gatherer(*, use_depth: bool = True) -> Gatherer:
    """At a stamp the base is at x = stamp in ns, and the camera one metre above it."""

    def lookup(target: str, source: str, stamp_ns: int) -> Pose:
        height_m = {"base_link": 0.0, "camera": 1.0}[source]
        return Pose((float(stamp_ns), 0.0, height_m), (0.0, 0.0, 0.0, 1.0))

    made = Gatherer(lookup, "map", "base_link", use_depth=use_depth, depth_slop_s=0.05)
    made.take_camera_info(camera_info())
    return made


def test_poses_are_those_of_the_stamp_and_a_slash_before_a_frame_is_no_part_of_it() -> None:
    posed = gatherer(use_depth=False).gather(message(7), False)
    assert posed.map_from_base.position_m == (7.0, 0.0, 0.0)
    assert posed.map_from_camera.position_m == (7.0, 0.0, 1.0)
    assert (posed.intrinsics is None, posed.depth) == (False, None)


def test_depth_of_the_same_stamp_is_taken_before_a_newer_one() -> None:
    made = gatherer()
    same = message(5 * STEP_NS)
    for depth in (message(4 * STEP_NS), same, message(6 * STEP_NS)):
        made.take_depth(depth)
    assert made.gather(message(5 * STEP_NS), False).depth is same


def test_image_waits_for_its_depth_until_a_newer_one_has_come() -> None:
    made = gatherer()
    older, newer = message(4 * STEP_NS), message(8 * STEP_NS)
    made.take_depth(older)
    with pytest.raises(TransformNotYet):
        made.gather(message(5 * STEP_NS), False)
    made.take_depth(newer)
    assert made.gather(message(5 * STEP_NS), False).depth is older


def test_depth_too_far_from_the_stamp_is_none() -> None:
    made = gatherer()
    made.take_depth(message(0))
    assert made.gather(message(5 * STEP_NS), True).depth is not None  # 50 ms, as far as allowed
    assert made.gather(message(6 * STEP_NS), True).depth is None


def test_at_the_last_call_it_does_without_depth_and_calibration() -> None:
    made = Gatherer(
        lambda target, source, stamp_ns: Pose.identity(),
        *("map", "base_link"),
        use_depth=True,
        depth_slop_s=0.05,
    )
    with pytest.raises(TransformNotYet):
        made.gather(message(1), False)
    posed = made.gather(message(1), True)
    assert (posed.depth, posed.intrinsics) == (None, None)


def test_camera_that_is_not_calibrated_has_no_pinhole() -> None:
    made = gatherer(use_depth=False)
    made.take_camera_info(camera_info(fx_px=0.0))
    assert made.gather(message(1), True).intrinsics is None


def test_only_the_newest_depth_images_are_kept() -> None:
    made = gatherer()
    depths = [message(number) for number in range(MAX_DEPTHS + 1)]
    for depth in depths:
        made.take_depth(depth)
    assert made.gather(message(0), True).depth is depths[1]
    made.clear()
    assert made.gather(message(5), True).depth is None
