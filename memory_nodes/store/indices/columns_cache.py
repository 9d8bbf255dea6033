"""The columns of observations on disk, so that they need not be read row by row at each start."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_nodes.errors import IndexDamaged
from memory_nodes.records import ItemKind
from memory_nodes.store.indices import cache_file
from memory_nodes.store.indices.columns import DTYPES, Columns

FORMAT = 1
_KIND = "columns of observations"
_ROW = "SELECT stamp_ns, map_key, layer_key FROM observation WHERE observation_key = ?"
_COLUMNS_OF_ROW = ("start_ns", "map_key", "layer_key")
"""Not its place: that may have been corrected since."""


def save(columns: Columns, path: Path, sequence: int, memory_id: str) -> None:
    """Writes the living rows as of a commit. Raises StoreError when it cannot be written."""
    rows = columns.living()
    arrays = {name: columns[name][rows] for name in DTYPES}
    cache_file.write(path, _KIND, FORMAT, {"memory": memory_id, "sequence": sequence}, arrays)


def restored(path: Path, memory_id: str) -> tuple[Mapping[str, NDArray[Any]], int]:
    """The rows and the commit that they are of. Raises IndexDamaged where they cannot be used."""
    described, arrays = cache_file.read(path, _KIND, FORMAT)
    if described.get("memory") != memory_id:
        raise IndexDamaged(f"{path} is of another memory", "other_memory")
    sequence, shapes = described.get("sequence"), {array.shape for array in arrays.values()}
    types = {name: array.dtype for name, array in arrays.items()}
    expected = {name: np.dtype(dtype) for name, dtype in DTYPES.items()}
    is_expected = types == expected and shapes == {(arrays["key"].size,)}
    if not isinstance(sequence, int) or not is_expected:
        raise IndexDamaged(f"{path} is whole but has not the columns expected", "contradictory")
    if np.any(np.diff(arrays["key"]) <= 0):
        raise IndexDamaged(f"the keys in {path} do not ascend", "contradictory")
    return arrays, sequence


def require_same(connection: sqlite3.Connection, rows: Mapping[str, NDArray[Any]]) -> None:
    """Raises IndexDamaged where the newest of the rows is not that of the memory.

    So it is when an older memory was put back, and written on past the commit of the cache.
    """
    if not len(rows["key"]):
        return
    key = int(rows["key"][-1])
    stored = connection.execute(_ROW, (key,)).fetchone()
    if stored is not None:
        is_same = tuple(stored) == tuple(rows[name][-1] for name in _COLUMNS_OF_ROW)
    else:
        query = "SELECT count(*) FROM tombstone WHERE kind = ? AND key = ?"
        is_same = connection.execute(query, (int(ItemKind.OBSERVATION), key)).fetchone()[0] > 0
    if not is_same:
        raise IndexDamaged(
            f"the columns of observations have another observation {key} than the memory",
            "other_commit",
        )
