"""The most similar pictures, exactly, and of one model only."""

from __future__ import annotations

import numpy as np
import pytest

from memory_nodes.errors import ConfigurationError
from memory_nodes.retrieval.visual import ViewHit, nearest
from memory_nodes.vectors import ViewVectors, unit

KNOWN = ViewVectors(
    "a",
    ("mug_1", "mug_1", "lamp_1", "desk_1"),
    (1, 2, 2, 3),
    unit(np.array([[1, 0, 0], [4, 3, 0], [0, 1, 0], [-1, 0, 0]], np.float32)),
)


def test_best_come_first_with_their_cosines() -> None:
    found = nearest(np.array([2.0, 0.0, 0.0]), "a", KNOWN, 3)
    assert [(hit.object_id, hit.keyframe_id) for hit in found] == [
        *(("mug_1", 1), ("mug_1", 2), ("lamp_1", 2)),
    ]
    assert [hit.cosine for hit in found] == pytest.approx([1.0, 0.8, 0.0])


def test_equal_ones_keep_their_order() -> None:
    found = nearest(np.array([0.0, 0.0, 1.0]), "a", KNOWN, 9)
    assert [hit.keyframe_id for hit in found] == [1, 2, 2, 3]


def test_same_as_by_hand_on_random_vectors() -> None:
    rng = np.random.default_rng(3)
    matrix = unit(rng.normal(size=(500, 64)).astype(np.float32))
    known = ViewVectors("a", tuple(map(str, range(500))), tuple(range(500)), matrix)
    query = rng.normal(size=64)
    by_hand = sorted(range(500), key=lambda i: -float(np.dot(matrix[i], query)))[:10]
    assert [hit.keyframe_id for hit in nearest(query, "a", known, 10)] == by_hand


def test_no_vectors_no_hits() -> None:
    nothing = ViewVectors("a", (), (), np.zeros((0, 0), np.float32))
    assert nearest(np.ones(3), "a", nothing, 5) == []


def test_query_of_another_model_is_refused_and_both_are_named() -> None:
    with pytest.raises(ConfigurationError, match=r"vectors of b cannot be .* those of a"):
        nearest(np.ones(3), "b", KNOWN, 5)


def test_hit_says_which_view() -> None:
    assert nearest(np.array([0.0, 1.0, 0.0]), "a", KNOWN, 1) == [ViewHit("lamp_1", 2, 1.0)]
