"""When the goals of an action begin and end, told from what its server says of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from memory_nodes.episodic.layers.wording import GOAL_ENDED, GOAL_STARTED, goal_id_of

LOST = "lost"
"""How a goal ends that its server does not know any more."""
GONE = "lost, its server is gone"
UNTOLD = (LOST, GONE)
"""Outcomes that no server has told."""


@dataclass(frozen=True)
class GoalChange:
    """A goal has begun, or has ended."""

    goal_id: str
    outcome: str = ""
    """Empty: it has begun."""


class GoalWatch:
    """Compares each status message of one action with the one before.

    A goal that had ended before the first message is no news. A server that died says nothing more
    of its goals, nor does the one that is started in its place: they are lost once nobody who
    published at the last message has been there for ``silence_s``.
    """

    def __init__(self, silence_s: float) -> None:
        self._silence_s = silence_s
        self._active: set[str] = set()
        self._servers: frozenset[bytes] = frozenset()
        """Who published at the last message."""
        self._gone_since_s: float | None = None

    def changes(
        self, status_list: Iterable[Any], servers: frozenset[bytes]
    ) -> Iterator[GoalChange]:
        """What is new in the list of an action_msgs/GoalStatusArray, and who publishes these."""
        self._servers = servers
        statuses = {goal_id_of(item): int(item.status) for item in status_list}
        for goal_id in sorted(self._active - statuses.keys()):
            self._active.discard(goal_id)
            yield GoalChange(goal_id, LOST)
        for goal_id, status in statuses.items():
            if status in GOAL_ENDED and goal_id in self._active:
                self._active.discard(goal_id)
                yield GoalChange(goal_id, GOAL_ENDED[status])
            elif status in GOAL_STARTED and goal_id not in self._active:
                self._active.add(goal_id)
                yield GoalChange(goal_id)

    def gone(self, servers: frozenset[bytes], now_s: float) -> list[GoalChange]:
        """The goals that are lost, given who publishes now; to be called all the time."""
        if not self._servers:
            self._servers = servers  # a message may come before word of who sent it
        if not self._active or servers & self._servers:
            self._gone_since_s = None
        elif self._gone_since_s is None:
            self._gone_since_s = now_s
        elif now_s - self._gone_since_s >= self._silence_s:
            lost, self._active = sorted(self._active), set()
            return [GoalChange(goal_id, GONE) for goal_id in lost]
        return []
