"""Several rows, one commit: a stream of rows pays for few syncs to disk, none waits for long."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, TypeVar

from memory_nodes.errors import StoreBusy

Row = TypeVar("Row")
MAX_BATCH = 1000
"""Rows in one transaction at most, so that nothing waits long behind it."""
MAX_WAITING = 10_000

Commit = Callable[[Sequence[Row]], Sequence["str | Exception"]]
"""Writes rows and gives the id of each, or why it was refused; raises when none was written."""


@dataclass(frozen=True)
class _Waiting(Generic[Row]):
    row: Row
    future: Future[str]
    since_s: float


class GroupCommit(Generic[Row]):
    """Commits rows in a thread of its own, in the order in which they came.

    A commit begins when ``batch_size`` rows wait, when the oldest has waited ``max_delay_s`` or
    when somebody flushes, and takes along whatever waits by then.
    """

    def __init__(self, commit: Commit[Row], batch_size: int, max_delay_s: float) -> None:
        self._commit = commit
        self._batch_size = batch_size
        self._max_delay_s = max_delay_s
        self._waiting: deque[_Waiting[Row]] = deque()
        self._last: Future[str] | None = None
        """Of the row that came last: when it is settled all before it are."""
        self._urgent = 0
        """How many of the rows that wait are to be committed at once."""
        self._closing = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="group-commit", daemon=True)
        self._thread.start()

    def submit(self, row: Row, *, at_once: bool = False) -> Future[str]:
        """The id of the row, once it is durable. Raises StoreBusy when too many wait.

        The future cannot be cancelled: what was taken in is written. What is called when it is
        done runs in the thread that commits, and must not wait for another row.
        """
        future: Future[str] = Future()
        future.set_running_or_notify_cancel()
        with self._changed:
            if self._closing:
                raise StoreBusy("the memory is being closed: open it again to add to it")
            if len(self._waiting) >= MAX_WAITING:
                raise StoreBusy(f"{MAX_WAITING} rows wait to be written: send fewer, or later")
            self._waiting.append(_Waiting(row, future, time.monotonic()))
            self._last = future
            if at_once:
                self._urgent = len(self._waiting)
            if at_once or len(self._waiting) in (1, self._batch_size):
                self._changed.notify_all()
        return future

    def flush(self) -> None:
        """Returns when all that was submitted before has been committed or refused."""
        with self._changed:
            last = self._last
            self._urgent = len(self._waiting)
            self._changed.notify_all()
        if last is not None:
            last.exception()

    def close(self) -> None:
        """Commits what waits, then ends."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while batch := self._next_batch():
            self._settle(batch)

    def _next_batch(self) -> list[_Waiting[Row]]:
        """Waits until a commit is due; empty when it is closed and nothing waits."""
        with self._changed:
            while not self._is_due():
                if self._closing and not self._waiting:
                    return []
                self._changed.wait(self._until_due_s())
            size = min(len(self._waiting), MAX_BATCH)
            batch = [self._waiting.popleft() for _ in range(size)]
            self._urgent = max(0, self._urgent - size)
            return batch

    def _is_due(self) -> bool:
        waiting = len(self._waiting)
        if waiting == 0:
            return False
        return (
            waiting >= self._batch_size
            or self._urgent > 0
            or self._closing
            or self._until_due_s() == 0.0
        )

    def _until_due_s(self) -> float | None:
        if not self._waiting:
            return None
        return max(0.0, self._waiting[0].since_s + self._max_delay_s - time.monotonic())

    def _settle(self, batch: Sequence[_Waiting[Row]]) -> None:
        try:
            outcomes = self._commit([waiting.row for waiting in batch])
        except Exception as error:  # noqa: BLE001 - whatever it is, it is its caller's to handle
            outcomes = [error] * len(batch)
        for waiting, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, Exception):
                waiting.future.set_exception(outcome)
            else:
                waiting.future.set_result(outcome)
