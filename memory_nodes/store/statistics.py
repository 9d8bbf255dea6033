"""How large a memory is, and what it spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memory_nodes.records import Counts
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.reader import Reader


@dataclass(frozen=True)
class Statistics:
    """Of a whole memory; stamps are 0 while it has no keyframe."""

    counts: Counts
    disk_bytes: int
    first_stamp_ns: int
    last_stamp_ns: int
    map_ids: tuple[str, ...]


def statistics(reader: Reader, memory_dir: Path) -> Statistics:
    """Raises StoreMissing while there is no memory."""
    first_ns, last_ns, map_ids = reader.span()
    return Statistics(
        counts=reader.counts(),
        disk_bytes=sum(disk_use(memory_dir).values()),
        first_stamp_ns=first_ns,
        last_stamp_ns=last_ns,
        map_ids=map_ids,
    )


def disk_use(memory_dir: Path) -> Mapping[str, int]:
    """Bytes of each directory and file in a memory, by its name; a file without its suffixes."""
    used: Counter[str] = Counter()
    for path in memory_dir.rglob("*"):
        top = path.relative_to(memory_dir).parts[0]
        used[top.partition(".")[0]] += _size_bytes(path)
    return used


def database_bytes(memory_dir: Path) -> int:
    """Of the database and what waits beside it to come into it; without pictures and indices."""
    return sum(map(_size_bytes, memory_dir.glob(f"{DATABASE_NAME}*")))


def _size_bytes(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except FileNotFoundError:  # half-written images are renamed meanwhile
        return 0
