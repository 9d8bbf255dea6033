"""Many readers or one writer at a time, and a reader that waits goes before every writer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class ReadersFirstLock:
    """A readers-writer lock with preference for readers; not reentrant.

    A plain lock is unfair: a thread that works in small steps and takes the lock again at once
    mostly wins against the thread it has just woken, which then waits for many steps. Here the
    writer sees that a reader waits, and lets it go first: a reader waits for one step at most.
    Readers that overlap without end would keep a writer out, so each must be short.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._reading = 0
        self._waiting_readers = 0
        self._is_writing = False

    @contextmanager
    def read(self) -> Iterator[None]:
        """Held by any number of threads together."""
        with self._changed:
            self._waiting_readers += 1
            try:
                self._changed.wait_for(lambda: not self._is_writing)
            finally:
                self._waiting_readers -= 1
            self._reading += 1
        try:
            yield
        finally:
            with self._changed:
                self._reading -= 1
                self._changed.notify_all()

    @contextmanager
    def write(self) -> Iterator[None]:
        """Held by one thread alone, once no reader reads or waits."""
        with self._changed:
            self._changed.wait_for(self._is_free)
            self._is_writing = True
        try:
            yield
        finally:
            with self._changed:
                self._is_writing = False
                self._changed.notify_all()

    def _is_free(self) -> bool:
        return not (self._is_writing or self._reading or self._waiting_readers)
