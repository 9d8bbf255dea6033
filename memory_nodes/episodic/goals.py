"""When the goals of an action begin and end, told from what its server says of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from memory_nodes.episodic.layers.wording import GOAL_ENDED, GOAL_STARTED, goal_id_of

LOST = "lost"
"""How a goal ends that its server does not know any more."""


@dataclass(frozen=True)
class GoalChange:
    """A goal has begun, or has ended."""

    goal_id: str
    outcome: str = ""
    """Empty: it has begun."""


class GoalWatch:
    """Compares each status message of one action with the one before.

    A goal that had ended before the first message is no news.
    """

    def __init__(self) -> None:
        self._active: set[str] = set()

    def changes(self, status_list: Iterable[Any]) -> Iterator[GoalChange]:
        """What is new in the list of an action_msgs/GoalStatusArray."""
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
