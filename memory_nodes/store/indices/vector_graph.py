"""An HNSW graph over rows of a matrix.

Source: Malkov and Yashunin, Efficient and robust approximate nearest neighbor search using
hierarchical navigable small world graphs, 2018; made by hnswlib.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

import hnswlib
import numpy as np
from numpy.typing import NDArray

from memory_nodes.errors import InputError
from memory_nodes.store.indices.graph_links import GraphLinks, used
from memory_nodes.store.indices.vector_config import VectorConfig
from memory_nodes.store.indices.vector_rows import Rows
from memory_nodes.vectors import Matrix

_FIRST_CAPACITY = 1024
_COUNT_BITS = 0xFFFF
"""Of the first word of a list of links; the others hold hnswlib's mark of deleted elements."""


class VectorGraph:
    """Finds the nearest of the unit vectors it has taken in; their labels are row numbers.

    Any number of threads may search at the same time, or one may change it: the caller's lock.
    """

    def __init__(self, dimension: int, config: VectorConfig) -> None:
        self._config = config
        # The inner product of unit vectors is their cosine, and none is normalised twice.
        self._index: Any = hnswlib.Index("ip", dimension)
        self._index.init_index(
            _FIRST_CAPACITY, M=config.hnsw_m, ef_construction=config.ef_construction
        )
        self._index.set_num_threads(config.build_threads)
        self._dead = 0
        # hnswlib has one ef for all searches: it is set and used without another between.
        self._ef_lock = threading.Lock()

    @property
    def living(self) -> int:
        return int(self._index.get_current_count()) - self._dead

    def add(self, labels: Rows, units: Matrix) -> None:
        """Takes new vectors in: about a millisecond for each."""
        needed = self._index.get_current_count() + len(labels)
        if needed > self._index.get_max_elements():
            self._index.resize_index(max(needed, 2 * self._index.get_max_elements()))
        self._index.add_items(units, labels)

    def remove(self, labels: Iterable[int]) -> None:
        """Searches go on through these vectors, and never give them."""
        for label in labels:
            self._index.mark_deleted(label)
            self._dead += 1

    def search(self, query: NDArray[np.float32], k: int, ef: int) -> Rows | None:
        """Labels of about the k nearest, shape (k,); None where fewer are within reach."""
        with self._ef_lock:
            self._index.set_ef(max(ef, k))
            try:
                labels, _ = self._index.knn_query(query, k, num_threads=1)
            except RuntimeError:  # the only thing that it says of a query of the right shape
                return None
        found: Rows = labels[0].astype(np.int64)
        return found

    def links(self) -> GraphLinks:
        """A copy of the graph without its vectors."""
        state = self._index.__getstate__()[0]
        elements = state["data_level0"].view(_element_type(state))
        upper_links = state["link_lists"].view(np.int32).reshape(-1, 1 + state["max_M"])
        return GraphLinks(
            labels=elements["label"].astype(np.int64),
            levels=state["element_levels"][: len(elements)].copy(),
            links=_plain(elements["links"].copy()),
            upper_links=_plain(upper_links.copy()),
            entry=state["enterpoint_node"] if len(elements) else 0,
        )

    @classmethod
    def restored(cls, links: GraphLinks, units: Matrix, config: VectorConfig) -> VectorGraph:
        """The graph with these links; row i of ``units``, shape (N, D), is of element i.

        The elements get the numbers of their rows as labels. Raises InputError where the
        configuration is for other links.
        """
        count = len(links.labels)
        if links.hnsw_m != config.hnsw_m or len(units) != count:
            raise InputError(
                f"links of {count} vectors with M {links.hnsw_m} do not fit {len(units)} vectors"
                f" with M {config.hnsw_m}: build the graph anew"
            )
        graph = cls(units.shape[1], config)
        if count:
            graph._index.resize_index(max(count, _FIRST_CAPACITY))
            # The state of the empty graph says where hnswlib has the parts of an element.
            state = graph._index.__getstate__()[0]
            state.update(_state_of(links, units, state))
            graph._index = hnswlib.Index.__new__(hnswlib.Index)
            graph._index.__setstate__((state,))
        return graph


def _element_type(state: dict[str, Any]) -> np.dtype[np.void]:
    """How an element lies in hnswlib's memory: links of level 0, vector, label."""
    return np.dtype(
        {
            "names": ["links", "vector", "label"],
            "formats": [
                (np.int32, (1 + state["max_M0"],)),
                (np.float32, (state["dim"],)),
                np.uint64,
            ],
            "offsets": [0, state["offset_data"], state["label_offset"]],
            "itemsize": state["size_data_per_element"],
        }
    )


def _state_of(links: GraphLinks, units: Matrix, empty: dict[str, Any]) -> dict[str, Any]:
    """What differs from the state of an empty graph."""
    labels = np.arange(len(units), dtype=np.uint64)
    elements = np.empty(len(units), _element_type(empty))
    elements["links"], elements["vector"], elements["label"] = links.links, units, labels
    return {
        "ep_added": True,
        "cur_element_count": len(units),
        "max_level": int(links.levels[links.entry]),
        "enterpoint_node": links.entry,
        "label_lookup_external": labels,
        "label_lookup_internal": labels.astype(np.uint32),
        "element_levels": links.levels,
        "data_level0": elements.view(np.int8),
        "link_lists": links.upper_links.reshape(-1).view(np.int8),
    }


def _plain(lists: NDArray[np.int32]) -> NDArray[np.int32]:
    """The lists of links without marks of deleted elements, and zeros where no neighbour is."""
    lists[:, 0] &= _COUNT_BITS
    lists[:, 1:][~used(lists)] = 0
    return lists
