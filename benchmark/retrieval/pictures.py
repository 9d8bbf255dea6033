"""Vectors that stand for pictures of objects: no picture and no visual model is behind them.

A thing's direction is mostly that of its type. Views and questions stray from it, by so much that
on the tour the vectors alone find the right keyframe about as often as those of SigLIP2 do (0.59:
VL-KnG, table 4). What is gained by merging them with the graph can be measured with that.
"""

from __future__ import annotations

import hashlib

import numpy as np

from benchmark.retrieval.memory import AskedMemory
from memory_nodes.geometry import Array
from memory_nodes.retrieval.visual import GROUNDING_HITS, Sightings, nearest, sightings
from memory_nodes.vectors import ViewVectors, unit
from memory_test_support.tour import Question

MODEL_ID = "synthetic-pictures"
DIMENSION = 64
INSTANCE_SHARE = 0.8
"""Of what makes a thing look other than its type."""
VIEW_NOISE = 0.7
QUESTION_NOISE = 2.5


class Pictures:
    """The pictures of one memory."""

    def __init__(self, memory: AskedMemory) -> None:
        self._instance_of = memory.instance_of
        views = [(item, view) for item in memory.snapshot.objects for view in item.views]
        rows = [
            self._look(memory.instance_of.get(item.object_id, item.object_id))
            + VIEW_NOISE * _drawn(f"{memory.name} {item.object_id} {view.keyframe_id}")
            for item, view in views
        ]
        self._known = ViewVectors(
            MODEL_ID,
            tuple(item.object_id for item, _ in views),
            tuple(view.keyframe_id for _, view in views),
            unit(np.array(rows, np.float32)),
        )

    def look_for(self, question: Question, text: str) -> Sightings:
        """What looks like the things that the question is about; anything where there are none."""
        query = QUESTION_NOISE * _drawn(text)
        for target in question.target_ids[:1]:
            query = query + self._look(target)
        return sightings(nearest(query, MODEL_ID, self._known, GROUNDING_HITS))

    @staticmethod
    def _look(instance: str) -> Array:
        return _drawn(instance.rpartition("_")[0]) + INSTANCE_SHARE * _drawn(instance)


def _drawn(name: str) -> Array:
    """A direction drawn by a name, of length about one."""
    seed = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")
    return np.random.default_rng(seed).normal(scale=DIMENSION**-0.5, size=DIMENSION)
