"""One gist tells of one place and one stretch of time, and of nothing that has one already."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from memory_nodes.episodic.pieces import (
    MAX_OBSERVATIONS,
    Piece,
    PieceConfig,
    extent,
    free_pieces_of,
    pieces_of,
    stretch,
    without_gist,
)
from memory_nodes.records import NS_PER_S
from memory_nodes.store.past import ObservationInEpisode
from memory_test_support.records import observation

CONFIG = PieceConfig()


def _seen(
    *moments: tuple[float, float, float], map_id: str = "map", first_key: int = 1
) -> list[ObservationInEpisode]:
    """Observations at (time s, x m, y m)."""
    return [
        ObservationInEpisode(
            key,
            observation(
                f"text {key}",
                stamp_s=time_s,
                at_map_m=(x_m, y_m, 0.0),
                map_id=map_id,
                observation_id=f"o{key}",
            ),
            "",
            False,
        )
        for key, (time_s, x_m, y_m) in enumerate(moments, start=first_key)
    ]


def _keys(pieces: Sequence[Piece]) -> list[list[int]]:
    return [[item.key for item in piece] for piece in pieces]


def _through_a_house(count: int, seed: int) -> list[ObservationInEpisode]:
    chance = random.Random(seed)
    x_m = y_m = 0.0
    moments = []
    for number in range(count):
        x_m, y_m = x_m + chance.uniform(-1, 1), y_m + chance.uniform(-1, 1)
        moments.append((10.0 * number, x_m, y_m))
    return _seen(*moments)


def test_time_gap_longer_than_the_limit_ends_a_piece() -> None:
    seen = _seen((0, 0, 0), (1800, 0, 0), (3601, 0, 0))
    assert _keys(pieces_of(seen, CONFIG)) == [[1, 2], [3]]


def test_maps_are_never_in_one_piece() -> None:
    seen = [
        *_seen((0, 0, 0), (2, 0, 0)),
        *_seen((1, 0, 0), map_id="other floor", first_key=3),
    ]
    assert sorted(_keys(pieces_of(seen, CONFIG))) == [[1, 2], [3]]


def test_two_rooms_are_two_pieces_however_often_the_robot_goes_back_and_forth() -> None:
    seen = _seen(*[(10.0 * number, 9.0 * (number % 2), 0.0) for number in range(10)])
    assert _keys(pieces_of(seen, CONFIG)) == [[1, 3, 5, 7, 9], [2, 4, 6, 8, 10]]


def test_place_that_is_left_for_long_is_told_of_twice() -> None:
    seen = _seen((0, 0, 0), *[(900.0 * n, 20, 0) for n in range(1, 4)], (3600, 0, 0))
    assert _keys(pieces_of(seen, CONFIG)) == [[1], [2, 3, 4], [5]]


def test_place_is_cut_where_nothing_was_observed() -> None:
    places_m = [0.0, 1.0, 2.0, 3.0, 7.0, 8.0, 9.0]
    seen = _seen(*[(10.0 * number, x_m, 0.0) for number, x_m in enumerate(places_m)])
    config = replace(CONFIG, max_gist_radius_m=3.0)
    assert _keys(pieces_of(seen, config)) == [[1, 2, 3, 4], [5, 6, 7]]


def test_no_piece_is_wider_or_longer_than_a_gist_may_be() -> None:
    seen = _through_a_house(3000, seed=1)
    pieces = pieces_of(seen, CONFIG)
    assert sorted(key for piece in _keys(pieces) for key in piece) == list(range(1, 3001))
    for piece in pieces:
        (x_m, y_m, _), radius_m = extent(piece)
        places_m = [item.observation.map_from_base.position_m for item in piece]
        assert radius_m == pytest.approx(max(math.dist((x_m, y_m), p[:2]) for p in places_m))
        assert radius_m <= CONFIG.max_gist_radius_m
        span_ns = piece[-1].observation.stamp_ns - piece[0].observation.stamp_ns
        assert span_ns <= CONFIG.gist_span_s * NS_PER_S


def test_piece_of_one_place_and_moment_is_bounded_in_number() -> None:
    pieces = pieces_of(_seen(*[(0.0, 0.0, 0.0)] * (2 * MAX_OBSERVATIONS + 1)), CONFIG)
    assert sum(map(len, pieces)) == 2 * MAX_OBSERVATIONS + 1
    assert max(map(len, pieces)) <= MAX_OBSERVATIONS


@pytest.mark.parametrize("cut", [pieces_of, free_pieces_of])
def test_cut_is_the_same_in_whatever_order_and_with_whatever_gists(cut) -> None:  # type: ignore[no-untyped-def]
    seen = _through_a_house(400, seed=2)
    pieces = cut(seen, CONFIG)
    told = {key for piece in _keys(pieces[::3]) for key in piece}
    again = [replace(item, has_gist=item.key in told) for item in seen]
    random.Random(3).shuffle(again)
    assert _keys(cut(again, CONFIG)) == _keys(pieces)
    left = [piece for number, piece in enumerate(_keys(pieces)) if number % 3 != 0]
    assert _keys(without_gist(cut(again, CONFIG))) == left


def test_other_parameters_after_a_crash_give_nothing_a_second_gist() -> None:
    seen = _through_a_house(400, seed=4)
    told = {key for piece in _keys(pieces_of(seen, CONFIG)[:5]) for key in piece}
    again = [replace(item, has_gist=item.key in told) for item in seen]
    rest = without_gist(pieces_of(again, replace(CONFIG, max_gist_radius_m=2.5)))
    assert sorted(key for piece in _keys(rest) for key in piece) == sorted(
        {item.key for item in seen} - told
    )


# outside of episodes


def test_cluster_is_of_one_place_and_time_and_a_lonely_observation_is_noise() -> None:
    kitchen = [(10.0 * n, 0.0, 0.5 * n) for n in range(4)]
    office = [(10.0 * n, 30.0, 0.5 * n) for n in range(4)]
    later = [(7200.0 + 10.0 * n, 0.0, 0.5 * n) for n in range(4)]
    seen = _seen(*kitchen, *office, *later, (50.0, 15.0, 0.0))
    found = sorted(_keys(free_pieces_of(seen, CONFIG)))
    assert found == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]


def test_clusters_are_those_of_the_definition_of_dbscan() -> None:
    chance = random.Random(5)
    seen = _seen(*[(10.0 * n, chance.uniform(0, 30), chance.uniform(0, 30)) for n in range(300)])
    config = PieceConfig(2500.0, 1e6, max_gist_radius_m=1000.0, min_cluster_size=4)
    found = free_pieces_of(seen, config)
    cores, components = _dbscan(seen, config)
    assert len(components) > 3
    assert sorted((set(keys) & cores for keys in _keys(found)), key=min) == components
    in_clusters = {key for keys in _keys(found) for key in keys}
    for item in seen:
        is_near_core = any(other.key in cores for other in seen if _is_near(item, other, config))
        assert (item.key in in_clusters) == is_near_core


def _is_near(one: ObservationInEpisode, other: ObservationInEpisode, config: PieceConfig) -> bool:
    a, b = one.observation, other.observation
    return (
        math.dist(a.map_from_base.position_m, b.map_from_base.position_m) <= config.cluster_radius_m
        and abs(a.stamp_ns - b.stamp_ns) <= config.gist_gap_s * NS_PER_S
    )


def _dbscan(
    seen: list[ObservationInEpisode], config: PieceConfig
) -> tuple[set[int], list[set[int]]]:
    """The cores, and the components that they make, by their first; by brute force."""
    near = np.array([[_is_near(one, other, config) for other in seen] for one in seen])
    is_core = near.sum(axis=1) >= config.min_cluster_size
    waiting = [number for number in range(len(seen)) if is_core[number]]
    components = []
    while waiting:
        component, front = set[int](), [waiting[0]]
        while front:
            number = front.pop()
            if number not in component:
                component.add(number)
                front += [other for other in waiting if near[number, other]]
        waiting = [number for number in waiting if number not in component]
        components.append({seen[number].key for number in component})
    cores = {item.key for item, core in zip(seen, is_core, strict=True) if core}
    return cores, components


def test_house_that_is_one_cluster_becomes_places() -> None:
    way = [(2.0 * n, 0.5 * (n % 60), 3.0 * (n // 60)) for n in range(600)]
    pieces = free_pieces_of(_seen(*way), CONFIG)
    assert sum(map(len, pieces)) == 600
    assert max(extent(piece)[1] for piece in pieces) <= CONFIG.max_gist_radius_m


def test_stretch_ends_at_a_gap_a_span_or_the_limit() -> None:
    seen = _seen((0, 0, 0), (60, 0, 0), (5000, 0, 0), (7300, 0, 0))
    late_ns = 100_000 * NS_PER_S
    assert len(stretch(seen, late_ns, 100, CONFIG)) == 2
    assert len(stretch(seen[2:], late_ns, 100, CONFIG)) == 1
    assert len(stretch(_seen((3590, 0, 0), (3610, 0, 0)), late_ns, 100, CONFIG)) == 1
    assert len(stretch(_seen(*[(0.0, 0.0, 0.0)] * 10), late_ns, 10, CONFIG)) == 10


def test_stretch_waits_while_more_may_come_into_it() -> None:
    seen = _seen((7210, 0, 0), (7220, 0, 0))
    assert len(stretch(seen, 7300 * NS_PER_S, 100, CONFIG)) == 0
    assert len(stretch(seen, 9020 * NS_PER_S, 100, CONFIG)) == 2
    assert stretch([], 0, 100, CONFIG) == ()
