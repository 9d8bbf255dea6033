"""What time it is for a memory that no robot runs on just now."""

from __future__ import annotations

import time

from memory_nodes.dates import is_date
from memory_nodes.store.reader import Reader


class MemoryClock:
    """What time it is for a memory: never before its newest stamp; simulated time stands there."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def now_ns(self) -> int:
        """Raises StoreMissing while there is no memory."""
        _, newest_ns, _ = self._reader.span()
        return max(time.time_ns(), newest_ns) if is_date(newest_ns) else newest_ns
