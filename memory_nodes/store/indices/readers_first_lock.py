"""Many readers or one writer at a time; a reader that waits goes before every writer."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager


class ReadersFirstLock:
    """A readers-writer lock with preference for readers; writers take turns. Not reentrant.

    A plain lock is unfair: a thread that works in small steps and takes the lock again at once
    mostly wins against the thread it has just woken, which then waits for many steps. Here it
    sees who waits: a reader goes first, another writer before it if it came before. So a reader
    waits for one step at most. Readers that overlap without end would keep writers out: each must
    be short.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._reading = 0
        self._waiting_readers = 0
        self._is_writing = False
        self._waiting_writers: deque[object] = deque()

    @contextmanager
    def read(self) -> Iterator[None]:
        """Held by any number of threads together."""
        with self._changed:
            self._waiting_readers += 1
            try:
                self._changed.wait_for(lambda: not self._is_writing)
                self._reading += 1
            finally:
                self._waiting_readers -= 1
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._reading -= 1
                self._changed.notify_all()

    @contextmanager
    def write(self) -> Iterator[None]:
        """Held by one thread alone, once no reader reads or waits."""
        turn = object()
        with self._changed:
            self._waiting_writers.append(turn)
            try:
                self._changed.wait_for(lambda: self._is_turn_of(turn))
                self._is_writing = True
            finally:  # also where a signal ends the wait: the others must not wait for it
                self._waiting_writers.remove(turn)
                self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._is_writing = False
                self._changed.notify_all()

    def _is_turn_of(self, writer: object) -> bool:
        is_taken = self._is_writing or self._reading or self._waiting_readers
        return self._waiting_writers[0] is writer and not is_taken
