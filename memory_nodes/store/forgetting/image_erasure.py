"""Erases images, or boxes in them, once what they show is forgotten.

What is to be erased is written down with the commit that forgets, and done after it: a crash
between leaves it to the next start, neither rows without a picture nor a picture for ever.
"""

from __future__ import annotations

import io
import json
import math
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path, PurePosixPath

from PIL import Image, ImageDraw, UnidentifiedImageError

from memory_nodes.errors import ImageError, StoreError
from memory_nodes.perception.crops import with_margin
from memory_nodes.perception.images import write_durably
from memory_nodes.perception.recorder import IMAGES_DIR
from memory_nodes.perception.spool import SPOOL_NAME
from memory_nodes.records import Box
from memory_nodes.store.database import Database

GREY = (128, 128, 128)
JPEG_QUALITY = 95
"""Of an image that is written again: what is left of it should not suffer."""
PARTIAL = ".partial"
"""Ends the name of an image that is just being written."""


def note(connection: sqlite3.Connection, columns: str, values: Sequence[object]) -> None:
    """Writes down what is to be erased: the SELECT gives image_path and a box, or NULLs."""
    connection.execute(
        "INSERT INTO image_erasure (image_path, x0_px, y0_px, x1_px, y1_px)"
        f" SELECT DISTINCT {columns}",
        values,
    )


def last_key(connection: sqlite3.Connection) -> int:
    """Of what was written down last; 0 for nothing."""
    found = connection.execute("SELECT coalesce(max(erasure_key), 0) FROM image_erasure")
    return int(found.fetchone()[0])


def count(connection: sqlite3.Connection, after_key: int) -> int:
    """Images in what was written down after a key."""
    found = connection.execute(
        "SELECT count(DISTINCT image_path) FROM image_erasure WHERE erasure_key > ?", (after_key,)
    )
    return int(found.fetchone()[0])


def finish(database: Database) -> tuple[str, ...]:
    """Erases all that is written down; what could not be, and why. It is tried again next time."""
    boxes: dict[str, list[Box | None]] = defaultdict(list)
    with database.reading() as connection:
        for path, *corners in connection.execute(
            "SELECT image_path, x0_px, y0_px, x1_px, y1_px FROM image_erasure"
        ):
            is_box = None not in corners and all(map(math.isfinite, corners))
            boxes[path].append(Box(*corners) if is_box else None)
    done, problems = [], []
    for path, of_image in boxes.items():
        try:
            _erase(database.memory_dir, path, of_image)
        except (OSError, ImageError) as error:
            problems.append(f"{path} is not erased yet: {error}")
        else:
            done.append((path,))
    if done:
        with database.transaction() as connection:
            connection.executemany("DELETE FROM image_erasure WHERE image_path = ?", done)
    return tuple(problems)


def image_file(memory_dir: Path, image_path: str) -> Path | None:
    """Where an image of the memory is; None for a path that is none, or leads elsewhere.

    The path came from another process: ``..`` and symbolic links are not followed.
    """
    parts = PurePosixPath(image_path).parts
    if len(parts) < 2 or parts[0] != IMAGES_DIR or ".." in parts or "\0" in image_path:
        return None
    path = memory_dir
    for part in parts:
        path = path / part
        if path.is_symlink():
            return None
    return path


def orphan_images(connection: sqlite3.Connection, memory_dir: Path) -> list[Path]:
    """Images of the recorder that neither the memory nor the spool knows, sorted.

    One that is just being recorded is none. Raises StoreError where the spool cannot be read.
    """
    found = sorted(
        path
        for path in (memory_dir / IMAGES_DIR).rglob("*")
        if not path.is_symlink() and path.is_file() and path.name.split(".")[0].isdecimal()
    )
    # The spool first: a keyframe enters the memory before it leaves the spool.
    last_id, known = _spooled(memory_dir / SPOOL_NAME)
    known |= {row[0] for row in connection.execute("SELECT image_path FROM keyframe")}
    return [
        path
        for path in found
        if (last_id is None or int(path.name.split(".")[0]) <= last_id)
        and path.relative_to(memory_dir).as_posix() not in known
    ]


def _spooled(spool: Path) -> tuple[int | None, set[str]]:
    """The id that the spool gave last, and the images of the keyframes in it."""
    if not spool.is_file():
        return None, set()
    try:
        with closing(sqlite3.connect(f"{spool.absolute().as_uri()}?mode=ro", uri=True)) as opened:
            row = opened.execute(
                "SELECT seq FROM sqlite_sequence WHERE name = 'keyframe'"
            ).fetchone()
            waiting = opened.execute("SELECT keyframe FROM keyframe").fetchall()
    except sqlite3.Error as error:
        raise StoreError(f"cannot read {spool}: {error}; stop what records, then again") from error
    return (0 if row is None else int(row[0])), {
        json.loads(text)["image_path"] for (text,) in waiting
    }


def _erase(memory_dir: Path, image_path: str, boxes: Sequence[Box | None]) -> None:
    """Paints the boxes over, or deletes the image where one is None, or it cannot be painted on."""
    path = image_file(memory_dir, image_path)
    if path is None:
        return  # no image of this memory, whatever it is
    path.with_name(path.name + PARTIAL).unlink(missing_ok=True)
    painted = None
    if None not in boxes:
        try:
            painted = _painted(path.read_bytes(), [box for box in boxes if box is not None])
        except FileNotFoundError:
            return
    if painted is not None:
        write_durably(path, painted)
    else:
        path.unlink(missing_ok=True)


def _painted(data: bytes, boxes: Sequence[Box]) -> bytes | None:
    """The image in grey within the boxes; None where it is damaged."""
    try:
        image = Image.open(io.BytesIO(data), formats=("JPEG", "PNG")).convert("RGB")
    except (UnidentifiedImageError, OSError, SyntaxError, Image.DecompressionBombError):
        return None
    pen = ImageDraw.Draw(image)
    for box in boxes:
        x0, y0, x1, y1 = with_margin(box, 0.0, *image.size)
        pen.rectangle((x0, y0, x1 - 1, y1 - 1), fill=GREY)
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=JPEG_QUALITY)
    return buffer.getvalue()
