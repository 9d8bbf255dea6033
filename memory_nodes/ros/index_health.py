"""How far the indices of a search are behind the memory."""

from __future__ import annotations

import time
from collections.abc import Callable

from memory_nodes.store.search import Search


class IndexHealth:
    """For the diagnostics. A search follows the memory before each answer, and only then.

    Args:
        clock_s: never jumps.
    """

    def __init__(self, search: Search, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._search = search
        self._clock_s = clock_s
        self._newest = 0
        self._behind_since_s: float | None = None

    def heard(self, sequence: int) -> None:
        """The memory has come so far."""
        self._newest = sequence
        if self._behind_since_s is None and sequence > self._search.sequence:
            self._behind_since_s = self._clock_s()

    def figures(self) -> dict[str, object]:
        """Commits that the next answer must follow first, and since when; vectors in the graph."""
        behind = max(0, self._newest - max(0, self._search.sequence))
        if behind == 0:
            self._behind_since_s = None
        since_s = self._behind_since_s
        in_graph, vectors = self._search.progress
        return {
            "index_commits_behind": behind,
            "index_age_s": 0.0 if since_s is None else round(self._clock_s() - since_s, 1),
            "index_vectors": vectors,
            "index_vectors_in_graph": in_graph,
            "index_problems": len(self._search.problems),
        }
