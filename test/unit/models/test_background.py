"""Work beside a program that does not wait for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError

import pytest

from memory_nodes.models.background import BackgroundLoop

SOON_S = 10.0


@pytest.fixture
def loop() -> Iterator[BackgroundLoop]:
    running = BackgroundLoop("test_models")
    yield running
    running.close()


async def _for_ever(has_begun: threading.Event, was_cancelled: threading.Event) -> None:
    has_begun.set()
    try:
        await asyncio.Future()
    except asyncio.CancelledError:
        was_cancelled.set()
        raise


def test_work_gives_its_result(loop: BackgroundLoop) -> None:
    async def name() -> str:
        return threading.current_thread().name

    assert loop.start(name()).result(SOON_S) == "test_models"


def test_error_of_the_work_is_that_of_its_future(loop: BackgroundLoop) -> None:
    async def fail() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        loop.start(fail()).result(SOON_S)


def test_cancelled_future_cancels_its_work(loop: BackgroundLoop) -> None:
    has_begun, was_cancelled = threading.Event(), threading.Event()
    future = loop.start(_for_ever(has_begun, was_cancelled))
    assert has_begun.wait(SOON_S)
    future.cancel()
    assert was_cancelled.wait(SOON_S)


def test_close_cancels_what_runs_and_ends_the_thread() -> None:
    loop = BackgroundLoop("to be closed")
    has_begun, was_cancelled = threading.Event(), threading.Event()
    future = loop.start(_for_ever(has_begun, was_cancelled))
    assert has_begun.wait(SOON_S)
    loop.close()
    assert was_cancelled.is_set()
    with pytest.raises(CancelledError):
        future.result(SOON_S)
    assert "to be closed" not in {thread.name for thread in threading.enumerate()}


def test_close_twice_is_close(loop: BackgroundLoop) -> None:
    loop.close()
    loop.close()
