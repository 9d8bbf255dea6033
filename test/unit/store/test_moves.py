"""What views prove a move, and what may as well be the parts of one thing that stays.

The camera is one metre above the floor, looks ahead along x, and measures what it sees.
"""

from __future__ import annotations

import pytest

from memory_nodes.geometry import Pose, Vector3
from memory_nodes.perception.positions import locate
from memory_nodes.records import Box, ObjectView
from memory_nodes.store import moves
from memory_nodes.store.moves import Move
from memory_test_support.records import keyframe

AHEAD = Pose.planar(0.0, 0.0, 0.0)
TURNED = Pose.planar(0.0, 0.0, -1.4)
MIDDLE: Vector3 = (4.0, 0.0, 1.0)
"""Shows in the middle of the picture."""

Seen = tuple[Pose, Box, Vector3]


def _find(old: Seen, new: Seen) -> Move | None:
    """Each seen twice running; the newest chunk is the second of the new ones."""
    taken = (old, old, new, new)
    keyframes = {n: keyframe(n, base=base) for n, (base, _, _) in enumerate(taken, 1)}
    views = [ObjectView(n, box, point_map_m=point) for n, (_, box, point) in enumerate(taken, 1)]
    place = locate(views[:2], keyframes)
    assert place is not None
    assert all(moves.contradicts(view, keyframes, place) for view in views[2:])
    return moves.find(views, keyframes, place, 4, 0.5, 3.0)


def _box(left_px: float, right_px: float) -> Box:
    return Box(left_px, 200.0, right_px, 280.0)


@pytest.mark.parametrize(("half_width_px", "has_moved"), [(25.0, True), (250.0, False)])
def test_part_of_a_long_thing_that_shows_within_its_earlier_boxes_has_not_moved(
    half_width_px: float, has_moved: bool
) -> None:
    """1.6 m to the right of the middle, where a counter of 4 m ends and a box of 0.4 m is not."""
    old = (AHEAD, _box(320.0 - half_width_px, 320.0 + half_width_px), MIDDLE)
    new = (AHEAD, _box(500.0, 540.0), (4.0, -1.6, 1.0))
    assert (_find(old, new) is not None) == has_moved


@pytest.mark.parametrize(("right_px", "has_moved"), [(636.0, True), (639.0, False)])
def test_what_lies_beyond_the_border_that_cut_a_thing_may_be_the_rest_of_it(
    right_px: float, has_moved: bool
) -> None:
    """The robot has turned to the right by 80 degrees, and sees it there."""
    old = (AHEAD, _box(540.0, right_px), (4.0, -2.16, 1.0))
    new = (TURNED, _box(284.0, 368.0), (0.8, -5.0, 1.0))
    assert (_find(old, new) is not None) == has_moved


def test_measured_distance_alone_proves_no_move_along_the_ray() -> None:
    """What stands before a thing in part is measured instead of it."""
    keyframes = {number: keyframe(number, base=AHEAD) for number in range(1, 5)}
    points: list[Vector3] = [(1.5, 0.0, 1.0)] * 2 + [MIDDLE] * 2
    views = [
        ObjectView(number, _box(300.0, 340.0), point_map_m=point)
        for number, point in enumerate(points, 1)
    ]
    near, far = locate(views[:2], keyframes), locate(views[2:], keyframes)
    assert near is not None
    assert far is not None
    assert moves.is_elsewhere(near, far, 0.5, 3.0)
    assert moves.find(views, keyframes, near, 3, 0.5, 3.0) is None
