"""Every search finds what a look at all items would find."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_nodes.errors import InputError
from memory_nodes.geometry import Array
from memory_nodes.store.indices.places import Places

Point = tuple[float, float, float]
HERE = (0.0, 0.0, 0.0)
ALL = (math.inf, math.inf, math.inf)
NONE = tuple(-value for value in ALL)


def _bulk(*items: tuple[int, int, Point, float]) -> Places:
    ids, map_keys, points_m, radii_m = zip(*items, strict=True)
    return Places.bulk(np.array(ids), np.array(map_keys), np.array(points_m), np.array(radii_m))


def _at(*points_m: Point) -> Places:
    """Items 1, 2, ... on map 1."""
    return _bulk(*((number, 1, point, 0.0) for number, point in enumerate(points_m, start=1)))


@dataclass
class AllItems:
    """The second method: every question is a walk through all items."""

    items: dict[int, tuple[int, Point, float]] = field(default_factory=dict)

    def distances(self, map_key: int, center: Point, ignore_height: bool) -> dict[int, float]:
        axes = 2 if ignore_height else 3
        return {
            item_id: max(0.0, math.dist(point[:axes], center[:axes]) - radius)
            for item_id, (on_map, point, radius) in self.items.items()
            if on_map == map_key
        }

    def box(self, map_key: int, low: Point, high: Point) -> list[int]:
        return sorted(
            item_id
            for item_id, (on_map, point, radius) in self.items.items()
            if on_map == map_key
            and sum(max(a - x, 0.0, x - b) ** 2 for a, x, b in zip(low, point, high, strict=True))
            <= radius**2
        )


# Quarters of metres: sums and squares are exact, so that ties and borders are met exactly.
COORDINATES = st.integers(-8, 8).map(lambda quarters: quarters / 4.0)
POINTS = st.tuples(COORDINATES, COORDINATES, COORDINATES)
RADII = st.sampled_from([0.0, 0.0, 0.0, 0.5, 1.25])
MAPS = st.integers(1, 2)
ITEMS = st.tuples(MAPS, POINTS, RADII)
CHANGES = st.lists(st.tuples(st.integers(-3, 12), ITEMS | st.none()), max_size=40)


def _built(start: dict[int, Any], changes: list[tuple[int, Any]]) -> tuple[Places, AllItems]:
    """Items loaded at once, then moved, added and, where a change has no place, removed."""
    places, everything = Places(), AllItems(dict(start))
    if start:
        places = _bulk(*((item_id, *item) for item_id, item in start.items()))
    for item_id, item in changes:
        if item is None:
            if everything.items.pop(item_id, None) is not None:
                places.remove(item_id)
        else:
            (places.move if item_id in places else places.add)(item_id, *item)
            everything.items[item_id] = item
    return places, everything


@settings(deadline=None)
@given(st.dictionaries(st.integers(-3, 30), ITEMS, max_size=20), CHANGES, st.data())
def test_searches_find_what_a_walk_through_all_items_finds(
    start: dict[int, Any], changes: list[tuple[int, Any]], data: st.DataObject
) -> None:
    places, everything = _built(start, changes)
    assert len(places) == len(everything.items)
    map_key, center, ignore_height = data.draw(st.tuples(MAPS, POINTS, st.booleans()))
    radius_m = data.draw(st.sampled_from([0.0, 0.25, 1.0, 2.5, math.inf]))
    k = data.draw(st.integers(0, 25))
    distances = everything.distances(map_key, center, ignore_height)
    near = sorted((d, item_id) for item_id, d in distances.items() if d <= radius_m)

    ids, found_m = places.within(map_key, center, radius_m, ignore_height=ignore_height)
    assert sorted(ids.tolist()) == sorted(item_id for _, item_id in near)
    _assert_nearest(ids, found_m, distances, near)
    limited = places.within(map_key, center, radius_m, limit=k, ignore_height=ignore_height)
    _assert_nearest(*limited, distances, near[:k])
    nearest = places.nearest(map_key, center, k, ignore_height=ignore_height)
    _assert_nearest(*nearest, distances, sorted((d, i) for i, d in distances.items())[:k])

    corner = data.draw(POINTS)
    low = (min(center[0], corner[0]), min(center[1], corner[1]), min(center[2], corner[2]))
    high = (max(center[0], corner[0]), max(center[1], corner[1]), max(center[2], corner[2]))
    assert places.box(map_key, low, high).tolist() == everything.box(map_key, low, high)


def _assert_nearest(
    ids: Any, found_m: Array, distances: dict[int, float], expected: list[tuple[float, int]]
) -> None:
    """Of equally far items any may have been left out, so that ids are held by their distances."""
    assert found_m.tolist() == pytest.approx([distance for distance, _ in expected])
    assert [distances[item_id] for item_id in ids.tolist()] == pytest.approx(found_m.tolist())
    assert len(set(ids.tolist())) == len(ids)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 1e4, 1e7]))
def test_searches_are_right_far_from_the_origin(seed: int, offset_m: float) -> None:
    random = np.random.default_rng(seed)
    points = random.uniform(-5, 5, (300, 3)) - offset_m
    radii = random.choice([0.0, 0.3, 2.0], 300)
    places = Places.bulk(np.arange(300), np.full(300, 7), points, radii)
    center = random.uniform(-5, 5, 3) - offset_m
    distances = np.maximum(np.linalg.norm(points - center, axis=1) - radii, 0.0)
    _, found_m = places.nearest(7, center, 20)
    assert found_m == pytest.approx(np.sort(distances)[:20], abs=1e-6)
    ids, _ = places.within(7, center, 3.0)
    assert sorted(ids.tolist()) == np.flatnonzero(distances <= 3.0).tolist()


def test_distance_to_a_ball_is_that_to_its_surface_and_0_inside() -> None:
    places = _bulk((1, 1, (5.0, 0.0, 0.0), 2.0), (2, 1, (0.0, 1.0, 0.0), 3.0))
    ids, distances_m = places.within(1, HERE, 3.0)
    assert (ids.tolist(), distances_m.tolist()) == ([2, 1], [0.0, 3.0])
    assert places.within(1, HERE, 2.9)[0].tolist() == [2]


def test_near_point_wins_over_the_corner_of_a_large_balls_box() -> None:
    """The box around ball 1 reaches the centre; the ball itself is sqrt(200) - 10 = 4.1 m away."""
    places = _bulk((1, 1, (10.0, 10.0, 0.0), 10.0), (2, 1, (0.0, -3.0, 0.0), 0.0))
    ids, distances_m = places.nearest(1, HERE, 1)
    assert (ids.tolist(), distances_m.tolist()) == ([2], [3.0])


def test_height_counts_unless_it_is_ignored() -> None:
    places = _at((1.0, 0.0, 30.0), (2.0, 0.0, 0.0))
    assert places.within(1, HERE, 5.0)[0].tolist() == [2]
    for limit in (None, 5):
        ids, distances_m = places.within(1, HERE, 5.0, limit, ignore_height=True)
        assert (ids.tolist(), distances_m.tolist()) == ([1, 2], [1.0, 2.0])
    assert places.nearest(1, HERE, 1, ignore_height=True)[0].tolist() == [1]


def test_items_at_one_place_are_each_found_lowest_id_first() -> None:
    places = _at(*[HERE] * 5)
    assert places.within(1, HERE, 0.0)[0].tolist() == [1, 2, 3, 4, 5]
    assert places.within(1, HERE, 0.0, limit=9)[0].tolist() == [1, 2, 3, 4, 5]
    places.remove(3)
    assert places.box(1, HERE, HERE).tolist() == [1, 2, 4, 5]


def test_limit_is_kept_where_many_items_are_equally_far() -> None:
    places = _at(*[HERE] * 1000)
    assert len(places.within(1, HERE, 1.0, limit=10)[0]) == 10
    assert len(places.nearest(1, HERE, 10)[0]) == 10


def test_limit_beyond_what_is_there_gives_all() -> None:
    places = _at(HERE, (1.0, 0.0, 0.0))
    assert places.nearest(1, HERE, 10**12)[0].tolist() == [1, 2]
    assert places.within(1, HERE, math.inf, limit=10**12)[0].tolist() == [1, 2]


def test_radius_0_finds_only_what_is_there() -> None:
    places = _at(HERE, (1e-3, 0.0, 0.0))
    assert places.within(1, HERE, 0.0)[0].tolist() == [1]
    assert places.within(1, HERE, 0.0, limit=5)[0].tolist() == [1]


def test_box_with_infinite_corners_is_the_whole_map() -> None:
    places = _bulk((1, 1, (-1e9, 0.0, 1e9), 0.0), (2, 1, HERE, 1e9), (3, 2, HERE, 0.0))
    assert places.box(1, NONE, ALL).tolist() == [1, 2]
    assert places.box(1, ALL, ALL).tolist() == []


@pytest.mark.parametrize(
    "places",
    [Places(), _bulk((1, 1, HERE, 0.0)), Places.bulk(*map(np.array, ([], [], np.empty((0, 3)))))],
    ids=["new", "only another map", "loaded with nothing"],
)
def test_nothing_is_found_on_a_map_without_items(places: Places) -> None:
    assert places.box(7, NONE, ALL).tolist() == []
    for ids, distances_m in (
        places.within(7, HERE, math.inf),
        places.within(7, HERE, math.inf, limit=3),
        places.nearest(7, HERE, 3),
    ):
        assert ids.tolist() == distances_m.tolist() == []
        assert [ids.dtype.name, distances_m.dtype.name] == ["int64", "float64"]


def test_map_can_be_emptied_and_filled_again() -> None:
    places = _at(HERE)
    places.remove(1)
    assert places.nearest(1, HERE, 3)[0].tolist() == []
    places.add(1, 1, (0.0, 2.0, 0.0))
    assert places.nearest(1, HERE, 3)[1].tolist() == [2.0]


def test_moved_item_is_found_on_its_new_map_only() -> None:
    places = _at(HERE)
    places.move(1, 2, (3.0, 0.0, 0.0), 1.0)
    assert places.nearest(1, HERE, 1)[0].tolist() == []
    assert places.nearest(2, HERE, 1)[1].tolist() == [2.0]


UNUSABLE = [
    ((math.nan, 0.0, 0.0), 0.0),
    ((0.0, math.inf, 0.0), 0.0),
    ((0.0, 0.0, -2e9), 0.0),
    (HERE, math.nan),
    (HERE, -1.0),
    (HERE, math.inf),
]


@pytest.mark.parametrize(("point_m", "radius_m"), UNUSABLE)
def test_item_that_has_no_place_is_refused_and_changes_nothing(
    point_m: Point, radius_m: float
) -> None:
    places = _at(HERE)
    attempts: list[Callable[[], object]] = [
        lambda: places.add(8, 1, point_m, radius_m),
        lambda: places.move(1, 1, point_m, radius_m),
        lambda: _bulk((8, 1, point_m, radius_m)),
    ]
    for attempt in attempts:
        with pytest.raises(InputError, match="with radius"):
            attempt()
    assert (len(places), 8 in places) == (1, False)
    assert places.within(1, HERE, 0.0)[0].tolist() == [1]


def test_known_id_is_not_added_and_an_unknown_one_not_removed_or_moved() -> None:
    places = _at(HERE)
    with pytest.raises(InputError, match="item 1 has a place already"):
        places.add(1, 2, HERE)
    with pytest.raises(InputError, match="item 5 has no place"):
        places.remove(5)
    with pytest.raises(InputError, match="item 5 has no place"):
        places.move(5, 1, HERE)
    with pytest.raises(InputError, match="item 4 is given twice"):
        _bulk((4, 1, HERE, 0.0), (3, 1, HERE, 0.0), (4, 2, HERE, 0.0))


def test_arrays_that_do_not_fit_are_refused() -> None:
    ids, points = np.arange(3), np.zeros((3, 3))
    for map_keys, points_m, radii_m in (
        (np.zeros(2, np.int64), points, 0.0),
        (np.zeros(3, np.int64), points[:, :2], 0.0),
        (np.zeros(3, np.int64), points, np.zeros(2)),
    ):
        with pytest.raises(InputError, match="shapes"):
            Places.bulk(ids, map_keys, points_m, radii_m)


def test_question_that_cannot_be_used_is_refused() -> None:
    places = _at(HERE)
    questions: list[Callable[[], object]] = [
        lambda: places.within(1, (math.nan, 0.0, 0.0), 1.0),
        lambda: places.within(1, (0.0, 0.0), 1.0),
        lambda: places.within(1, HERE, -1.0),
        lambda: places.within(1, HERE, math.nan),
        lambda: places.within(1, HERE, 1.0, limit=-1),
        lambda: places.nearest(1, (0.0, math.inf, 0.0), 1),
        lambda: places.nearest(1, HERE, -1),
        lambda: places.box(1, (1.0, 0.0, 0.0), HERE),
        lambda: places.box(1, (math.nan, 0.0, 0.0), ALL),
    ]
    for question in questions:
        with pytest.raises(InputError):
            question()


def test_ids_may_be_any_int64() -> None:
    lowest, highest = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    places = _bulk((int(lowest), -1, HERE, 0.0))
    places.add(int(highest), -1, HERE)
    assert places.nearest(-1, HERE, 5)[0].tolist() == [lowest, highest]
    places.remove(int(highest))
    assert places.nearest(-1, HERE, 5)[0].tolist() == [lowest]


def test_caller_may_reuse_its_arrays() -> None:
    ids, points = np.array([1]), np.zeros((1, 3))
    places = Places.bulk(ids, np.array([1]), points)
    ids[0], points[0] = 99, 50.0
    assert places.within(1, HERE, 0.0)[0].tolist() == [1]
    places.remove(1)


def test_threads_that_add_and_search_at_once_lose_nothing() -> None:
    places = _at(HERE)

    def add(start: int) -> int:
        for item_id in range(start, start + 200):
            places.add(item_id, 1, (item_id % 7, item_id % 11, 0.0))
            found = places.within(1, HERE, 20.0)[0]
            assert item_id in found
        return len(places.nearest(1, HERE, 100)[0])

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(add, (1000, 2000, 3000, 4000))) == [100] * 4
    assert len(places.within(1, HERE, 20.0)[0]) == 801
