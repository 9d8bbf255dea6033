"""The word that ends a drive."""

from __future__ import annotations

from rclpy.task import Future

from memory_nodes.navigation.outcomes import Cause, Ending


class Stop:
    """Tells a drive to end, and why. Only the first reason counts."""

    def __init__(self) -> None:
        self.reason: Cause | None = None
        self.asked: Future[None] = Future()

    def ask(self, reason: Cause) -> None:
        if self.reason is None:
            self.reason = reason
            self.asked.set_result(None)

    def ending(self) -> Ending:
        """To be asked for only once there is a reason."""
        assert self.reason is not None
        return Ending.of(self.reason)
