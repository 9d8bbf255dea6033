"""Tells the history beside everything else: what waits to be told waits on disk."""

from __future__ import annotations

import asyncio

from memory_nodes.dates import Dates
from memory_nodes.episodic.history.calendar import Calendar
from memory_nodes.episodic.history.closing import Closing
from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.narrator import Narrator, Usage
from memory_nodes.episodic.history.telling import Telling
from memory_nodes.errors import InputError
from memory_nodes.models.ports import ChatModel
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer

IDLE_S = 5.0


class HistoryTeller:
    """Builds the history tree of a memory, one commit a step.

    Without a model, and where it fails, texts and groups are made by rule. What is closed is never
    told again, so that a day costs the same however long the history is.

    Source: H-EMV, section III-A.
    """

    def __init__(
        self,
        writer: Writer,
        past: Past,
        model: ChatModel | None,
        config: HistoryConfig,
        dates: Dates,
        timeout_s: float = 60.0,
    ) -> None:
        calendar = Calendar(dates)
        self._narrator = Narrator(model, config, dates, timeout_s)
        self._telling = Telling(writer, past, calendar, config)
        self._closing = Closing(writer, past, self._narrator, calendar, config)
        self._is_closing = False
        self._has_more = True
        self._waits: str | None = None

    @property
    def problem(self) -> str | None:
        """Why the last text is by rule though there is a model, or none was written; for the
        diagnostics.
        """
        return self._waits or self._narrator.problem

    @property
    def usage(self) -> Usage:
        """What the model was asked."""
        return self._narrator.usage

    async def step(self, now_ns: int) -> float:
        """Tells some of what has happened; gives the seconds to wait before the next step.

        ``now_ns``: of the robot's clock.
        """
        if not self._is_closing:
            self._has_more = await asyncio.to_thread(self._telling.tell, now_ns)
        try:
            self._is_closing = await self._closing.step(
                self._telling.horizon_ns, self._telling.goal_ids
            )
        except InputError as error:  # forgotten between reading and writing
            self._waits = f"the history waits: {error}"
            self._is_closing = False
        else:
            self._waits = None
        return 0.0 if self._is_closing or self._has_more else IDLE_S
