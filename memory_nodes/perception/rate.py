"""How often something comes, and how long ago it last did."""

from __future__ import annotations

from collections import deque

WINDOW = 30
"""Arrivals that are looked back on."""


class RateMeter:
    """Times are of a clock that never jumps, seconds."""

    def __init__(self, start_s: float) -> None:
        self._start_s = start_s
        self._arrivals_s: deque[float] = deque(maxlen=WINDOW)

    def note(self, now_s: float) -> None:
        """One has come."""
        self._arrivals_s.append(now_s)

    def age_s(self, now_s: float) -> float:
        """Since the last one; since the start where none has come."""
        return now_s - (self._arrivals_s[-1] if self._arrivals_s else self._start_s)

    def rate_hz(self, now_s: float) -> float:
        """Of the last ones; it falls as soon as the next one is overdue."""
        gaps = len(self._arrivals_s) - 1
        if gaps < 1:
            return 0.0
        mean_s = (self._arrivals_s[-1] - self._arrivals_s[0]) / gaps
        longest_s = max(mean_s, self.age_s(now_s))
        return 1.0 / longest_s if longest_s > 0.0 else 0.0
