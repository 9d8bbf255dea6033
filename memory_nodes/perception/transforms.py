"""The transform tree over time, for where tf2_ros is not installed."""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from operator import attrgetter

from memory_nodes.errors import TransformNotYet, TransformTooOld, TransformUnknown
from memory_nodes.geometry import Pose, interpolate
from memory_nodes.records import NS_PER_S


@dataclass(frozen=True)
class _Sample:
    stamp_ns: int
    parent_from_child: Pose


_STAMP = attrgetter("stamp_ns")


@dataclass
class _Edge:
    """What is known of one child: its parent, and their transform over time."""

    parent: str
    is_static: bool
    samples: list[_Sample] = field(default_factory=list)

    def at(self, stamp_ns: int, child: str) -> Pose:
        if self.is_static:
            return self.samples[-1].parent_from_child
        after = bisect_left(self.samples, stamp_ns, key=_STAMP)
        if after == len(self.samples):
            raise TransformNotYet(
                f"{self.parent} <- {child} is known up to {self.samples[-1].stamp_ns} ns, "
                f"asked for {stamp_ns} ns: wait for it"
            )
        newer = self.samples[after]
        if newer.stamp_ns == stamp_ns:
            return newer.parent_from_child
        if after == 0:
            raise TransformTooOld(
                f"{self.parent} <- {child} is known from {newer.stamp_ns} ns, "
                f"asked for {stamp_ns} ns: keep more history or send images sooner"
            )
        older = self.samples[after - 1]
        fraction = (stamp_ns - older.stamp_ns) / (newer.stamp_ns - older.stamp_ns)
        return interpolate(older.parent_from_child, newer.parent_from_child, fraction)


class TransformBuffer:
    """Transforms of the last seconds, looked up at a stamp and interpolated between samples.

    Never extrapolates: a stamp outside what is known raises, it is not answered with the
    nearest transform.
    """

    def __init__(self, history_s: float = 30.0) -> None:
        self._history_ns = round(history_s * NS_PER_S)
        self._edges: dict[str, _Edge] = {}

    def clear(self) -> None:
        """Forgets all but static transforms: time has jumped back."""
        self._edges = {child: edge for child, edge in self._edges.items() if edge.is_static}

    def add(
        self, parent: str, child: str, stamp_ns: int, parent_from_child: Pose, *, is_static: bool
    ) -> None:
        """Takes in one transform; a new parent of the same child replaces the old one."""
        edge = self._edges.get(child)
        if edge is None or edge.parent != parent or edge.is_static != is_static:
            edge = self._edges[child] = _Edge(parent, is_static)
        if edge.samples and stamp_ns < edge.samples[-1].stamp_ns - self._history_ns:
            edge.samples.clear()  # time has jumped back: what is kept is of another time
        sample = _Sample(stamp_ns, parent_from_child)
        if is_static:
            edge.samples = [sample]
            return
        place = bisect_left(edge.samples, stamp_ns, key=_STAMP)
        if place < len(edge.samples) and edge.samples[place].stamp_ns == stamp_ns:
            edge.samples[place] = sample
            return
        insort(edge.samples, sample, key=_STAMP)
        oldest_ns = edge.samples[-1].stamp_ns - self._history_ns
        del edge.samples[: bisect_left(edge.samples, oldest_ns, key=_STAMP)]

    def lookup(self, target: str, source: str, stamp_ns: int) -> Pose:
        """``target_from_source`` at a stamp.

        Raises:
            TransformUnknown: nothing connects the two frames so far.
            TransformNotYet: newer than the newest sample on the way.
            TransformTooOld: older than the oldest sample on the way.
        """
        ancestors = self._ancestors(target)
        chain = self._ancestors(source)
        meeting = next((frame for frame in chain if frame in ancestors), None)
        if meeting is None:
            raise TransformUnknown(f"nothing connects {target!r} and {source!r} yet")
        meeting_from_source = self._climb(source, meeting, stamp_ns)
        return self._climb(target, meeting, stamp_ns).inverse() @ meeting_from_source

    def _ancestors(self, frame: str) -> list[str]:
        """The frame and all above it, nearest first; a loop in the tree ends the list."""
        chain = [frame]
        while (edge := self._edges.get(chain[-1])) is not None and edge.parent not in chain:
            chain.append(edge.parent)
        return chain

    def _climb(self, frame: str, ancestor: str, stamp_ns: int) -> Pose:
        ancestor_from_frame = Pose.identity()
        while frame != ancestor:
            edge = self._edges[frame]
            ancestor_from_frame = edge.at(stamp_ns, frame) @ ancestor_from_frame
            frame = edge.parent
        return ancestor_from_frame
