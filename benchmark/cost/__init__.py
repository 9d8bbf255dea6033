"""What an hour of operation costs on disk, before and after archiving, and so what a year costs.

A robot works for a day in a synthetic house (`memory_test_support/working_day.py` says what is
assumed); it is consolidated and its history told without a language model, then all of it is
archived, and the images are dropped. Sizes are those of the pages of SQLite and of the files.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmark.cost.shares import FIXED, FREE, VECTORS, Shares
from benchmark.cost.working import Worker
from memory_nodes.store.retention import RetentionConfig
from memory_test_support.house import House, family_house, store_rooms
from memory_test_support.working_day import QUARTERS_PER_HOUR

HOURS = 8.0
"""Of work, on each day of a year."""
DAYS = 365
STORED = 564
"""As many as make a round of 96 keyframes: about as long as that of the family's house."""
HOUSES: Mapping[str, Callable[[], House]] = {
    "family": family_house,
    "store": lambda: store_rooms(STORED),
}
IMAGE_DAYS = 30
_DAY_S = 86_400.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hours", type=float, default=HOURS, help="how long the robot works")
    parser.add_argument(
        "--house",
        choices=tuple(HOUSES),
        default="family",
        help="family: rooms with two things in a picture; store: with eleven",
    )


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """What each key means:

    rows_per_hour: of the items that can be counted.
    whole, archived: bytes per hour of each item and part, before and after archiving.
    fixed_bytes: of tables that do not grow.
    free_bytes: of pages that archiving gave back; they are written anew before the file grows.
    image_bytes_per_hour: of pictures of 540 x 360 px.
    image_bytes_kept: of those that stay, each the newest of an object.
    index_bytes: of the caches of searches, in all.
    spool_bytes: in all.
    year_mb: see ``_year_mb``.
    """
    quarters = max(1, round(arguments.hours * QUARTERS_PER_HOUR))
    hours = quarters / QUARTERS_PER_HOUR
    with tempfile.TemporaryDirectory() as directory:
        worker = Worker(Path(directory))
        try:
            worker.work(HOUSES[arguments.house](), quarters)
            rows, files = worker.rows(), worker.file_bytes()
            whole = worker.shares()
            worker.archive()
            archived, archived_files = worker.shares(), worker.file_bytes()
            worker.drop_images()
            kept_bytes = worker.file_bytes()["images"]
        finally:
            worker.close()
    hourly = {"whole": _per_hour(whole, hours), "archived": _per_hour(archived, hours)}
    return {
        "hours": hours,
        "rows_per_hour": {name: round(count / hours, 1) for name, count in rows.items()},
        **hourly,
        "fixed_bytes": round(archived[FIXED]["rows"]),
        "free_bytes": round(archived[FREE]["rows"]),
        "image_bytes_per_hour": round(files["images"] / hours),
        "image_bytes_kept": kept_bytes,
        "index_bytes": {"whole": files["index"], "archived": archived_files["index"]},
        "spool_bytes": files["spool"],
        "year_mb": _year_mb(hourly, files["images"] / hours, kept_bytes),
    }


def _per_hour(shares: Shares, hours: float) -> dict[str, dict[str, int]]:
    return {
        item: {part: round(size / hours) for part, size in parts.items()}
        for item, parts in shares.items()
        if item not in (FIXED, FREE)
    }


def _year_mb(
    hourly: Mapping[str, Mapping[str, Mapping[str, int]]], image_bytes: float, kept_bytes: int
) -> dict[str, int]:
    """After a year of such days, with archive_after_s as it is by default.

    All hours cost what is left after archiving, and those of the last days what they cost before.
    Images are all kept, as by default, or for IMAGE_DAYS.
    """
    whole_days = RetentionConfig().archive_after_s / _DAY_S
    sizes = {}
    for name, skipped in (("database", ()), ("database_without_vectors", (VECTORS,))):
        whole, archived = (_total(hourly[state], skipped) for state in ("whole", "archived"))
        sizes[name] = HOURS * (DAYS * archived + whole_days * (whole - archived))
    sizes["images"] = HOURS * DAYS * image_bytes
    sizes[f"images_of_{IMAGE_DAYS}_days"] = HOURS * IMAGE_DAYS * image_bytes + kept_bytes
    return {name: round(size / 1e6) for name, size in sizes.items()}


def _total(items: Mapping[str, Mapping[str, int]], skipped: tuple[str, ...]) -> int:
    return sum(
        size for parts in items.values() for part, size in parts.items() if part not in skipped
    )
