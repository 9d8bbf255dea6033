"""Meaning is learnt piece by piece, and what is not learnt yet is found by its words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from memory_nodes.errors import ModelUnavailable
from memory_nodes.geometry import Array
from memory_nodes.retrieval.object_vectors import BATCH_SIZE, ObjectVectors, sentence
from memory_nodes.retrieval.ranking import rank
from memory_nodes.retrieval.snapshot import Snapshot
from memory_test_support.recorded_models import HashedEmbedder
from memory_test_support.records import descriptor, keyframe, view

KEYFRAMES = {1: keyframe(1), 2: keyframe(2)}
MUG = descriptor("mug_1", view(1), description="a red cup", affordances=("drink coffee", "wash"))
DESK = descriptor("desk_1", view(2))
SNAPSHOT = Snapshot((MUG, DESK), (), KEYFRAMES)


class _CountingEmbedder(HashedEmbedder):
    """Keeps what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str], deadline_s: float) -> Array:
        self.texts += texts
        return await super().embed(texts, deadline_s)


def _learnt(*snapshots: Snapshot) -> tuple[ObjectVectors, _CountingEmbedder]:
    embedder = _CountingEmbedder()
    vectors = ObjectVectors(embedder, 1.0)
    for snapshot in snapshots:
        while asyncio.run(vectors.learn(snapshot)):
            pass
    return vectors, embedder


def test_sentence_says_what_it_is_and_what_it_is_for() -> None:
    assert sentence(MUG) == "mug: a red cup. It can be used to drink coffee, wash"
    assert sentence(DESK) == "desk."
    assert sentence(replace(DESK, name="Anna's desk")) == "Anna's desk, desk."


def test_cosines_stand_in_the_order_of_the_objects() -> None:
    vectors, _ = _learnt(SNAPSHOT)
    meaning = asyncio.run(vectors.meaning("desk", SNAPSHOT))
    assert list(meaning) == ["desk"]
    assert meaning["desk"] == pytest.approx([0.0, 1.0], abs=1e-6)


def test_each_part_of_a_question_is_compared() -> None:
    vectors, _ = _learnt(SNAPSHOT)
    text = "Which cup is on the desk?"
    assert list(asyncio.run(vectors.meaning(text, SNAPSHOT))) == [text, "which cup is", "the desk"]


def test_sentence_is_embedded_once() -> None:
    """Also where the object has new views, or the snapshot is another one."""
    again = Snapshot((replace(MUG, views=(view(1), view(2))), DESK), (), KEYFRAMES)
    _, embedder = _learnt(SNAPSHOT, again)
    assert embedder.texts == [sentence(MUG), sentence(DESK)]


def test_one_batch_is_learnt_at_a_time() -> None:
    many = [descriptor(f"mug_{n}", view(1), description=str(n)) for n in range(BATCH_SIZE + 3)]
    vectors = ObjectVectors(HashedEmbedder(), 1.0)
    assert asyncio.run(vectors.learn(Snapshot(tuple(many), (), KEYFRAMES))) == 3


def test_what_is_not_learnt_yet_has_no_meaning() -> None:
    vectors, _ = _learnt(Snapshot((DESK,), (), KEYFRAMES))
    assert asyncio.run(vectors.meaning("red cup", SNAPSHOT))["red cup"][0] == 0.0
    assert asyncio.run(ObjectVectors(HashedEmbedder(), 1.0).meaning("mug", SNAPSHOT)) == {}


def test_model_that_is_away_says_so() -> None:
    embedder = HashedEmbedder()
    vectors = ObjectVectors(embedder, 1.0)
    embedder.turn = ModelUnavailable("away")
    with pytest.raises(ModelUnavailable):
        asyncio.run(vectors.learn(SNAPSHOT))


def test_meaning_finds_what_no_word_names() -> None:
    meaning = {"rucksack": np.array([0.8, 0.1])}
    assert rank("rucksack", SNAPSHOT, 5).keyframes == ()
    ranking = rank("rucksack", SNAPSHOT, 5, meaning)
    assert ranking.keyframes[0].object_ids == ("mug_1",)
    # By hand: no word is there, so meaning weighs 1 + 0.5; (0.8 - 0.2) / 0.8 of it.
    assert ranking.best_score == pytest.approx(1.5 * 0.75)
