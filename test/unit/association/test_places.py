"""What places say, by hand numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from memory_nodes.association.places import (
    common_shift_m,
    log_density,
    move_probability,
    place_scores,
)
from memory_nodes.geometry import Array
from memory_nodes.records import NS_PER_S

GENERATOR = np.random.default_rng(0)
EXACT: Array = np.zeros((1, 3, 3))
DAY_NS = 86_400 * NS_PER_S


def test_density_is_a_narrow_normal_with_wide_tails() -> None:
    """By scipy: 85 % with 0.2 m and 15 % with 0.7 m beyond the covariance of the two places."""
    half: Array = GENERATOR.normal(size=(3, 3))
    covariance_m2 = half @ half.T
    gap_m = np.array([0.3, -0.2, 0.9])
    narrow = multivariate_normal.pdf(gap_m, cov=covariance_m2 + 0.2**2 * np.eye(3))
    wide = multivariate_normal.pdf(gap_m, cov=covariance_m2 + 0.7**2 * np.eye(3))
    (found,) = log_density(gap_m[None], covariance_m2[None])
    assert found == pytest.approx(math.log(0.85 * narrow + 0.15 * wide))


def test_score_falls_from_the_place_itself_to_that_of_a_move() -> None:
    """Far away only a move is left: log(0.01 x 0.2)."""
    gaps_m = np.array([[distance_m, 0.0, 0.0] for distance_m in (0.0, 0.5, 1.0, 30.0)])
    scores = place_scores(gaps_m, np.repeat(EXACT, 4, axis=0), np.full(4, 0.01))
    assert list(scores) == sorted(scores, reverse=True)
    assert scores[0] > 0.0
    assert scores[3] == pytest.approx(math.log(0.002))


def test_uncertain_place_speaks_less_for_and_less_against() -> None:
    gaps_m = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    sure = place_scores(gaps_m, np.repeat(EXACT, 2, axis=0), np.full(2, 1e-4))
    rough = place_scores(gaps_m, np.array([np.eye(3)] * 2), np.full(2, 1e-4))
    assert sure[0] > rough[0] > rough[1] > sure[1]


def test_move_gets_likelier_with_time_and_needs_none_where_the_place_was_seen_empty() -> None:
    """After five days 0.9 x (1 - 1/e)."""
    assert move_probability(0, was_absent=False) == 1e-4
    assert move_probability(-DAY_NS, was_absent=False) == 1e-4
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

    At the fixed point s = w g / (w + 1) with d^2 = (g - s)^2 / 0.09; g = 0.3 gives s between 0.1 and 0.15.
    """
    covariances_m2 = 0.05 * np.eye(3)[None]
    found_m = common_shift_m(np.array([[0.3, 0.0, 0.0]]), covariances_m2, 0.3)
    shift_m = found_m[0]
    weight = 1.0 / (1.0 + (0.3 - shift_m) ** 2 / 0.09)
    assert shift_m == pytest.approx(weight * 0.3 / (weight + 1.0), abs=1e-3)
    assert 0.1 < shift_m < 0.15
