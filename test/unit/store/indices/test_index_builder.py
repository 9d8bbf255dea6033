"""The builder takes everything in, and tells what stopped it."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from memory_nodes.errors import StoreError
from memory_nodes.store.indices.index_builder import IndexBuilder
from memory_nodes.store.indices.vector_config import VectorConfig
from memory_nodes.store.indices.vector_index import BUILD_STEP, VectorIndex
from memory_test_support.vectors import clustered

D = 16
DEADLINE_S = 30.0
CONFIG = VectorConfig(exact_below=0)


class _Built:
    """Counts how often the tail became empty, and waits for it."""

    def __init__(self) -> None:
        self._times = threading.Semaphore(0)

    def __call__(self) -> None:
        self._times.release()

    def wait(self) -> None:
        assert self._times.acquire(timeout=DEADLINE_S)


def _index(count: int) -> VectorIndex:
    index = VectorIndex(D, CONFIG)
    index.add(np.arange(1, count + 1), clustered(count, D))
    return index


def test_tail_that_is_there_at_the_start_is_taken_in() -> None:
    index, built = _index(500), _Built()
    builder = IndexBuilder(index, built)
    assert builder.progress == (0, 500)
    builder.start()
    built.wait()
    assert (index.tail_size, builder.progress) == (0, (500, 500))
    builder.stop()


def test_what_is_added_later_is_taken_in_after_wake() -> None:
    index, built = _index(10), _Built()
    builder = IndexBuilder(index, built)
    builder.start()
    built.wait()
    for turn in range(1, 6):
        index.add(np.arange(1, 101) + 100 * turn, clustered(100, D, seed=turn))
        assert index.tail_size == 100
        builder.wake()
        built.wait()
        assert index.tail_size == 0
    builder.stop()


def test_index_is_compacted_and_built_anew_when_too_much_is_dead() -> None:
    index, built = _index(300), _Built()
    builder = IndexBuilder(index, built)
    builder.start()
    built.wait()
    index.remove(range(1, 201))
    builder.wake()
    built.wait()
    assert sorted(index.links().labels.tolist()) == list(range(201, 301))
    builder.stop()


def test_searches_go_on_while_it_works() -> None:
    index, built = _index(2000), _Built()
    vectors = clustered(2000, D)
    builder = IndexBuilder(index, built)
    builder.start()
    for key in range(1, 2001, 20):
        assert index.search(vectors[key - 1], 1, ef=200)[0].tolist() == [key]
    built.wait()
    builder.stop()


def test_stop_ends_it_after_the_step_that_it_is_in(monkeypatch: pytest.MonkeyPatch) -> None:
    index, in_step = _index(10 * BUILD_STEP), threading.Event()
    take_in, builder = index.take_in, IndexBuilder(index)

    def held(limit: int) -> int:
        taken = take_in(limit)
        in_step.set()
        with builder._changed:
            assert builder._changed.wait_for(lambda: builder._is_stopping, DEADLINE_S)
        return taken

    monkeypatch.setattr(index, "take_in", held)
    builder.start()
    assert in_step.wait(DEADLINE_S)
    builder.stop()
    assert index.tail_size == 9 * BUILD_STEP


def test_stop_while_it_waits_and_stop_again_and_stop_before_start() -> None:
    built = _Built()
    builder = IndexBuilder(_index(3), built)
    builder.start()
    built.wait()
    builder.stop()
    builder.stop()
    assert builder.failure is None
    IndexBuilder(_index(3)).stop()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_ends_the_thread_is_kept_and_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    index, ended = _index(3), threading.Event()

    def broken(limit: int) -> int:
        raise RuntimeError("no memory")

    monkeypatch.setattr(index, "take_in", broken)
    monkeypatch.setattr(threading, "excepthook", lambda _: ended.set())
    builder = IndexBuilder(index)
    builder.start()
    assert ended.wait(DEADLINE_S)
    assert str(builder.failure) == "no memory"
    with pytest.raises(StoreError, match="no memory"):
        builder.stop()
    assert index.search(clustered(3, D)[1], 1)[0].tolist() == [2]
