"""The graph of a vector index on disk, so that it need not be built at each start.

The file has the links only, about 140 bytes a vector: the vectors come from SQLite. It is no
pickle, and nothing of it reaches hnswlib unchecked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_nodes.errors import IndexDamaged, IndexFault, InputError
from memory_nodes.store.indices import cache_file
from memory_nodes.store.indices.graph_links import GraphLinks
from memory_nodes.store.indices.vector_config import VectorConfig
from memory_nodes.store.indices.vector_index import VectorIndex
from memory_nodes.store.indices.vector_rows import Keys
from memory_nodes.vectors import Matrix

FORMAT = 1
_KIND = "graph of vectors"
_STORED: Mapping[str, type[np.generic]] = {
    "labels": np.int32,
    "levels": np.uint8,
    "links": np.int32,
    "upper_links": np.int32,
}


def save(index: VectorIndex, path: Path, sequence: int, model_id: str) -> None:
    """Writes the graph of an index; the file is there as a whole or as it was before.

    ``sequence`` is the commit up to which the index has all vectors. One process at a time saves
    to a path. Raises StoreError when it cannot be written.
    """
    links = index.links()
    described = {**_described(index.config, model_id, index.dimension), "sequence": sequence}
    described["entry"] = links.entry
    arrays: dict[str, NDArray[Any]] = {
        "labels": links.labels,
        "levels": links.levels,
        "links": links.links,
        "upper_links": links.upper_links,
    }
    stored = {name: array.astype(_STORED[name], copy=False) for name, array in arrays.items()}
    cache_file.write(path, _KIND, FORMAT, described, stored)


def restored(
    path: Path,
    config: VectorConfig,
    model_id: str,
    dimension: int,
    keys: Sequence[int] | Keys,
    vectors: Matrix,
) -> tuple[VectorIndex, int]:
    """The index of these vectors, shape (N, dimension), with the saved graph, and its sequence.

    Vectors that the graph does not know are its tail.

    Raises:
        IndexDamaged: the file cannot be used, ``reason`` says why: build the index anew.
        InputError: the keys or vectors cannot be used, as in VectorIndex.add.
    """
    described, arrays = cache_file.read(path, _KIND, FORMAT)
    for name, expected in _described(config, model_id, dimension).items():
        if described.get(name) != expected:
            found = described.get(name)
            raise IndexDamaged(f"{path} has {name} {found!r}, this is {expected!r}", _FAULTS[name])
    links, sequence = _links_and_sequence(path, described, arrays)
    return VectorIndex.restored(links, keys, vectors, dimension, config), sequence


def saved(path: Path) -> tuple[object, int]:
    """What a sound file is of, as ``model_id`` and ``sequence`` of save. Raises IndexDamaged."""
    described, arrays = cache_file.read(path, _KIND, FORMAT)
    _, sequence = _links_and_sequence(path, described, arrays)
    return described.get("model"), sequence


_FAULTS: Mapping[str, IndexFault] = {
    "model": "other_model",
    "dimension": "other_model",
    "hnswlib": "other_format",
    "hnsw_m": "other_parameters",
    "ef_construction": "other_parameters",
}


def _described(config: VectorConfig, model_id: str, dimension: int) -> dict[str, Any]:
    """What must be the same when a graph is read as when it was written."""
    return {
        "model": model_id,
        "dimension": dimension,
        "hnswlib": version("hnswlib"),
        "hnsw_m": config.hnsw_m,
        "ef_construction": config.ef_construction,
    }


def _links_and_sequence(
    path: Path, described: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> tuple[GraphLinks, int]:
    sequence, entry = described.get("sequence"), described.get("entry")
    try:
        if type(sequence) is not int or type(entry) is not int:
            raise InputError(f"sequence {sequence!r} and entry {entry!r} are no numbers")
        return _links_from(arrays, entry), sequence
    except InputError as error:
        raise IndexDamaged(f"{path} is whole but no graph: {error}", "contradictory") from error


def _links_from(arrays: Mapping[str, NDArray[Any]], entry: int) -> GraphLinks:
    """Raises InputError where the arrays are not those of a graph."""
    found = {name: (array.dtype, array.ndim) for name, array in arrays.items()}
    expected = {
        name: (np.dtype(dtype), 2 if "links" in name else 1) for name, dtype in _STORED.items()
    }
    if found != expected:
        raise InputError(f"arrays {found}, expected are {expected}")
    return GraphLinks(
        labels=arrays["labels"].astype(np.int64),
        levels=arrays["levels"].astype(np.int32),
        links=arrays["links"].astype(np.int32),
        upper_links=arrays["upper_links"].astype(np.int32),
        entry=entry,
    )
