"""Relations as columns: what a question asks of all of them takes one step."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory_nodes.geometry import Array
from memory_nodes.records import Relation

Rows: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class RelationTable:
    """Each relation from either end: in row i the object ``near[i]`` stands so to ``far[i]``."""

    near: Rows
    """Rows of objects, shape (2 R,)."""
    far: Rows
    predicates: tuple[str, ...]
    """Each word once."""
    word: Rows
    """Of each relation, the row of its predicate; shape (R,)."""
    shown: tuple[tuple[int, ...], ...]
    """Of each relation, the ids of the keyframes that show it."""

    @classmethod
    def of(cls, relations: Sequence[Relation], row_of: Mapping[str, int]) -> RelationTable:
        subjects = np.array([row_of[item.subject_id] for item in relations], np.int64)
        objects = np.array([row_of[item.object_id] for item in relations], np.int64)
        predicates = {word: i for i, word in enumerate({r.predicate: None for r in relations})}
        return cls(
            near=np.concatenate((subjects, objects)),
            far=np.concatenate((objects, subjects)),
            predicates=tuple(predicates),
            word=np.array([predicates[item.predicate] for item in relations], np.int64),
            shown=tuple(item.keyframe_ids for item in relations),
        )

    def fit(self, forward: Collection[str], backward: Collection[str], otherwise: float) -> Array:
        """1 where "near p far" is asked for, ``otherwise`` elsewhere; shape (2 R,)."""
        ahead = np.array([word in forward for word in self.predicates], bool)[self.word]
        turned = np.array([word in backward for word in self.predicates], bool)[self.word]
        return np.where(np.concatenate((ahead, turned)), 1.0, otherwise)

    def keyframe_ids(self, row: int) -> tuple[int, ...]:
        """The keyframes that show what a row says."""
        return self.shown[row % len(self.shown)]
