"""What objects mean: a vector of a sentence about each, so that other words find it too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memory_nodes.models.ports import TextEmbedder
from memory_nodes.records import ObjectDescriptor
from memory_nodes.retrieval.object_scores import Meaning
from memory_nodes.retrieval.question import read_question
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.vectors import Matrix

BATCH_SIZE = 64


class ObjectVectors:
    """Vectors by sentence, kept while the process lives: an object that stays costs nothing.

    An object whose sentence has not been learnt yet is found by its words alone.
    """

    def __init__(self, embedder: TextEmbedder, call_timeout_s: float) -> None:
        self._embedder = embedder
        self._call_timeout_s = call_timeout_s
        self._vectors: dict[str, Matrix] = {}
        self._snapshot: Snapshot | None = None
        """Of which the matrix is."""
        self._matrix: Matrix = np.zeros((0, 0), np.float32)

    async def learn(self, snapshot: Snapshot) -> int:
        """Embeds one batch of what is new; gives the number of sentences that wait still.

        Raises as TextEmbedder.embed does, and ConfigurationError where there is no model.
        """
        wanted = dict.fromkeys(map(sentence, snapshot.objects))
        if len(self._vectors) > 2 * len(wanted):
            self._vectors = {text: self._vectors[text] for text in wanted & self._vectors.keys()}
        waiting = [text for text in wanted if text not in self._vectors]
        batch = waiting[:BATCH_SIZE]
        if batch:
            found = await self._embedder.embed(batch, self._call_timeout_s)
            self._vectors.update(zip(batch, found.astype(np.float32), strict=True))
            self._snapshot = None
        return len(waiting) - len(batch)

    async def meaning(self, question: str, snapshot: Snapshot) -> Meaning:
        """The cosine of each phrase of a question with each object; nothing before any is learnt.

        Raises as TextEmbedder.embed does.
        """
        if not self._vectors:
            return {}
        phrases = read_question(question).phrases
        asked = await self._embedder.embed(phrases, self._call_timeout_s)
        cosines = asked.astype(np.float32) @ self._matrix_of(snapshot).T
        return dict(zip(phrases, cosines, strict=True))

    def _matrix_of(self, snapshot: Snapshot) -> Matrix:
        """Row i is of object i, zeros where it has no vector; shape (N, D)."""
        if self._snapshot is not snapshot:
            self._matrix = self._gathered(snapshot.objects)
            self._snapshot = snapshot
        return self._matrix

    def _gathered(self, objects: Sequence[ObjectDescriptor]) -> Matrix:
        nothing = np.zeros_like(next(iter(self._vectors.values())))
        rows = [self._vectors.get(sentence(item), nothing) for item in objects]
        return np.array(rows, np.float32).reshape(len(rows), len(nothing))


def sentence(item: ObjectDescriptor) -> str:
    """What is embedded of an object: what it is, looks like, and can be used for."""
    named = f"{item.name}, {item.type}" if item.name else item.type
    text = f"{named}: {item.description}." if item.description else f"{named}."
    return f"{text} It can be used to {', '.join(item.affordances)}" if item.affordances else text
