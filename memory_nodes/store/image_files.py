"""Where the images of keyframes lie, and how they get into another directory."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from memory_nodes.errors import InputError
from memory_nodes.perception.recorder import IMAGES_DIR
from memory_nodes.store.forgetting import image_erasure

Transfer = Callable[[Path, Path], object]
"""Makes the second path a file with the content of the first."""


def image_file(root: Path, image_path: str) -> Path:
    """The file of an image of a memory or an export; it need not be there.

    Raises InputError unless the path is plain, relative, below images/ and leads over no link:
    paths come from messages and from files.
    """
    path = image_erasure.image_file(root, image_path)
    if path is not None and path.relative_to(root).as_posix() == image_path:
        return path
    raise InputError(f"image path {image_path!r} is not a plain one below {IMAGES_DIR}/")


def image_paths(connection: sqlite3.Connection) -> Iterator[str]:
    """The paths of all keyframes of a memory that still have an image, each once."""
    query = "SELECT DISTINCT image_path FROM keyframe WHERE image_path != ''"
    for row in connection.execute(query):
        yield row[0]


def shareable_image_paths(connection: sqlite3.Connection) -> Iterator[str]:
    """Without those on which something that was forgotten still shows."""
    for row in connection.execute(
        "SELECT image_path FROM keyframe WHERE image_path != ''"
        " EXCEPT SELECT image_path FROM image_erasure"
    ):
        yield row[0]


def transfer_images(
    paths: Iterable[str], source_dir: Path, target_dir: Path, transfer: Transfer
) -> tuple[int, int]:
    """Brings images along; how many came, and how many are not there."""
    brought = missing = 0
    for image_path in paths:
        if transfer_image(source_dir, target_dir, image_path, transfer):
            brought += 1
        else:
            missing += 1
    return brought, missing


def transfer_image(source_dir: Path, target_dir: Path, image_path: str, transfer: Transfer) -> bool:
    """Whether the image is now in the target; False where the source has none at a sound path."""
    try:
        source = image_file(source_dir, image_path)
    except InputError:
        return False
    target = target_dir / image_path
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        transfer(source, target)
    except (FileNotFoundError, IsADirectoryError):
        return False
    return True


def link_or_copy(source: Path, target: Path) -> None:
    """A link takes no space and no time; where the file system has none, a copy.

    Safe for images of a memory: they are replaced, never written in place.
    """
    try:
        os.link(source, target, follow_symlinks=False)
    except FileNotFoundError:
        raise
    except OSError:  # another file system, or one without links
        copy(source, target)


def copy(source: Path, target: Path) -> None:
    """For what people may open and change."""
    shutil.copyfile(source, target)
