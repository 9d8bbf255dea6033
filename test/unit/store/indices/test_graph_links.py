"""A graph that contradicts itself is refused before hnswlib follows its links."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memory_nodes.errors import InputError
from memory_nodes.store.indices.graph_links import GraphLinks
from memory_nodes.store.indices.vector_config import VectorConfig
from memory_nodes.store.indices.vector_index import VectorIndex
from memory_test_support.vectors import clustered

D = 16
COUNT = 600
CONFIG = VectorConfig(exact_below=0)
KEYS = np.arange(1, COUNT + 1)
VECTORS = clustered(COUNT, D)


def _links() -> GraphLinks:
    index = VectorIndex(D, CONFIG)
    index.add(KEYS, VECTORS)
    index.take_in(COUNT)
    return index.links()


LINKS = _links()
HIGH = int(np.flatnonzero(LINKS.levels > 0)[0])
LOW = int(np.flatnonzero(LINKS.levels == 0)[0])


def _with(array: np.ndarray[Any, Any], place: tuple[int, ...], value: int) -> np.ndarray[Any, Any]:
    changed = array.copy()
    changed[place] = value
    return changed


@pytest.mark.parametrize(
    "changes",
    [
        {"entry": COUNT},
        {"entry": LOW},
        {"labels": LINKS.labels[:-1]},
        {"labels": _with(LINKS.labels, (0,), 2)},
        {"labels": _with(LINKS.labels, (0,), -2)},
        {"levels": _with(LINKS.levels, (LOW,), 1)},
        {"levels": _with(LINKS.levels, (HIGH,), 10**6)},
        {"levels": _with(_with(LINKS.levels, (LOW,), -1), (HIGH,), LINKS.levels[HIGH] + 1)},
        {"links": _with(LINKS.links, (3, 0), 33)},
        {"links": _with(LINKS.links, (3, 0), -1)},
        {"links": _with(LINKS.links, (3, 1), COUNT)},
        {"links": _with(LINKS.links, (3, 1), -1)},
        {"links": LINKS.links[:, :-2].copy()},
        {"upper_links": _with(LINKS.upper_links, (0, 0), 17)},
        {"upper_links": _with(LINKS.upper_links, (0, 1), COUNT)},
        {"upper_links": _with(LINKS.upper_links, (0, 1), LOW)},
        {"upper_links": LINKS.upper_links[:-1]},
    ],
    ids=lambda changes: "_".join(changes),
)
def test_link_that_would_lead_out_of_the_graph_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"graph of {len(changes.get('labels', KEYS))} vectors"):
        replace(LINKS, **changes)


def test_random_links_are_refused_or_harmless() -> None:
    """Whatever GraphLinks lets through can be searched."""
    random = np.random.default_rng(4)
    refused = 0
    for _ in range(60):
        lower, upper = LINKS.links.copy(), LINKS.upper_links.copy()
        part = lower if random.random() < 0.5 else upper
        row, column = (int(random.integers(size)) for size in part.shape)
        part[row, column] = random.integers(-3, COUNT + 100)
        try:
            links = replace(LINKS, links=lower, upper_links=upper)
        except InputError:
            refused += 1
            continue
        index = VectorIndex.restored(links, KEYS, VECTORS, D, CONFIG)
        assert len(index.search(VECTORS[0], 5)[0]) == 5
    assert 0 < refused < 60
