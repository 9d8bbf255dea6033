"""What a benchmark has started ends with it, also when it is told to end."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import NoReturn


def exit_on_sigterm() -> None:
    """SIGTERM becomes an exception from now on, so that each with-block ends what it has begun."""
    signal.signal(signal.SIGTERM, _exit)


def _exit(signum: int, frame: FrameType | None) -> NoReturn:
    signal.signal(signum, signal.SIG_IGN)  # a second one must not cut the ending short
    sys.exit(128 + signum)
