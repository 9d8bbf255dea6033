"""Vectors of pictures and texts: as bytes for messages and disk, and many of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from memory_nodes.geometry import Array

Matrix: TypeAlias = NDArray[np.float32]
Vector: TypeAlias = Array | NDArray[np.float32]

ITEM_BYTES = 2
_STORED = np.dtype("<f2")


@dataclass(frozen=True)
class ViewVectors:
    """The vectors of one model; row i of ``matrix`` is of object i in keyframe i."""

    model_id: str
    object_ids: tuple[str, ...]
    keyframe_ids: tuple[int, ...]
    matrix: Matrix
    """Unit rows, shape (N, D)."""


def packed(vector: Vector) -> bytes:
    """A vector, shape (D,), as little-endian float16: an error of at most 5e-4 in each number."""
    return vector.astype(_STORED).tobytes()


def unpacked(vectors: Sequence[bytes], dimension: int) -> Matrix:
    """What ``packed`` made, as unit rows, shape (len(vectors), dimension).

    Raises ValueError where a vector has another length.
    """
    if any(len(vector) != dimension * ITEM_BYTES for vector in vectors):
        raise ValueError(f"a vector has not {dimension} numbers")
    stored = np.frombuffer(b"".join(vectors), _STORED).reshape(len(vectors), dimension)
    rows: Matrix = stored.astype(np.float32)
    rows /= _lengths(rows)
    return rows


def unit(rows: Matrix) -> Matrix:
    """The rows at length one; a row of zeros stays as it is."""
    scaled: Matrix = rows / _lengths(rows)
    return scaled


def _lengths(rows: Matrix) -> Matrix:
    """Of each row, 1 where it is zero; shape (N, 1)."""
    # By einsum: norm takes three times as long, since it writes the squares down.
    lengths: Matrix = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    lengths[lengths == 0.0] = 1.0
    return lengths


def is_sound(vector: bytes) -> bool:
    """Whether it can be a packed unit vector: it may come from another process."""
    if not vector or len(vector) % ITEM_BYTES:
        return False
    numbers = np.frombuffer(vector, _STORED).astype(np.float64)
    return bool(abs(np.linalg.norm(numbers) - 1.0) < 0.01)
