"""What agents did for the newest questions, as files of the memory until something is forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memory_nodes.errors import StoreError

TRACES_DIR = "traces"


@dataclass(frozen=True)
class TraceFiles:
    """At most ``keep`` traces, the oldest make room; none with 0."""

    memory_dir: Path
    keep: int

    def reserve(self, now_ns: int, name: str) -> Path:
        """An empty file, before the question is asked: where it is gone when the answer is there,
        something was forgotten meanwhile, and ``fill`` leaves it so.

        Raises StoreError where it cannot be written.
        """
        directory = self.memory_dir / TRACES_DIR
        try:
            directory.mkdir(parents=True, exist_ok=True)
            path = _free(directory, f"{now_ns:020d}_{name}")
            for old in sorted(directory.glob("*.json"))[: -self.keep]:
                old.unlink(missing_ok=True)
        except OSError as error:
            raise _unwritable(directory, error) from error
        return path

    def fill(self, path: Path, text: str) -> None:
        """Raises StoreError where it cannot be written."""
        try:
            with path.open("r+", encoding="utf-8") as file:
                file.write(text)
        except FileNotFoundError:
            return
        except OSError as error:
            raise _unwritable(path, error) from error


def delete_all(memory_dir: Path) -> None:
    """Raises OSError."""
    for path in (memory_dir / TRACES_DIR).glob("*.json"):
        path.unlink(missing_ok=True)


def _free(directory: Path, stem: str) -> Path:
    number = 0
    while True:
        path = directory / f"{stem}_{number}.json"
        try:
            path.touch(0o600, exist_ok=False)
        except FileExistsError:
            number += 1
        else:
            return path


def _unwritable(path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"cannot write {path}: {error}; make room on the disk, or set keep_traces to 0"
    )
