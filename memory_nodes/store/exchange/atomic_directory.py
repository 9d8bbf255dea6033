"""Files and directories that appear whole and durable under their name, or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_nodes.errors import InputError, StoreError

PARTIAL_SUFFIX = ".partial"


@contextmanager
def new_directory(target: Path) -> Iterator[Path]:
    """An empty directory to fill, which is ``target`` once the block has ended well.

    An empty directory in its place is replaced. Raises InputError where there is anything else,
    and StoreError where it cannot be written; then nothing is left of it.
    """
    if os.path.lexists(target) and not _is_empty_directory(target):
        raise InputError(f"{target} is there already: give a directory that is new or empty")
    with _partial(target) as partial:
        partial.mkdir()
        yield partial


@contextmanager
def new_file(target: Path) -> Iterator[Path]:
    """A path to write to, which is ``target`` once the block has ended well; errors as above."""
    if os.path.lexists(target):
        raise InputError(f"{target} is there already: give a new name")
    with _partial(target) as partial:
        yield partial


@contextmanager
def _partial(target: Path) -> Iterator[Path]:
    """A path beside the target, which takes the target's name when all of it is on disk."""
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}{PARTIAL_SUFFIX}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield partial
        _sync_tree(partial)
        partial.replace(target)
        _sync(target.parent)
    except OSError as error:
        raise StoreError(
            f"cannot write {target}: {error}; check that its disk is writable and not full"
        ) from error
    finally:
        discard(partial)


def discard(path: Path) -> None:
    """Deletes a file, or a directory with all that is in it; nothing where there is none."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _is_empty_directory(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink() and next(path.iterdir(), None) is None


def _sync_tree(top: Path) -> None:
    for path in [top, *top.rglob("*")]:
        _sync(path)


def _sync(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
