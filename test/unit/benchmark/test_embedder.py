"""Vectors of the benchmark depend on the words alone."""

from __future__ import annotations

import numpy as np
import pytest

from benchmark.store.embedder import DIMENSION, HashedWords


def test_vectors_are_of_unit_length_and_the_same_from_each_embedder() -> None:
    texts = ["red mug", "", "battery: 40%"]
    vectors = HashedWords().embed(texts)
    assert vectors.shape == (3, DIMENSION)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert np.array_equal(vectors, HashedWords().embed(texts))
    # of the reference embedder
    assert vectors[0, :2] == pytest.approx([-0.06475502, -0.00085402], abs=1e-7)


def test_order_and_case_of_words_do_not_matter() -> None:
    first, second = HashedWords().embed(["Red mug", "mug, RED"])
    assert first == pytest.approx(second, abs=1e-6)


def test_shared_words_bring_texts_nearer() -> None:
    mug, red_mug, lamp = HashedWords().embed(["mug", "red mug", "lamp"])
    # two independent directions at a right angle: 1 / sqrt(2), and 0, within their scatter
    assert mug @ red_mug == pytest.approx(2**-0.5, abs=0.1)
    assert mug @ lamp == pytest.approx(0.0, abs=0.2)
