"""Ctrl-C and SIGTERM, raised where it is safe."""

from __future__ import annotations

import signal
from types import FrameType


class Interrupts:
    """Remembers the first signal until `check`; a second one is raised at once.

    An exception that a signal handler raises inside a call of rclpy comes out as another one.
    """

    def __init__(self) -> None:
        self._came = False
        for number in (signal.SIGINT, signal.SIGTERM):
            # Also in the background of a script, where SIGINT is ignored at first.
            signal.signal(number, self._on_signal)

    def check(self) -> None:
        """Raises KeyboardInterrupt when a signal has come."""
        if self._came:
            raise KeyboardInterrupt

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._came = True
        signal.signal(number, signal.default_int_handler)
