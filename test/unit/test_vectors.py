"""Vectors keep their direction as bytes."""

from __future__ import annotations

import numpy as np
import pytest

from memory_nodes.geometry import Array
from memory_nodes.vectors import is_sound, packed, unit, unpacked


def _random_units(count: int, dimension: int) -> Array:
    rows: Array = np.random.default_rng(7).normal(size=(count, dimension))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def test_packed_vectors_come_back_within_a_thousandth_and_at_unit_length() -> None:
    rows = _random_units(50, 768)
    back = unpacked([packed(row) for row in rows], 768)
    assert back.dtype == np.float32
    assert np.abs(back - rows).max() < 1e-3
    assert np.linalg.norm(back, axis=1) == pytest.approx(np.ones(50), abs=1e-6)


def test_bytes_are_little_endian_half_floats() -> None:
    assert packed(np.array([1.0, -2.0])) == bytes((0x00, 0x3C, 0x00, 0xC0))


def test_no_vectors_are_an_empty_matrix() -> None:
    assert unpacked([], 4).shape == (0, 4)


def test_vector_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="4 numbers"):
        unpacked([packed(np.ones(4)), packed(np.ones(3))], 4)


def test_row_of_zeros_stays() -> None:
    assert unit(np.zeros((1, 3), np.float32)).tolist() == [[0.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("vector", "sound"),
    [
        (packed(np.array([0.6, 0.8])), True),
        (packed(np.array([0.6, 0.9])), False),
        (packed(np.array([np.nan, 0.8])), False),
        (packed(np.array([1.0]))[:1], False),
        (b"", False),
    ],
)
def test_only_finite_unit_vectors_are_sound(vector: bytes, sound: bool) -> None:
    assert is_sound(vector) is sound
