"""Where the robot's clock was set back, or time has begun again, as a simulation's does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_nodes.episodic.history.items import Item
from memory_nodes.records import NS_PER_S

MAX_AHEAD_NS = 86_400 * NS_PER_S
"""What is further ahead of all that came before it is of a wrong clock."""


@dataclass(frozen=True)
class SetBack:
    """The clock was set back."""

    from_ns: int
    to_ns: int


@dataclass(frozen=True)
class Stream:
    """Items of one kind in the order of arrival, up to where the clock was set back."""

    items: Sequence[Item]
    is_full: bool
    """There may be more."""
    reached_ns: int
    """So late it was by the clock that was set back after them; 0 if it was not."""
    begin: SetBack | None = None
    """Right before them."""
    end: SetBack | None = None
    """Right after them."""


def stream_of(
    before: Sequence[Item], fresh: Sequence[Item], slack_ns: int, now_ns: int, *, is_full: bool
) -> Stream:
    """The fresh items up to where the clock was set back, but not where that is at the first.

    ``before``: what came right before them. What comes late alone, among others that do not, is
    no sign of it; nor is what is from a chunk among observations. ``now_ns``: of the clock.
    """
    witnesses = [item for item in (*before, *fresh) if item.is_chunk or not item.is_from_chunk]
    first_key = fresh[0].key if fresh else None
    stamps_ns = [item.start_ns for item in witnesses] + [now_ns]
    begin, newest_ns = None, stamps_ns[0]
    for number, item in enumerate(witnesses):
        if max(stamps_ns[number : number + 2]) >= newest_ns - slack_ns:
            newest_ns = max(newest_ns, item.start_ns)
            continue
        set_back = SetBack(newest_ns, item.start_ns)
        newest_ns = item.start_ns
        if first_key is not None and item.key > first_key:
            ended = [each for each in fresh if each.key < item.key]
            return Stream(ended, False, _reached(before, ended, now_ns), begin, set_back)
        if item.key == first_key:
            begin = set_back
    return Stream(fresh, is_full, 0, begin)


def _reached(before: Sequence[Item], ended: Sequence[Item], now_ns: int) -> int:
    """Without what is too far ahead."""
    reached_ns = before[-1].start_ns if before else now_ns
    for item in ended:
        if reached_ns < item.start_ns <= reached_ns + MAX_AHEAD_NS:
            reached_ns = item.start_ns
    return reached_ns
