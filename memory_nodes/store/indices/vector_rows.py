"""Unit vectors in one growing matrix, found by their key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from memory_nodes.errors import InputError
from memory_nodes.vectors import Matrix

Keys: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.int64]
Similarities: TypeAlias = NDArray[np.float32]
Item = TypeVar("Item", np.float32, np.int32)

MAX_KEY = 2**27
"""Rows are found in an array indexed by key: at this limit it takes 512 MiB."""

UNIT_TOLERANCE = 1e-5
ROOM_SHARE = 0.1
_FIRST_CAPACITY = 1024
_DEAD = 0
_ABSENT = -1


class VectorRows:
    """Rows are only ever appended; a row whose key is gone or replaced is dead. Not thread-safe."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._count = 0
        self._living = 0
        self._matrix: Matrix = np.zeros((_FIRST_CAPACITY, dimension), np.float32)
        self._key_of: NDArray[np.int32] = np.zeros(_FIRST_CAPACITY, np.int32)
        self._row_of: NDArray[np.int32] = np.full(_FIRST_CAPACITY, _ABSENT, np.int32)

    @classmethod
    def of(cls, keys: Keys, units: Matrix) -> VectorRows:
        """Rows for these keys, each given once but 0 for the dead; takes the matrix over."""
        rows = cls(units.shape[1])
        if not len(keys):
            return rows
        rows._count, rows._living = len(keys), int(np.count_nonzero(keys))
        rows._matrix, rows._key_of = units, keys.astype(np.int32)
        rows._row_of = _grown(rows._row_of, int(keys.max()) + 1, _ABSENT)
        rows._row_of[keys] = np.arange(len(keys))
        rows._row_of[_DEAD] = _ABSENT
        return rows

    @property
    def count(self) -> int:
        """All rows, the dead ones too."""
        return self._count

    @property
    def living(self) -> int:
        return self._living

    @property
    def matrix(self) -> Matrix:
        """Shape (count, dimension), a view: append may move it."""
        return self._matrix[: self._count]

    @property
    def keys(self) -> NDArray[np.int32]:
        """The key of each row, 0 where it is dead; shape (count,), a view."""
        return self._key_of[: self._count]

    @property
    def is_nearly_full(self) -> bool:
        """Whether an append may soon have to copy all rows to a larger matrix."""
        return len(self._matrix) - self._count < ROOM_SHARE * self._count

    def move_to(self, larger: Matrix, copied: int) -> None:
        """Goes on in a larger matrix, which has the first ``copied`` rows already."""
        larger[copied : self._count] = self._matrix[copied : self._count]
        self._matrix = larger

    def append(self, keys: Keys, units: Matrix) -> Rows:
        """Adds rows for these keys, 0 for a dead one; gives the living rows that they replace."""
        first, last = self._count, self._count + len(keys)
        self._matrix = _grown(self._matrix, last)
        self._key_of = _grown(self._key_of, last)
        self._row_of = _grown(self._row_of, int(keys.max(initial=0)) + 1, _ABSENT)
        replaced = self.remove(keys)
        self._matrix[first:last] = units
        self._key_of[first:last] = keys
        self._count = last
        self._row_of[keys] = np.arange(first, last)
        # Of a key given twice the last row was written last, and the others are dead.
        is_latest = self._row_of[keys] == np.arange(first, last)
        self._key_of[first:last][~is_latest] = _DEAD
        self._row_of[_DEAD] = _ABSENT
        self._living += int(np.count_nonzero(self._key_of[first:last]))
        return replaced

    def remove(self, keys: Keys) -> Rows:
        """Makes the rows of these keys dead and gives them, each once; unknown keys are ignored."""
        found = np.unique(self.rows_of(keys))
        rows: Rows = found[found != _ABSENT]
        self._row_of[self._key_of[rows]] = _ABSENT
        self._key_of[rows] = _DEAD
        self._living -= len(rows)
        return rows

    def rows_of(self, keys: Keys) -> Rows:
        """The row of each key, -1 where there is none; shape as ``keys``."""
        is_known = (keys > _DEAD) & (keys < len(self._row_of))
        rows = np.full(len(keys), _ABSENT, np.int64)
        rows[is_known] = self._row_of[keys[is_known]]
        return rows

    def compacted(self) -> VectorRows:
        """The same without dead rows, in the same order."""
        is_living = self.keys != _DEAD
        fresh = VectorRows(self.dimension)
        fresh.append(self.keys[is_living].astype(np.int64), self.matrix[is_living])
        return fresh


def checked_keys(keys: Sequence[int] | Keys) -> Keys:
    """The keys as an array. Raises InputError naming the first that is not in 1 to MAX_KEY."""
    listed = np.asarray(keys, np.int64).reshape(-1)
    wrong = listed[(listed < 1) | (listed > MAX_KEY)]
    if len(wrong):
        raise InputError(f"key {wrong[0]} of a vector is not in 1 to {MAX_KEY}: number texts on")
    return listed


def checked_units(keys: Keys, vectors: Matrix, dimension: int) -> Matrix:
    """The vectors at unit length, shape (N, dimension).

    Raises InputError naming the first key whose vector has no direction.
    """
    found = np.asarray(vectors, np.float32)
    if found.shape != (len(keys), dimension):
        first = f", the first is of key {keys[0]}" if len(keys) else ""
        raise InputError(
            f"vectors of shape {found.shape} for {len(keys)} keys{first}: this index needs"
            f" ({len(keys)}, {dimension}); a model of another dimension needs an index of its own"
        )
    lengths = np.sqrt(np.einsum("ij,ij->i", found, found))
    wrong = np.flatnonzero(~np.isfinite(lengths) | (lengths == 0.0))
    if len(wrong):
        raise InputError(
            f"the vector of key {keys[wrong[0]]} has length {lengths[wrong[0]]}: give one that is"
            " finite and not zero"
        )
    if np.all(np.abs(lengths - 1.0) < UNIT_TOLERANCE):
        return found
    units: Matrix = found / lengths[:, None]
    return units


def last_places(wanted: Keys, keys: Keys) -> Rows:
    """Where each wanted key, none below 0, stands last in ``keys``, -1 where it does not."""
    place_of = np.full(int(keys.max(initial=0)) + 2, _ABSENT, np.int32)
    place_of[keys] = np.arange(len(keys))
    places: Rows = place_of[np.minimum(wanted, len(place_of) - 1)].astype(np.int64)
    return places


def best(keys: Keys, similarities: Similarities, k: int) -> tuple[Keys, Similarities]:
    """The k most similar, descending; of equals the newer, which has the greater key, is first."""
    if k < len(keys):
        least = np.partition(similarities, len(keys) - k)[len(keys) - k]
        is_near = similarities >= least
        keys, similarities = keys[is_near], similarities[is_near]
    order = np.lexsort((-keys, -similarities))[:k]
    return keys[order], similarities[order]


def cosines(units: Matrix, query: NDArray[np.float32]) -> Similarities:
    """Cosine of each unit row with a unit query, shape (N,).

    By einsum, since BLAS rounds equal rows differently by their place in the matrix: texts with
    the same vector would then stand in any order.
    """
    found: Similarities = np.einsum("ij,j->i", units, query)
    return found


def _grown(array: NDArray[Item], size: int, fill: int = 0) -> NDArray[Item]:
    """The array, or one at least twice as long that starts with it, where size needs one."""
    if size <= len(array):
        return array
    # Zeros and not full: the pages of rows that are not there yet then take no memory.
    longer = np.zeros((max(size, 2 * len(array)), *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    if fill:
        longer[len(array) :] = fill
    return longer
