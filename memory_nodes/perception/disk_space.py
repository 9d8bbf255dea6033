"""Stops recording before the disk is full."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

BYTES_PER_MB = 1_000_000


def free_bytes(directory: Path) -> int:
    """What an ordinary user may still write there."""
    return shutil.disk_usage(directory).free


def disk_figures(directory: Path) -> dict[str, object]:
    """For the diagnostics; nothing where the disk is gone."""
    try:
        return {"disk_free_mb": free_bytes(directory) // BYTES_PER_MB}
    except OSError:
        return {}


class DiskGuard:
    """Tells whether there is room on the disk of a directory."""

    def __init__(
        self, directory: Path, min_free_mb: int, measure: Callable[[Path], int] = free_bytes
    ) -> None:
        self._directory = directory
        self.min_free_mb = min_free_mb
        self._measure = measure

    def problem(self) -> str | None:
        """What a person must do for recording to go on; None while there is room."""
        try:
            free_mb = self._measure(self._directory) // BYTES_PER_MB
        except OSError as error:
            return f"recording has stopped: the disk of {self._directory} is gone: {error}"
        if free_mb >= self.min_free_mb:
            return None
        return (
            f"recording has stopped: {free_mb} MB are free on the disk of {self._directory}, "
            f"min_free_mb is {self.min_free_mb}; free some space"
        )
