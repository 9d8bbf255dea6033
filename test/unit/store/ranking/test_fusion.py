"""Fusion follows the published formula; recency only ever adds distance."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_nodes.errors import ConfigurationError, InputError
from memory_nodes.parameters import check
from memory_nodes.records import NS_PER_S
from memory_nodes.store.ranking.fusion import FusionConfig, reciprocal_rank, with_recency


def test_scores_are_those_of_the_formula() -> None:
    fused = reciprocal_rank({"dense": [7, 8], "word": [8, 9]}, {"dense": 1.0, "word": 2.0}, k=60)
    # 8: 1/62 + 2/61, 9: 2/62, 7: 1/61
    assert [key for key, _ in fused] == [8, 9, 7]
    assert [score for _, score in fused] == pytest.approx(
        [0.0489159, 0.0322581, 0.0163934], abs=1e-7
    )


def test_equal_scores_give_the_higher_key_first() -> None:
    fused = reciprocal_rank({"a": [1, 2], "b": [2, 1], "c": [3]}, {"a": 1, "b": 1, "c": 1})
    assert [key for key, _ in fused] == [2, 1, 3]


def test_order_of_the_rankings_does_not_matter() -> None:
    rankings = {"a": [1, 2, 3, 4], "b": [3, 1, 2, 4], "c": [2, 4, 1, 3]}
    weights = {"a": 0.1, "b": 0.2, "c": 0.3}
    results = [
        reciprocal_rank(dict(order), weights) for order in itertools.permutations(rankings.items())
    ]
    assert all(result == results[0] for result in results)


def test_key_named_twice_counts_at_its_better_rank() -> None:
    twice = reciprocal_rank({"a": [5, 6, 5, 7]}, {"a": 1.0}, k=0)
    assert twice == [(5, 1.0), (6, 1 / 2), (7, 1 / 3)]


def test_ranking_of_weight_0_does_not_take_part() -> None:
    assert reciprocal_rank({"a": [1], "b": [2]}, {"a": 1.0, "b": 0.0}, k=0) == [(1, 1.0)]


def test_nothing_ranked_gives_nothing() -> None:
    assert reciprocal_rank({}, {}) == []
    assert reciprocal_rank({"a": []}, {"a": 1.0}) == []


@given(
    st.dictionaries(
        st.sampled_from("abc"), st.lists(st.integers(-9, 9), unique=True, max_size=8), min_size=1
    ),
    st.integers(0, 100),
)
def test_fusion_agrees_with_exact_fractions(rankings: dict[str, list[int]], k: int) -> None:
    weights = {"a": 1.0, "b": 0.5, "c": 3.0}
    expected = {
        key: sum(
            Fraction(weights[name]) / (k + 1 + ranking.index(key))
            for name, ranking in rankings.items()
            if key in ranking
        )
        for key in set().union(*rankings.values())
    }
    fused = reciprocal_rank(rankings, weights, k)
    assert {key for key, _ in fused} == set(expected)
    assert all(score == pytest.approx(float(expected[key])) for key, score in fused)
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf])
def test_unusable_weight_is_refused(weight: float) -> None:
    with pytest.raises(InputError, match="'word' has weight"):
        reciprocal_rank({"word": [1]}, {"word": weight})


def test_ranking_without_a_weight_is_refused() -> None:
    with pytest.raises(InputError, match="'word'"):
        reciprocal_rank({"word": [1]}, {"dense": 1.0})


def test_negative_k_is_refused() -> None:
    with pytest.raises(InputError, match="k is -1"):
        reciprocal_rank({"word": [1]}, {"word": 1.0}, k=-1)


def test_each_half_life_of_age_adds_alpha() -> None:
    ages_ns = np.array([0, 10, 25], np.int64) * NS_PER_S
    aged = with_recency(np.array([0.5, 0.4, 0.1]), ages_ns, alpha=0.2, half_life_s=10.0)
    assert aged == pytest.approx([0.5, 0.6, 0.6])


def test_alpha_0_leaves_distances_as_they_are() -> None:
    distances = np.array([0.3, 0.1])
    ages_ns = np.array([np.iinfo(np.int64).max, np.iinfo(np.int64).min])
    assert with_recency(distances, ages_ns, 0.0, 1.0).tolist() == [0.3, 0.1]


def test_what_is_newer_than_now_is_treated_as_of_now() -> None:
    ages_ns = np.array([-5 * NS_PER_S, 0, np.iinfo(np.int64).min])
    assert with_recency(np.zeros(3), ages_ns, 1.0, 1.0).tolist() == [0.0, 0.0, 0.0]


def test_ages_beyond_a_float_of_seconds_keep_their_order() -> None:
    year_ns = 365 * 86_400 * NS_PER_S
    aged = with_recency(np.zeros(3), np.array([1, 100, 250], np.int64) * year_ns, 1.0, 86_400.0)
    assert aged == pytest.approx([365.0, 36_500.0, 91_250.0])


def test_no_distances_stay_none() -> None:
    assert with_recency(np.empty(0), np.empty(0, np.int64), 1.0, 1.0).shape == (0,)


@pytest.mark.parametrize(
    ("alpha", "half_life_s"),
    [(-0.1, 1.0), (math.nan, 1.0), (1.0, 0.0), (1.0, -1.0), (1.0, math.nan), (math.inf, 1.0)],
)
def test_unusable_recency_is_refused(alpha: float, half_life_s: float) -> None:
    with pytest.raises(InputError, match="half-life"):
        with_recency(np.zeros(1), np.zeros(1, np.int64), alpha, half_life_s)


def test_distances_without_ages_are_refused() -> None:
    with pytest.raises(InputError, match="one for one"):
        with_recency(np.zeros(3), np.zeros(2, np.int64), 1.0, 1.0)


def test_defaults_are_in_their_ranges() -> None:
    check(FusionConfig())


def test_half_life_of_0_is_refused_by_its_name() -> None:
    with pytest.raises(ConfigurationError, match="recency_half_life_s"):
        check(FusionConfig(recency_half_life_s=0.0))
