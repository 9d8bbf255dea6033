"""Which markers are on the screen, and under which numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from std_msgs.msg import Header
from visualization_msgs.msg import Marker, MarkerArray

DELETIONS = 5
"""How often a marker is deleted: of a topic that keeps one message RViz may miss some."""


class Drawn(NamedTuple):
    """A marker, and what it stands for in its namespace: that keeps its number."""

    key: str
    marker: Marker


class MarkerBoard:
    """Keeps the numbers of markers stable, and deletes only what has gone.

    Each message is the whole scene, for whoever comes late. The first deletes all: what a board
    before this one has drawn, of a node that was killed for instance, had numbers of its own.
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, str], int] = {}
        self._last: Counter[str] = Counter()
        self._gone: dict[tuple[str, str], int] = {}
        """How often each is still to be deleted."""
        self._is_first = True

    def update(self, drawn: Iterable[Drawn], map_frame: str) -> MarkerArray:
        """The message that makes the screen show this and nothing else."""
        markers, shown = [], set()
        for key, marker in drawn:
            name = (marker.ns, key)
            shown.add(name)
            marker.id = self._number(name)
            markers.append(marker)
        for name in self._numbers.keys() - shown - self._gone.keys():
            self._gone[name] = DELETIONS
        for name in shown:
            self._gone.pop(name, None)
        return MarkerArray(markers=self._deletions(map_frame) + markers)

    def _deletions(self, map_frame: str) -> list[Marker]:
        header = Header(frame_id=map_frame)
        deletions = [Marker(header=header, action=Marker.DELETEALL)] if self._is_first else []
        self._is_first = False
        deletions += [
            Marker(header=header, ns=name[0], id=self._numbers[name], action=Marker.DELETE)
            for name in sorted(self._gone)
        ]
        self._gone = {name: left - 1 for name, left in self._gone.items()}
        for name in [name for name, left in self._gone.items() if left == 0]:
            del self._gone[name], self._numbers[name]
        return deletions

    def _number(self, name: tuple[str, str]) -> int:
        """Never given twice in a namespace."""
        if name not in self._numbers:
            self._numbers[name] = self._last[name[0]]
            self._last[name[0]] += 1
        return self._numbers[name]
