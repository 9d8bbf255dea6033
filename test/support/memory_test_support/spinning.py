"""Waiting for a condition while nodes are served; never for a time."""

from __future__ import annotations

import time
from collections.abc import Callable

from rclpy.executors import Executor


def spin_until(
    executor: Executor, condition: Callable[[], bool], what: str, timeout_s: float = 10.0
) -> None:
    """Serves callbacks until the condition holds. Raises: TimeoutError that says for what."""
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline_s:
            raise TimeoutError(f"{what}: not within {timeout_s:g} s")
        executor.spin_once(timeout_sec=0.05)
