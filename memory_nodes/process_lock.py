"""One process at a time: a lock that a crash lets go of."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import TextIO

from memory_nodes.errors import StoreLocked


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
