"""A second copy of a memory, made while it is written."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from memory_nodes.errors import StoreError
from memory_nodes.store.database import DATABASE_NAME, snapshot
from memory_nodes.store.exchange.atomic_directory import new_directory
from memory_nodes.store.image_files import image_paths, link_or_copy, transfer_images

PAGES_PER_STEP = 1000
"""About 4 MB; between steps whoever else is in this process gets on."""


@dataclass(frozen=True)
class Backup:
    """A memory like any other."""

    path: Path
    images: int
    missing_images: int
    """Keyframes whose image was not there to be backed up."""


def backup(memory_dir: Path, target_dir: Path) -> Backup:
    """Copies the memory as it is now into a new directory, which appears when it is whole.

    All that was acknowledged before the call is in it, and nothing by half. The writer is never
    held up; what it writes meanwhile stays in its WAL file until the backup has ended. Images are
    linked where the file system allows it. Indices are left out, since they are made anew, and
    so is the spool, whose keyframes are not in the memory yet.

    Raises:
        InputError: the target is there already, and not an empty directory.
        StoreMissing: there is no memory.
        StoreError: it cannot be read, or the target not written.
    """
    with new_directory(target_dir) as partial, snapshot(memory_dir) as source:
        _copy_database(source, partial / DATABASE_NAME)
        images, missing = transfer_images(image_paths(source), memory_dir, partial, link_or_copy)
    return Backup(target_dir, images, missing)


def _copy_database(source: sqlite3.Connection, path: Path) -> None:
    """By SQLite's backup API, from a snapshot: commits of the writer do not start it again."""
    target = sqlite3.connect(path, isolation_level=None)
    try:
        # The directory is synced as a whole before it gets its name.
        target.execute("PRAGMA synchronous=OFF")
        source.backup(target, pages=PAGES_PER_STEP, sleep=0.0)
    except sqlite3.Error as error:
        raise StoreError(f"cannot back up to {path.parent}: {error}; is the disk full?") from error
    finally:
        target.close()
