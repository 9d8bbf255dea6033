"""Columns come back as they were written, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_nodes.errors import IndexDamaged
from memory_nodes.store.indices import cache_file, columns_cache
from memory_nodes.store.indices.columns import DTYPES, Columns


def _columns(count: int) -> Columns:
    numbers = np.arange(count)
    columns = Columns()
    columns.append(dict.fromkeys(DTYPES, numbers) | {"key": 3 * numbers + 1})
    return columns


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "columns.bin"


@pytest.mark.parametrize("count", [0, 1, 2000])
def test_living_rows_come_back_with_their_commit(path: Path, count: int) -> None:
    columns = _columns(count)
    columns.remove(np.array([4, 10]))
    columns_cache.save(columns, path, 17, "a")
    rows, sequence = columns_cache.restored(path, "a")
    assert sequence == 17
    kept = [number for number in range(count) if number not in (1, 3)]
    assert rows["key"].tolist() == [3 * number + 1 for number in kept]
    for name in DTYPES.keys() - {"key"}:
        assert rows[name].tolist() == kept
        assert rows[name].dtype == np.dtype(DTYPES[name])


def test_rows_of_another_memory_are_refused(path: Path) -> None:
    columns_cache.save(_columns(3), path, 17, "a")
    with pytest.raises(IndexDamaged, match="another memory") as refused:
        columns_cache.restored(path, "b")
    assert refused.value.reason == "other_memory"


def test_no_file_and_a_file_cut_short_have_reasons_of_their_own(path: Path) -> None:
    with pytest.raises(IndexDamaged) as missing:
        columns_cache.restored(path, "a")
    columns_cache.save(_columns(3), path, 17, "a")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(IndexDamaged) as cut:
        columns_cache.restored(path, "a")
    assert (missing.value.reason, cut.value.reason) == ("missing", "truncated")


def _sound() -> dict[str, NDArray[Any]]:
    return {name: np.arange(3).astype(dtype) for name, dtype in DTYPES.items()}


@pytest.mark.parametrize(
    ("arrays", "sequence"),
    [
        (_sound(), "17"),
        (_sound() | {"key": np.array([1, 3, 3])}, 17),
        (_sound() | {"x": np.arange(3)}, 17),
        (_sound() | {"x": np.zeros(2)}, 17),
        (_sound() | {"w": np.zeros(3)}, 17),
        ({name: np.stack([array, array]) for name, array in _sound().items()}, 17),
        ({name: array for name, array in _sound().items() if name != "z"}, 17),
        ({}, 17),
    ],
    ids=["commit", "keys", "type", "length", "more", "matrix", "less", "none"],
)
def test_whole_file_that_contradicts_itself_is_refused(
    path: Path, arrays: dict[str, NDArray[Any]], sequence: object
) -> None:
    described = {"memory": "a", "sequence": sequence}
    cache_file.write(path, "columns of observations", 1, described, arrays)
    with pytest.raises(IndexDamaged) as refused:
        columns_cache.restored(path, "a")
    assert refused.value.reason == "contradictory"
