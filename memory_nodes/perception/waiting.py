"""Images that wait for the transform of their stamp."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from memory_nodes.errors import TransformError, TransformNotYet, TransformTooOld, TransformUnknown

Item = TypeVar("Item")
Ready = TypeVar("Ready")

_CAUSES: dict[type[TransformError], str] = {
    TransformNotYet: "dropped_transform_late",
    TransformTooOld: "dropped_transform_too_old",
    TransformUnknown: "dropped_frame_unknown",
}


@dataclass(frozen=True)
class _Waiting(Generic[Item]):
    item: Item
    since_s: float


class WaitingRoom(Generic[Item, Ready]):
    """Holds items in the order of their arrival until what they need can be gathered.

    Args:
        gather: gives what an item needs, or raises TransformError. Its second argument is True
            at the last call, when the item will be dropped for whatever is missing still.
        timeout_s: how long an item waits.
        capacity: how many wait; beyond that the oldest goes.
        counters: takes one count for each item dropped, by cause.
    """

    def __init__(
        self,
        gather: Callable[[Item, bool], Ready],
        timeout_s: float,
        capacity: int,
        counters: Counter[str],
    ) -> None:
        self._gather = gather
        self._timeout_s = timeout_s
        self._capacity = capacity
        self._counters = counters
        self._waiting: deque[_Waiting[Item]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def clear(self) -> None:
        """Sends everybody away: time has jumped back."""
        self._counters["dropped_time_jump"] += len(self._waiting)
        self._waiting.clear()

    def enter(self, item: Item, now_s: float) -> None:
        """Takes an item in; ``now_s`` is of a clock that never jumps."""
        if len(self._waiting) == self._capacity:
            self._waiting.popleft()
            self._counters["dropped_too_many_waiting"] += 1
        self._waiting.append(_Waiting(item, now_s))

    def leave(self, now_s: float) -> Iterator[Ready]:
        """Those whose turn has come. An item that still waits holds back those behind it."""
        while self._waiting:
            # Out first: an item that breaks the gathering must not hold back all others for ever.
            first = self._waiting.popleft()
            is_overdue = now_s - first.since_s >= self._timeout_s
            try:
                ready = self._gather(first.item, is_overdue)
            except TransformError as error:
                if not is_overdue and not isinstance(error, TransformTooOld):
                    self._waiting.appendleft(first)
                    return
                self._counters[_CAUSES[type(error)]] += 1
                continue
            yield ready
