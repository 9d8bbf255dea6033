"""Boxes in the synthetic house, held against projections by hand.

The camera is at x = y = 0, one metre above the floor, looks along x, and has a focal length of
500 px: a point at (x, y, z) shows at u = 320 - 500 y / x, v = 240 - 500 (z - 1) / x.
"""

from __future__ import annotations

import pytest

from memory_nodes.geometry import Pose, Vector3
from memory_nodes.records import Box, Keyframe
from memory_test_support.house import Thing, visible
from memory_test_support.house.kinds import Kind
from memory_test_support.records import keyframe

CAMERA = keyframe(1, base=Pose.planar(0.0, 0.0, 0.0))


def _block(
    centre_m: Vector3, size_m: Vector3 = (0.5, 0.5, 0.5), thing_id: str = "block_1"
) -> Thing:
    kind = Kind("block", ("block",), ("a {} block",), "wood", size_m)
    return Thing(thing_id, kind, "red", "hall", centre_m)


def _boxes(*things: Thing, taken: Keyframe = CAMERA) -> dict[str, Box]:
    return {sight.thing.thing_id: sight.box for sight in visible(things, taken)}


def _sides(box: Box) -> tuple[float, float, float, float]:
    return (box.x0_px, box.y0_px, box.x1_px, box.y1_px)


def test_cube_straight_ahead_shows_its_front() -> None:
    (sight,) = visible([_block((3.0, 0.0, 1.0))], CAMERA)
    half_px = 500.0 * 0.25 / 2.75
    expected = (320.0 - half_px, 240.0 - half_px, 320.0 + half_px, 240.0 + half_px)
    assert _sides(sight.box) == pytest.approx(expected)
    assert sight.depth_m == pytest.approx(2.75)


def test_cube_to_the_left_and_below_shows_left_and_below() -> None:
    (box,) = _boxes(_block((3.0, 1.0, 0.25))).values()
    # y from 0.75 to 1.25, z from 0 to 0.5; the front is at 2.75 m, the back at 3.25 m
    expected = (
        *(320.0 - 500.0 * 1.25 / 2.75, 240.0 + 500.0 * 0.5 / 3.25),
        *(320.0 - 500.0 * 0.75 / 3.25, 240.0 + 500.0 * 1.0 / 2.75),
    )
    assert _sides(box) == pytest.approx(expected)


def test_turned_robot_sees_what_is_beside_its_old_course() -> None:
    to_the_left = _block((0.0, 3.0, 1.0))
    turned = keyframe(1, base=Pose.planar(0.0, 0.0, 1.5707963267948966))
    assert _boxes(to_the_left) == {}
    (box,) = _boxes(to_the_left, taken=turned).values()
    assert box.centre_px == pytest.approx((320.0, 240.0))


def test_picture_cuts_a_box_at_its_border() -> None:
    (box,) = _boxes(_block((1.25, 0.7, 1.0), (0.5, 0.6, 0.5))).values()
    # y from 0.4 to 1.0, of which the picture shows those with y / x below 0.64
    assert box.x0_px == 0.0
    assert box.x1_px == pytest.approx(320.0 - 500.0 * 0.4 / 1.5)


def test_thing_behind_beside_or_far_away_gets_no_box() -> None:
    assert _boxes(_block((-3.0, 0.0, 1.0)), _block((0.2, 0.0, 1.0)), _block((8.5, 0.0, 1.0))) == {}


def test_thing_too_small_to_be_told_gets_no_box() -> None:
    # 500 x 0.08 / 6 = 6.7 px
    assert _boxes(_block((6.0, 0.0, 1.0), (0.08, 0.08, 0.08))) == {}


def test_thing_behind_a_nearer_one_gets_no_box() -> None:
    wall = _block((2.0, 0.0, 1.0), (0.1, 1.5, 1.5), "wall_1")
    hidden = _block((3.0, 0.0, 1.0))
    assert set(_boxes(hidden, wall)) == set(_boxes(wall, hidden)) == {"wall_1"}


def test_partly_hidden_thing_gets_the_box_of_what_shows() -> None:
    """The near block covers all right of the middle; 45 of 91 columns are left."""
    near = _block((2.0, -0.25, 1.0), (0.2, 0.5, 1.5), "near_1")
    assert _boxes(_block((3.0, 0.0, 1.0)), near)["block_1"] == Box(275.0, 195.0, 320.0, 285.0)


def test_mostly_hidden_thing_gets_no_box() -> None:
    """Covered from u = 320 - 500 x 0.1 / 1.9 = 294 on: 19 of 91 columns are left."""
    near = _block((2.0, -0.2, 1.0), (0.2, 0.6, 1.5), "near_1")
    assert set(_boxes(_block((3.0, 0.0, 1.0)), near)) == {"near_1"}
