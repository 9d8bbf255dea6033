"""Runs model calls beside a program that must not wait for them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

Result = TypeVar("Result")


class BackgroundLoop:
    """An asyncio event loop in a thread of its own."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def start(self, work: Coroutine[Any, Any, Result]) -> Future[Result]:
        """Starts a coroutine; its future may be cancelled from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Callable[[], Result]) -> Future[Result]:
        """Runs a function that takes time in a thread of its own."""
        return self.start(asyncio.to_thread(work))

    def close(self) -> None:
        """Cancels what runs and ends the thread."""
        if self._loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(_cancel_all(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _cancel_all() -> None:
    # Again and again: before Python 3.12 wait_for loses a cancellation that comes with its result.
    while others := asyncio.all_tasks() - {asyncio.current_task()}:
        for task in others:
            task.cancel()
        await asyncio.wait(others, timeout=0.1)
    await asyncio.get_running_loop().shutdown_default_executor()
