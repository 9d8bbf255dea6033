"""A row is committed when its batch is full, when it has waited long enough, or on demand."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future

import pytest

from memory_nodes.errors import InputError, StoreBusy, StoreError
from memory_nodes.store import group_commit
from memory_nodes.store.group_commit import GroupCommit

DEADLINE_S = 30.0
NEVER_S = 3600.0
"""A delay that no test reaches."""
Making = Callable[..., GroupCommit[str]]


class _Disk:
    """Keeps the batches that were committed; a closed gate holds a commit up."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Semaphore(0)

    def commit(self, rows: Sequence[str]) -> Sequence[str | Exception]:
        self.entered.release()
        assert self.gate.wait(DEADLINE_S)
        self.batches.append(list(rows))
        if "full disk" in rows:
            raise StoreError("the disk is full")
        return [InputError(row) if row == "bad" else f"id of {row}" for row in rows]

    def hold(self, group: GroupCommit[str]) -> Future[str]:
        """Until the gate is set the thread is busy with one row."""
        self.gate.clear()
        first = group.submit("first", at_once=True)
        assert self.entered.acquire(timeout=DEADLINE_S)
        return first


@pytest.fixture
def disk() -> _Disk:
    return _Disk()


@pytest.fixture
def made(disk: _Disk) -> Iterator[Making]:
    groups: list[GroupCommit[str]] = []

    def make(batch_size: int = 1000, max_delay_s: float = NEVER_S) -> GroupCommit[str]:
        groups.append(GroupCommit(disk.commit, batch_size, max_delay_s))
        return groups[-1]

    yield make
    disk.gate.set()
    for group in groups:
        group.close()


def _results(futures: Sequence[Future[str]]) -> list[str]:
    return [future.result(DEADLINE_S) for future in futures]


def test_full_batch_is_committed_together(disk: _Disk, made: Making) -> None:
    group = made(batch_size=3)
    assert _results([group.submit(row) for row in "abc"]) == ["id of a", "id of b", "id of c"]
    assert disk.batches == [["a", "b", "c"]]


def test_smaller_batch_waits(disk: _Disk, made: Making) -> None:
    group = made(batch_size=3)
    waiting = [group.submit(row) for row in "ab"]
    assert not disk.entered.acquire(timeout=0.05)
    assert not any(future.done() for future in waiting)


def test_delay_commits_without_another_row(disk: _Disk, made: Making) -> None:
    group = made(max_delay_s=0.05)
    assert group.submit("alone").result(DEADLINE_S) == "id of alone"
    assert disk.batches == [["alone"]]


def test_delay_is_that_of_the_oldest_row_also_behind_a_large_batch(
    disk: _Disk, made: Making, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one transaction leaves over has waited already."""
    now_s = [100.0]
    monkeypatch.setattr(group_commit, "MAX_BATCH", 2)
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    group = made(batch_size=2, max_delay_s=NEVER_S)
    disk.hold(group)
    waiting = [group.submit(row) for row in "abc"]
    now_s[0] += NEVER_S
    disk.gate.set()
    assert _results(waiting) == ["id of a", "id of b", "id of c"]
    assert disk.batches == [["first"], ["a", "b"], ["c"]]


def test_row_that_must_go_at_once_takes_those_before_it_along(disk: _Disk, made: Making) -> None:
    group = made()
    before = group.submit("before")
    assert group.submit("now", at_once=True).result(DEADLINE_S) == "id of now"
    assert before.done()
    assert disk.batches == [["before", "now"]]


def test_rows_keep_their_order_while_the_disk_is_slow(disk: _Disk, made: Making) -> None:
    group = made(batch_size=1)
    disk.hold(group)
    rows = [f"row {number}" for number in range(50)]
    futures = [group.submit(row) for row in rows]
    disk.gate.set()
    _results(futures)
    assert [row for batch in disk.batches for row in batch] == ["first", *rows]


def test_failing_batch_fails_its_own_rows_only(disk: _Disk, made: Making) -> None:
    group = made(batch_size=2)
    failing = [group.submit(row) for row in ("a", "full disk")]
    for future in failing:
        with pytest.raises(StoreError, match="the disk is full"):
            future.result(DEADLINE_S)
    assert _results([group.submit(row) for row in "cd"]) == ["id of c", "id of d"]


def test_refused_row_leaves_its_neighbours(disk: _Disk, made: Making) -> None:
    group = made(batch_size=3)
    first, bad, last = [group.submit(row) for row in ("a", "bad", "c")]
    assert _results([first, last]) == ["id of a", "id of c"]
    with pytest.raises(InputError, match="bad"):
        bad.result(DEADLINE_S)


def test_flush_commits_what_waits(disk: _Disk, made: Making) -> None:
    group = made()
    waiting = [group.submit(row) for row in "ab"]
    group.flush()
    assert all(future.done() for future in waiting)
    assert disk.batches == [["a", "b"]]


def test_flush_waits_for_the_commit_that_is_under_way(disk: _Disk, made: Making) -> None:
    group, has_flushed = made(), threading.Event()
    first = disk.hold(group)

    def flush() -> None:
        group.flush()
        has_flushed.set()

    flushing = threading.Thread(target=flush)
    flushing.start()
    assert not has_flushed.wait(0.05)
    disk.gate.set()
    flushing.join(DEADLINE_S)
    assert has_flushed.is_set()
    assert first.done()


def test_flush_of_nothing_and_of_a_failed_batch_returns(made: Making) -> None:
    group = made()
    group.flush()
    failed = group.submit("full disk")
    group.flush()
    assert isinstance(failed.exception(), StoreError)


def test_row_that_was_taken_in_cannot_be_cancelled(disk: _Disk, made: Making) -> None:
    """As asyncio does with what it waits for in vain; the rows behind it must not suffer."""
    group = made(batch_size=2)
    first = group.submit("a")
    assert not first.cancel()
    assert _results([first, group.submit("b")]) == ["id of a", "id of b"]


def test_close_commits_what_waits(disk: _Disk, made: Making) -> None:
    group = made()
    waiting = [group.submit(row) for row in "ab"]
    group.close()
    assert [future.done() for future in waiting] == [True, True]
    assert disk.batches == [["a", "b"]]


def test_nothing_is_taken_in_after_close(made: Making) -> None:
    group = made()
    group.close()
    with pytest.raises(StoreBusy, match="open it again"):
        group.submit("late")


def test_more_than_the_limit_is_refused_and_the_rest_kept(
    disk: _Disk, made: Making, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_commit, "MAX_WAITING", 2)
    group = made()
    disk.hold(group)
    waiting = [group.submit(row) for row in "ab"]
    with pytest.raises(StoreBusy, match="2 rows wait"):
        group.submit("c")
    disk.gate.set()
    group.flush()
    assert _results(waiting) == ["id of a", "id of b"]
