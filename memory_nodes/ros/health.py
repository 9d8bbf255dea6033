"""What a node says of itself on /diagnostics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.impl.rcutils_logger import RcutilsLogger

from memory_nodes.suite import HARDWARE_ID

DROPPED = "dropped_"


class Health:
    """Counts what happened, and keeps what is wrong until it is over. May be used in threads."""

    def __init__(self, logger: RcutilsLogger) -> None:
        self._logger = logger
        self.counters: Counter[str] = Counter()
        """What happened, by name; names in `dropped_...` are losses."""
        self.gauges: dict[str, Callable[[], Mapping[str, object]]] = {}
        """What is the case right now, by what it is of; asked for each message."""
        self._troubles: dict[str, tuple[bytes, str]] = {}
        self._told: Counter[str] = Counter()

    def trouble(self, problem: str | None, about: str = "", is_error: bool = False) -> None:
        """What is wrong now about something; None when it is over.

        Args:
            about: problems about different things stand side by side.
            is_error: something is lost while it lasts, a warning otherwise.
        """
        if problem is None:
            self._troubles.pop(about, None)
            return
        level = DiagnosticStatus.ERROR if is_error else DiagnosticStatus.WARN
        is_news = self._troubles.get(about) != (level, problem)
        self._troubles[about] = (level, problem)
        if is_news and is_error:
            self._logger.error(problem)
        elif is_news:
            self._logger.warning(problem)

    def status(self, name: str) -> DiagnosticStatus:
        """The worst of what is wrong, all counters and gauges; losses since the last call warn."""
        self.trouble(self._losses(), DROPPED)
        troubles = sorted(self._troubles.copy().values(), reverse=True)
        values: dict[str, object] = dict(self.counters)
        for gauge in tuple(self.gauges.values()):
            values.update(gauge())
        return DiagnosticStatus(
            level=max((level for level, _ in troubles), default=DiagnosticStatus.OK),
            name=name,
            message="; ".join(problem for _, problem in troubles) or "ok",
            hardware_id=HARDWARE_ID,
            values=[KeyValue(key=key, value=str(values[key])) for key in sorted(values)],
        )

    def _losses(self) -> str | None:
        """The kinds of losses there were since the last message, without their numbers."""
        now = Counter({key: n for key, n in self.counters.items() if key.startswith(DROPPED)})
        new = sorted(key.removeprefix(DROPPED) for key in now - self._told)
        self._told = now
        return f"dropped: {', '.join(new)}" if new else None
