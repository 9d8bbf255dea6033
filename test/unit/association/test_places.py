"""What places say, by hand numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from memory_nodes.association.places import (
    HOME_M3,
    LOOSE_M,
    LOOSE_SHARE,
    NEAR_M,
    ROOM_M3,
    STRAY_PROBABILITY,
    TWIN_SPREAD_M,
    UNKNOWN_PLACE,
    common_shift_m,
    log_density,
    move_probability,
    or_where_seen,
    same_place,
    twin_place,
)
from memory_nodes.geometry import Array
from memory_nodes.records import NS_PER_S

GENERATOR = np.random.default_rng(0)
DAY_NS = 86_400 * NS_PER_S


def _normal(gap_m: Array, covariance_m2: Array, spread_m: float) -> float:
    """By scipy, per m^3."""
    return float(multivariate_normal.pdf(gap_m, cov=covariance_m2 + spread_m**2 * np.eye(3)))


def test_density_is_a_narrow_normal_with_wide_tails() -> None:
    half: Array = GENERATOR.normal(size=(3, 3))
    covariance_m2 = half @ half.T
    gap_m = np.array([0.3, -0.2, 0.9])
    narrow, wide = (_normal(gap_m, covariance_m2, spread_m) for spread_m in (NEAR_M, LOOSE_M))
    (found,) = log_density(gap_m[None], covariance_m2[None])
    assert found == pytest.approx(math.log((1 - LOOSE_SHARE) * narrow + LOOSE_SHARE * wide))


def test_one_object_stayed_or_was_moved_to_anywhere() -> None:
    """0.4 m apart, moved with probability 0.1."""
    gap_m, covariance_m2 = np.array([[0.4, 0.0, 0.0]]), 0.01 * np.eye(3)[None]
    stays = math.exp(log_density(gap_m, covariance_m2)[0])
    found = same_place(gap_m, covariance_m2, np.array([0.1]))
    assert found == pytest.approx(math.log(0.9 * stays + 0.1 / HOME_M3))
    far = same_place(100.0 * gap_m, covariance_m2, np.array([0.1]))
    assert far == pytest.approx(math.log(0.1 / HOME_M3))


def test_object_that_was_seen_elsewhere_may_be_there_or_that_was_another_one() -> None:
    """4 m from its place, 0.3 m from where it was seen; of the other nothing was seen elsewhere."""
    covariances_m2 = np.repeat(0.01 * np.eye(3)[None], 2, axis=0)
    gaps_m = np.array([[4.0, 0.0, 0.0], [4.0, 0.0, 0.0]])
    places = same_place(gaps_m, covariances_m2, np.array([0.1, 0.1]))
    seen_m = np.array([[0.3, 0.0, 0.0], [np.nan] * 3])
    found = or_where_seen(places, seen_m, covariances_m2, np.array([0.15, 0.15]))
    there = math.exp(log_density(seen_m[:1], covariances_m2[:1])[0])
    moved = 0.15 / (0.15 + STRAY_PROBABILITY)
    assert found[0] == pytest.approx(math.log((1.0 - moved) * math.exp(places[0]) + moved * there))
    assert found[1] == places[1]


def test_twins_stand_beside_each_other() -> None:
    gap_m, covariance_m2 = np.array([0.8, 0.0, 0.0]), 0.01 * np.eye(3)
    found = twin_place(gap_m[None], covariance_m2[None])
    assert found == pytest.approx(math.log(_normal(gap_m, covariance_m2, TWIN_SPREAD_M)))


def test_unknown_place_says_that_it_is_in_some_room_and_a_little_less_for_one_object() -> None:
    nowhere = np.full((1, 3), np.nan), np.full((1, 3, 3), np.nan)
    assert twin_place(*nowhere) == pytest.approx(-math.log(ROOM_M3))
    found = same_place(*nowhere, np.array([0.1]))
    assert found == pytest.approx(UNKNOWN_PLACE - math.log(ROOM_M3))


def test_move_gets_likelier_with_time_and_needs_none_where_the_place_was_seen_empty() -> None:
    """After five days 0.9 x (1 - 1/e); within a minute less than 0.001, as if after a second."""
    assert move_probability(60 * NS_PER_S, was_absent=False) == 1e-3
    assert move_probability(6 * NS_PER_S, was_absent=False) == pytest.approx(1e-4)
    for earlier_ns in (NS_PER_S, 0, -DAY_NS):
        assert move_probability(earlier_ns, was_absent=False) == pytest.approx(1e-3 / 60.0)
    assert move_probability(5 * DAY_NS, was_absent=False) == pytest.approx(0.9 * (1 - 1 / math.e))
    assert move_probability(0, was_absent=True) == 0.9


def test_shift_is_that_of_most_pairs() -> None:
    """Nine pairs with one shift, one that is no pair; the prior pulls a little towards 0."""
    true_m = np.array([0.4, -0.2, 0.0])
    gaps_m = true_m + GENERATOR.normal(scale=0.02, size=(10, 3))
    gaps_m[3] = [-3.0, 2.0, 0.0]
    found_m = common_shift_m(gaps_m, np.repeat(0.01 * np.eye(3)[None], 10, axis=0), 0.3)
    assert found_m == pytest.approx(true_m, abs=0.05)


def test_shift_of_one_pair_is_between_it_and_none() -> None:
    """Weight 1 / (1 + d^2) of the pair, variance 0.04 + 0.05, against the prior's 0.09.

    At the fixed point s = w g / (w + 1) with d^2 = (g - s)^2 / 0.09: 0.13 m of 0.3 m.
    """
    covariances_m2 = 0.05 * np.eye(3)[None]
    found_m = common_shift_m(np.array([[0.3, 0.0, 0.0]]), covariances_m2, 0.3)
    shift_m = found_m[0]
    weight = 1.0 / (1.0 + (0.3 - shift_m) ** 2 / 0.09)
    assert shift_m == pytest.approx(weight * 0.3 / (weight + 1.0), abs=1e-3)
    assert shift_m == pytest.approx(0.13, abs=0.01)
