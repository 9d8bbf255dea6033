"""A query waits for one step of the builder, never for two."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import pytest

from memory_nodes.store.indices.readers_first_lock import ReadersFirstLock

DEADLINE_S = 30.0


def _started(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def _ended(*threads: threading.Thread) -> bool:
    for thread in threads:
        thread.join(DEADLINE_S)
    return not any(thread.is_alive() for thread in threads)


class _Announced(threading.Condition):
    """Tells of each thread that begins to wait, before it lets the others go on."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = threading.Semaphore(0)

    def wait(self, timeout: float | None = None) -> bool:
        self.waiting.release()
        return super().wait(timeout)


def test_readers_hold_it_together() -> None:
    lock, both = ReadersFirstLock(), threading.Barrier(2)

    def read() -> None:
        with lock.read():
            both.wait(DEADLINE_S)

    assert _ended(_started(read), _started(read))
    assert not both.broken


@pytest.mark.parametrize("kind", ["read", "write"])
def test_writer_that_goes_on_at_once_lets_whoever_waits_in_between(kind: str) -> None:
    lock, announced, seen = ReadersFirstLock(), _Announced(), list[str]()
    lock._changed = announced

    def enter() -> None:
        with lock.read() if kind == "read" else lock.write():
            seen.append("other")

    for _ in range(50):
        with lock.write():
            other = _started(enter)
            assert announced.waiting.acquire(timeout=DEADLINE_S)
            seen.append("first step")
        with lock.write():
            seen.append("second step")
        assert _ended(other)
        while announced.waiting.acquire(blocking=False):
            pass
    assert seen == ["first step", "other", "second step"] * 50


def test_reader_goes_before_a_writer_that_came_first() -> None:
    lock, announced, seen = ReadersFirstLock(), _Announced(), list[str]()
    lock._changed = announced

    def enter(kind: str) -> None:
        with lock.read() if kind == "read" else lock.write():
            seen.append(kind)

    for _ in range(50):
        with lock.write():
            threads = []
            for kind in ("write", "read"):
                threads.append(_started(partial(enter, kind)))
                assert announced.waiting.acquire(timeout=DEADLINE_S)
        assert _ended(*threads)
        while announced.waiting.acquire(blocking=False):
            pass
    assert seen == ["read", "write"] * 50


def test_writers_and_readers_exclude_each_other() -> None:
    lock, inside, wrong = ReadersFirstLock(), list[str](), list[list[str]]()

    def enter(kind: str) -> None:
        for _ in range(300):
            with lock.read() if kind == "read" else lock.write():
                inside.append(kind)
                now = list(inside)
                if "write" in now and len(now) > 1:
                    wrong.append(now)
                inside.remove(kind)

    threads = [_started(partial(enter, kind)) for kind in ("read", "write") * 2]
    assert _ended(*threads)
    assert wrong == []


@pytest.mark.parametrize("kind", ["read", "write"])
def test_error_while_it_is_held_lets_it_go(kind: str) -> None:
    lock = ReadersFirstLock()
    with pytest.raises(KeyError), getattr(lock, kind)():
        raise KeyError
    with lock.write():
        pass
