"""One process at a time: a lock that a crash lets go of."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import TextIO

from memory_nodes.errors import StoreLocked

_LOCKS = Path("/proc/locks")


def hold(path: Path) -> TextIO:
    """Takes a lock for as long as the file that is given stays open.

    Raises StoreLocked with the holder's process id when another process has it.
    """
    file = path.open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        holder = file.read().strip() or "unknown"
        file.close()
        raise StoreLocked(
            f"process {holder} holds {path.name} in {path.parent}: stop it, or give another "
            "memory directory"
        ) from None
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    return file


def holder(path: Path) -> str | None:
    """The process id in a lock that is held; None where it is free, or the system does not tell.

    Taking the lock to find out would turn away a process that starts at that moment.
    """
    try:
        inode = path.stat().st_ino
        locks = _LOCKS.read_text(encoding="ascii")
        process_id = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    # "1: FLOCK  ADVISORY  WRITE 4711 08:01:123456 0 EOF", the inode behind the device
    entries = [line.split() for line in locks.splitlines()]
    is_held = any(
        "FLOCK" in entry and field.rpartition(":")[2] == str(inode)
        for entry in entries
        for field in entry
        if field.count(":") == 2
    )
    return (process_id or "unknown") if is_held else None
