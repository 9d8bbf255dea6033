"""How much of what an associating model replies can be used."""

from __future__ import annotations

from collections import Counter
from typing import Any

from memory_nodes.records import ChunkGraph, ObjectStatus

OUTWEIGHED = "against_looks_and_place"
"""The code of an answer that was usable, and that looks and place contradict."""


class ReplyTally:
    """Counts what the associator reports of replies."""

    def __init__(self) -> None:
        self._objects = 0
        self._problems: Counter[str] = Counter()
        self._invalid = 0

    def add(self, seen: ChunkGraph, resolved: ChunkGraph) -> None:
        """A chunk that a reply came for, before and after it was resolved."""
        problems = resolved.problems[len(seen.problems) :]
        codes = Counter(problem.partition(":")[0] for problem in problems)
        decided = sum(item.status == ObjectStatus.PRESENT for item in resolved.objects)
        self._objects += len(resolved.objects)
        self._problems += codes
        self._invalid += decided + codes[OUTWEIGHED] == 0

    def figures(self) -> dict[str, Any]:
        """invalid_replies are those of which nothing could be used.

        problems_per_object holds the codes of association/reply.py and of the associator, over
        all objects that were asked about.
        """
        return {
            "invalid_replies": self._invalid,
            "problems_per_object": {
                code: round(count / self._objects, 3)
                for code, count in self._problems.most_common()
            },
        }
