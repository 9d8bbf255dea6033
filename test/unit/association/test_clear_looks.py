"""A place in clear view without its object, by hand: projection, hiding, distance, depth.

The camera is one metre above the floor and looks along x, 500 px focal length, 640 x 480 px. The
object is 3 m ahead at its height: in the middle of the picture, pixel (320, 240).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memory_nodes.association.clear_looks import ClearLookConfig, clear_looks
from memory_nodes.association.known_places import KnownPlaces, in_view, known_places
from memory_nodes.geometry import PointEstimate, Pose
from memory_nodes.records import (
    Box,
    ChunkGraph,
    ClearLook,
    DepthGrid,
    Keyframe,
    ObjectDescriptor,
    ObjectStatus,
)
from memory_test_support.records import box, descriptor, graph, keyframe, point, view

PLACE = point(3.0, 0.0, 1.0)
OWN = box(295.0, 215.0, 50.0)
SEEN = keyframe(1, base=Pose.planar(0.0, 0.0, 0.0))
HERE = keyframe(5, base=Pose.planar(0.0, 0.0, 0.0))
MUG = descriptor("mug_1", view(1, OWN), position=PLACE)
FAR_CORNER = descriptor("lamp_1", view(5, box(0.0, 0.0, 20.0)), position=point(7.0, 4.0))
LOOK = (ClearLook("mug_1", 5),)


def _known(*objects: ObjectDescriptor, seen_in: Keyframe = SEEN) -> KnownPlaces:
    return known_places(objects, {seen_in.keyframe_id: seen_in})


def _looks(
    *shown: ObjectDescriptor,
    taken: Keyframe = HERE,
    known: KnownPlaces | None = None,
    config: ClearLookConfig | None = None,
) -> tuple[ClearLook, ...]:
    chunk = graph(2, [taken], shown or (FAR_CORNER,))
    return clear_looks(chunk, known or _known(MUG), config or ClearLookConfig())


def _with_problem(line: str) -> ChunkGraph:
    return replace(graph(2, [HERE], [FAR_CORNER]), problems=(line,))


def test_empty_place_in_plain_view_is_a_clear_look() -> None:
    assert _looks() == LOOK


def test_what_the_chunk_shows_is_not_missed() -> None:
    assert _looks(FAR_CORNER, descriptor("mug_1", view(5, box(100.0)), position=PLACE)) == ()


def test_keyframe_without_any_detection_counts_where_one_object_should_be_in_it() -> None:
    chunk = graph(2, [HERE, replace(HERE, keyframe_id=6)], [FAR_CORNER])
    looks = clear_looks(chunk, _known(MUG), ClearLookConfig())
    assert looks == (*LOOK, ClearLook("mug_1", 6))
    doubting = ClearLookConfig(look_at_empty_keyframes=False)
    assert clear_looks(chunk, _known(MUG), doubting) == LOOK
    nothing = graph(2, [HERE])
    assert clear_looks(nothing, _known(MUG), ClearLookConfig()) == ()


@pytest.mark.parametrize("is_seen", [False, True])
def test_keyframe_in_which_several_objects_are_lacking_was_passed_over(is_seen: bool) -> None:
    """The cup beside the mug, too; whether another keyframe of the chunk shows it or not."""
    beside = box(395.0, 215.0, 50.0)
    cup = descriptor("cup_1", view(1, beside), position=point(3.0, -0.6, 1.0))
    away = descriptor("cup_1", view(5, beside), position=cup.position)
    shown = [FAR_CORNER, away] if is_seen else [FAR_CORNER]
    chunk = graph(2, [HERE, replace(HERE, keyframe_id=6)], shown)
    looks = clear_looks(chunk, _known(MUG, cup), ClearLookConfig())
    assert 6 not in {look.keyframe_id for look in looks}
    assert ClearLook("mug_1", 5) in looks


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("empty_reply: the reply has no text", 0),
        ("truncated: the reply was cut off", 0),
        ("impossible_box: mug: [1, 2]", 0),
        ("relation_unlisted_id: a on b", 1),
    ],
)
def test_chunk_of_which_the_detector_lost_something_is_no_evidence(line: str, count: int) -> None:
    looks = clear_looks(_with_problem(line), _known(MUG), ClearLookConfig())
    assert len(looks) == count


@pytest.mark.parametrize("status", [ObjectStatus.MISSING, ObjectStatus.EXPIRED])
def test_what_is_missing_already_is_not_looked_for(status: ObjectStatus) -> None:
    assert _looks(known=_known(replace(MUG, status=status))) == ()


def test_robot_that_does_not_know_where_it_is_gives_no_evidence() -> None:
    assert _looks(taken=replace(HERE, is_localized=False)) == ()
    assert _looks(taken=replace(HERE, intrinsics=None)) == ()


@pytest.mark.parametrize(("x_m", "count"), [(-0.5, 1), (-0.7, 0)])
def test_look_from_more_than_a_fifth_farther_than_ever_seen_says_nothing(
    x_m: float, count: int
) -> None:
    """Seen from 3 m: 3.5 m is within 3.6 m, 3.7 m is not."""
    assert len(_looks(taken=keyframe(5, base=Pose.planar(x_m, 0.0, 0.0)))) == count


def test_look_from_too_near_says_nothing() -> None:
    """0.25 m before it, it would fill the picture."""
    near = keyframe(5, base=Pose.planar(2.75, 0.0, 0.0))
    exact = point(3.0, 0.0, 1.0, sigma_m=0.01)
    small = replace(MUG, position=exact, views=(view(1, box(318.0, 238.0, 4.0)),))
    config = ClearLookConfig(look_min_size_px=1.0)
    assert _looks(taken=near, known=_known(small), config=config) == ()
    farther = keyframe(5, base=Pose.planar(2.65, 0.0, 0.0))
    assert _looks(taken=farther, known=_known(small), config=config) == LOOK


@pytest.mark.parametrize(("side_px", "count"), [(13.0, 1), (11.0, 0)])
def test_what_would_show_smaller_than_can_be_told_is_not_missed(side_px: float, count: int) -> None:
    small = replace(MUG, views=(view(1, box(320.0 - side_px / 2, 240.0 - side_px / 2, side_px)),))
    assert len(_looks(known=_known(small))) == count


@pytest.mark.parametrize(("bearing", "count"), [(25.0, 1), (35.0, 0), (180.0, 0)])
def test_look_from_another_side_than_ever_seen_may_be_through_a_wall(
    bearing: float, count: int
) -> None:
    """On a circle of 3 m about the place, looking at it; it was seen from the bearing 0."""
    turn = Pose.planar(3.0, 0.0, bearing / 57.29578) @ Pose.planar(-3.0, 0.0, 0.0)
    assert len(_looks(taken=keyframe(5, base=turn))) == count


@pytest.mark.parametrize(("yaw_rad", "count"), [(0.5, 1), (0.6, 0)])
def test_place_must_be_within_the_picture(yaw_rad: float, count: int) -> None:
    """tan(0.5) x 500 = 273 px from the middle, of 320; tan(0.6) x 500 = 342 px."""
    assert len(_looks(taken=keyframe(5, base=Pose.planar(0.0, 0.0, yaw_rad)))) == count


@pytest.mark.parametrize(("sigma_m", "count"), [(0.4, 1), (0.5, 0)])
def test_place_that_is_not_certain_is_not_looked_at(sigma_m: float, count: int) -> None:
    """500 / 3 x 0.4 m = 67 px, x 0.5 m = 83 px; the limit is 80 px."""
    vague = replace(MUG, position=point(3.0, 0.0, 1.0, sigma_m=sigma_m))
    assert len(_looks(known=_known(vague))) == count


def test_uncertainty_along_the_line_of_sight_does_not_show_in_the_middle_of_the_picture() -> None:
    along = PointEstimate((3.0, 0.0, 1.0), (1.0, 0, 0, 0, 0.01, 0, 0, 0, 0.01))
    assert _looks(known=_known(replace(MUG, position=along))) == LOOK
    across = PointEstimate((3.0, 0.0, 1.0), (0.01, 0, 0, 0, 1.0, 0, 0, 0, 0.01))
    assert _looks(known=_known(replace(MUG, position=across))) == ()


def _screen(x_m: float, seen: Box, sigma_m: float = 0.1) -> ObjectDescriptor:
    return descriptor("screen_1", view(5, seen), position=point(x_m, 0.0, 1.0, sigma_m=sigma_m))


@pytest.mark.parametrize(
    ("x_m", "left_px", "count"),
    [(1.5, 280.0, 0), (3.0, 280.0, 0), (3.45, 280.0, 0), (3.55, 280.0, 1), (1.5, 400.0, 1)],
    ids=["before", "at", "hardly behind", "behind", "beside"],
)
def test_box_over_the_place_hides_it_unless_it_is_of_something_behind(
    x_m: float, left_px: float, count: int
) -> None:
    """Behind is what is farther by 0.3 m and two sigmas of the place, which are 0.2 m."""
    assert len(_looks(_screen(x_m, box(left_px, 200.0, 100.0)))) == count


def test_box_of_something_whose_distance_is_a_guess_hides_what_it_covers() -> None:
    assert _looks(_screen(5.0, box(280.0, 200.0, 100.0), sigma_m=1.5)) == ()


@pytest.mark.parametrize(("left_px", "count"), [(326.0, 1), (318.0, 0)])
def test_part_of_an_object_may_be_hidden_but_not_its_middle(left_px: float, count: int) -> None:
    """Of the columns at 300, 310, 320, 330 and 340 px two are covered, or three."""
    assert len(_looks(_screen(1.5, box(left_px, 200.0, 100.0)))) == count


@pytest.mark.parametrize(("table_x_m", "count"), [(2.7, 1), (2.4, 0)])
def test_table_over_whose_box_a_thing_was_seen_does_not_hide_it(
    table_x_m: float, count: int
) -> None:
    """Its middle may be half a metre nearer; what is nearer still stood in between."""
    around = box(220.0, 200.0, 200.0)
    place = point(table_x_m, 0.0, 1.0)
    before = descriptor("table_1", view(1, around), position=place)
    now = descriptor("table_1", view(5, around), position=place)
    assert len(_looks(now, known=_known(MUG, before))) == count
    assert _looks(now) == ()


@pytest.mark.parametrize(
    ("depth_mm", "count"),
    [(0, 1), (1500, 0), (2650, 0), (2750, 1), (3000, 1), (6000, 1)],
    ids=["unmeasured", "before", "just before", "within tolerance", "at", "behind"],
)
def test_measured_depth_before_the_place_hides_it(depth_mm: int, count: int) -> None:
    grid = DepthGrid(32, 24, (depth_mm,) * (32 * 24))
    assert len(_looks(taken=replace(HERE, depth_grid=grid))) == count


def test_depth_counts_where_the_object_would_show() -> None:
    """Cells of 20 px: the columns 14 to 17 and rows 10 to 13 have the 50 px about the middle."""
    near_elsewhere = [
        3000 if 14 <= column <= 17 and 10 <= row <= 13 else 500
        for row in range(24)
        for column in range(32)
    ]
    taken = replace(HERE, depth_grid=DepthGrid(32, 24, tuple(near_elsewhere)))
    assert _looks(taken=taken) == LOOK
    turned = tuple(3500 - depth_mm for depth_mm in near_elsewhere)
    assert _looks(taken=replace(HERE, depth_grid=DepthGrid(32, 24, turned))) == ()


def test_sightings_before_it_moved_do_not_count() -> None:
    moved = replace(MUG, placed_since=2)
    assert _looks(known=_known(moved)) == ()


@pytest.mark.parametrize(
    ("place", "count"),
    [
        (point(9.9, 0.0, 1.0), 1),
        (point(10.1, 0.0, 1.0), 0),
        (point(-3.0, 0.0, 1.0), 0),
        (point(3.0, 3.8, 1.0), 1),
        (point(3.0, 3.9, 1.0), 0),
    ],
    ids=["near", "far", "behind", "just beside", "beside"],
)
def test_only_what_may_show_in_the_picture_is_asked_about(place: PointEstimate, count: int) -> None:
    """Up to half a picture beside it: 500 x 3.8 / 3 = 633 px from the middle, of 640."""
    assert in_view(np.array([place.point_m]), graph(2, [HERE]).chunk).sum() == count


def test_without_intrinsics_nothing_is_in_view() -> None:
    places_m = np.array([PLACE.point_m])
    assert not in_view(places_m, graph(2, [replace(HERE, intrinsics=None)]).chunk).any()
    assert len(in_view(np.empty((0, 3)), graph(2, [HERE]).chunk)) == 0
