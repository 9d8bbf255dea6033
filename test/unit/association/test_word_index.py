"""Scores of an inverted index against a direct count."""

from __future__ import annotations

import math

import numpy as np
import pytest

from memory_nodes.association.word_index import WordIndex

VOCABULARY = [f"word{number}" for number in range(30)]


def test_scores_are_the_rarity_weighted_shares_of_each_row() -> None:
    generator = np.random.default_rng(0)
    rows = [set(generator.choice(VOCABULARY, size=6)) for _ in range(200)]
    index = WordIndex()
    for number, own in enumerate(rows):
        index.add(number, own)
    weights = {"word3": 2.0, "word7": 1.0, "word8": 1.0, "unheard": 1.0}
    counts = {word: max(1, sum(word in own for own in rows)) for word in weights}
    worth = {word: weights[word] * math.log(1 + 200 / counts[word]) for word in weights}
    expected = [sum(worth[w] for w in worth if w in own) / sum(worth.values()) for own in rows]
    assert index.scores(weights, 200) == pytest.approx(np.array(expected))


def test_rare_word_tells_more_than_a_common_one() -> None:
    index = WordIndex()
    for number in range(10):
        index.add(number, {"red", "globe"} if number == 4 else {"red"})
    assert index.rarity("red") == pytest.approx(math.log(2))
    assert index.rarity("globe") == pytest.approx(math.log(11))
    assert index.scores({"red": 1.0, "globe": 1.0}, 10).argmax() == 4


def test_word_of_a_row_that_is_gone_is_rarer() -> None:
    index = WordIndex()
    for number in range(4):
        index.add(number, {"red"} if number < 2 else {"blue"})
    index.remove({"red"})
    assert index.rarity("red") == pytest.approx(math.log(1 + 3 / 1))


def test_nothing_is_found_in_nothing() -> None:
    assert list(WordIndex().scores({"red": 1.0}, 0)) == []
    index = WordIndex()
    index.add(0, {"red"})
    assert list(index.scores({}, 1)) == [0.0]
