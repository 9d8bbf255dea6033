"""The synthetic house: its truth agrees with itself, and the detector's noise is as declared."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from memory_nodes.records import Box
from memory_test_support.house import (
    House,
    HouseDay,
    HouseOptions,
    Thing,
    dining_table,
    family_house,
    one_chair,
    patrol,
    store_rooms,
    visible,
)
from memory_test_support.house.plan import Slot, ring, standing

OPTIONS = HouseOptions(days=5, down_day=4)
EXACT = HouseOptions(days=1, miss_rate=0.0, box_jitter=0.0)


@pytest.fixture(scope="module")
def days() -> list[HouseDay]:
    return list(patrol(family_house(), OPTIONS))


def _things(day: HouseDay) -> dict[str, Thing]:
    return {thing.thing_id: thing for thing in day.standing.things}


def _named_boxes(house: House, options: HouseOptions) -> dict[tuple[int, str], Box]:
    """Reported boxes by keyframe and thing."""
    return {
        (keyframe_id, name): box
        for day in patrol(house, options)
        for chunk in day.chunks
        for (keyframe_id, box), name in chunk.thing_of.items()
    }


def test_same_seed_gives_the_same_days_and_another_does_not(days: list[HouseDay]) -> None:
    short = replace(OPTIONS, days=2)
    assert list(patrol(family_house(), short)) == days[:2]
    assert next(patrol(family_house(), replace(short, seed=1))) != days[0]


def test_moved_things_stand_elsewhere_and_all_others_where_they_stood(
    days: list[HouseDay],
) -> None:
    for before, after in pairwise(days):
        old, new = _things(before), _things(after)
        gone = {thing.thing_id for thing in after.standing.removed}
        assert set(new) == set(old) - gone
        for name, thing in new.items():
            distance_m = math.dist(thing.bottom_m, old[name].bottom_m)
            assert distance_m >= 1.5 if name in after.standing.moved else distance_m == 0.0


def test_three_things_move_and_two_go_on_each_day_but_the_first_and_that_without_detector(
    days: list[HouseDay],
) -> None:
    changes = [(len(day.standing.moved), len(day.standing.removed)) for day in days]
    assert changes == [(0, 0), (3, 2), (3, 2), (0, 0), (3, 2)]


@pytest.mark.parametrize("seed", range(5))
def test_move_is_to_a_slot_that_is_far_enough(seed: int) -> None:
    chair = replace(one_chair(1).things[0], is_movable=True)
    slots = tuple(Slot("hall", (x_m, 0.0, 0.0)) for x_m in (0.5, 1.4, 1.6))
    house = House((chair,), ring("hall", (0.0, 0.0), 2.5, 2), slots)
    options = replace(EXACT, seed=seed, days=2, moved_per_day=1, removed_per_day=0)
    _, second = patrol(house, options)
    assert [thing.bottom_m for thing in second.standing.things] == [(1.6, 0.0, 0.0)]


def test_no_two_things_share_a_place(days: list[HouseDay]) -> None:
    for day in days:
        places = Counter(thing.bottom_m for thing in day.standing.things)
        assert max(places.values()) == 1


def test_chunks_without_detector_have_a_problem_and_no_objects(days: list[HouseDay]) -> None:
    assert [day.is_down for day in days] == [False, False, False, True, False]
    for chunk in days[3].chunks:
        assert chunk.graph.objects == ()
        assert len(chunk.graph.problems) == 1


def test_a_day_is_chunks_of_eight_keyframes_numbered_through(days: list[HouseDay]) -> None:
    chunks = [chunk.graph.chunk for day in days for chunk in day.chunks]
    assert [chunk.chunk_id for chunk in chunks] == list(range(1, len(chunks) + 1))
    keyframes = [taken for chunk in chunks for taken in chunk.keyframes]
    assert [taken.keyframe_id for taken in keyframes] == list(range(1, len(keyframes) + 1))
    stamps_ns = [taken.stamp_ns for taken in keyframes]
    assert stamps_ns == sorted(set(stamps_ns))
    assert {len(chunk.keyframes) for chunk in chunks[:11]} == {8}


def test_each_thing_is_one_object_of_a_chunk_and_each_object_one_thing(
    days: list[HouseDay],
) -> None:
    for day in days:
        for chunk in day.chunks:
            shown = [
                {chunk.thing_of[(view.keyframe_id, view.box)] for view in item.views}
                for item in chunk.graph.objects
            ]
            names = [name for things in shown for name in things]
            assert len(names) == len(shown) == len(set(names))
            ids = [item.object_id for item in chunk.graph.objects]
            assert len(set(ids)) == len(ids)


def test_object_has_one_box_in_a_keyframe(days: list[HouseDay]) -> None:
    for chunk in days[0].chunks:
        for item in chunk.graph.objects:
            shown_in = [view.keyframe_id for view in item.views]
            assert sorted(set(shown_in)) == shown_in
            assert item.view_count == len(shown_in)


def test_detector_without_noise_reports_what_the_camera_shows() -> None:
    house = dining_table()
    (day,) = patrol(house, EXACT)
    reported = _named_boxes(house, EXACT)
    shown = {
        (taken.keyframe_id, sight.thing.thing_id): sight.box
        for chunk in day.chunks
        for taken in chunk.graph.chunk.keyframes
        for sight in visible(house.things, taken)
    }
    assert reported == shown
    assert len(shown) > 30


def test_walls_hide_the_other_rooms(days: list[HouseDay]) -> None:
    rooms = {thing.thing_id: thing.room for thing in days[0].standing.things}
    in_corridor, in_bedroom = days[0].chunks[0], days[0].chunks[-1]
    assert {rooms[name] for name in in_corridor.thing_of.values()} == {"corridor"}
    assert {rooms[name] for name in in_bedroom.thing_of.values()} == {"bedroom"}


def test_about_one_sighting_in_twenty_is_missed() -> None:
    options = replace(EXACT, days=4, moved_per_day=0, removed_per_day=0)
    all_boxes = _named_boxes(family_house(), options)
    fewer = _named_boxes(family_house(), replace(options, miss_rate=0.05))
    assert set(fewer) < set(all_boxes)
    assert 0.03 < 1.0 - len(fewer) / len(all_boxes) < 0.07


def test_edges_of_boxes_are_off_by_at_most_the_jitter() -> None:
    exact = _named_boxes(dining_table(), EXACT)
    loose = _named_boxes(dining_table(), replace(EXACT, box_jitter=0.1))
    assert set(loose) == set(exact)
    shifts = [
        abs(moved - true) / size_px
        for key, box in exact.items()
        for moved, true, size_px in (
            (loose[key].x0_px, box.x0_px, box.width_px),
            (loose[key].x1_px, box.x1_px, box.width_px),
            (loose[key].y0_px, box.y0_px, box.height_px),
            (loose[key].y1_px, box.y1_px, box.height_px),
        )
    ]
    assert 0.05 < max(shifts) <= 0.1 + 1e-9


def test_words_for_a_thing_vary_within_its_synonyms(days: list[HouseDay]) -> None:
    words: dict[str, set[tuple[str, str]]] = {}
    for day in days:
        for chunk in day.chunks:
            for item in chunk.graph.objects:
                first = item.views[0]
                name = chunk.thing_of[(first.keyframe_id, first.box)]
                words.setdefault(name, set()).add((item.type, item.description))
    assert {kind for kind, _ in words["sofa_1"]} == {"sofa", "couch"}
    assert len(words["sofa_1"]) > 2


def test_depth_gives_points_on_the_near_side() -> None:
    (day,) = patrol(one_chair(16), replace(EXACT, with_depth=True))
    for chunk in day.chunks:
        (chair,) = chunk.graph.objects
        for view in chair.views:
            taken = chunk.graph.chunk.keyframes[view.keyframe_id % 8 - 1]
            assert view.point_map_m is not None
            camera_m = taken.map_from_camera.position_m
            near_m = math.dist(camera_m[:2], view.point_map_m[:2])
            assert near_m < math.dist(camera_m[:2], (0.0, 0.0))
            # The chair is 0.45 m wide: half its diagonal is 0.32 m.
            assert math.dist(view.point_map_m[:2], (0.0, 0.0)) < 0.4


def test_place_of_a_removed_thing_counts_the_keyframes_that_would_show_it() -> None:
    ball = replace(one_chair(1).things[0], is_movable=True)
    house = House((ball,), ring("hall", (0.0, 0.0), 2.5, 6))
    first, second = patrol(house, replace(EXACT, days=2, removed_per_day=1))
    assert sum(len(chunk.thing_of) for chunk in first.chunks) == 6
    assert second.views_of_gaps == {"chair_1": 6}
    assert sum(len(chunk.thing_of) for chunk in second.chunks) == 0


def test_hidden_place_of_a_removed_thing_does_not_count() -> None:
    chair = replace(one_chair(1).things[0], is_movable=True)
    wardrobe_kind = replace(chair.kind, size_m=(1.0, 1.0, 2.0))
    wardrobe = standing("wardrobe_1", wardrobe_kind, "brown", "hall", (1.2, 0.0, 0.0))
    house = House((chair, wardrobe), ring("hall", (0.0, 0.0), 3.5, 4))
    _, second = patrol(house, replace(EXACT, days=2, removed_per_day=1))
    # From (3.5, 0) the wardrobe stands before it.
    assert second.views_of_gaps == {"chair_1": 3}


def test_twins_are_alike_and_apart() -> None:
    things = family_house().things
    chairs = [thing for thing in things if thing.kind.name == "chair"]
    assert len(chairs) == 5
    assert len({(chair.kind, chair.color) for chair in chairs}) == 1
    for chair in chairs:
        others = [other for other in chairs if other is not chair]
        nearest_m = min(math.dist(chair.centre_m, other.centre_m) for other in others)
        assert nearest_m == pytest.approx(1.0)
    doors = [thing for thing in things if thing.kind.name == "door"]
    assert [door.centre_m[0] for door in doors] == [0.0, 20.0, 40.0]
    assert len({(door.kind, door.color, door.centre_m[1:]) for door in doors}) == 1


def test_one_chair_is_seen_in_each_keyframe_of_its_round() -> None:
    (day,) = patrol(one_chair(40), EXACT)
    assert [len(chunk.thing_of) for chunk in day.chunks] == [8] * 5
    assert {len(chunk.graph.objects) for chunk in day.chunks} == {1}


def test_store_rooms_show_each_thing_twice_and_those_of_the_middle_room_again() -> None:
    (day,) = patrol(store_rooms(30), replace(EXACT, chunk_size=2))
    *earlier, last = day.chunks
    counts = Counter(name for chunk in earlier for name in chunk.thing_of.values())
    assert counts == {f"thing_{number}": 2 for number in range(1, 31)}
    # Three rooms of 12, 12 and 6 things.
    assert set(last.thing_of.values()) == {f"thing_{number}" for number in range(13, 25)}
