"""A model and a clock that are listened to, and the same played back from a trace."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from typing import TypeAlias

from memory_nodes.answering.agents.trace import Said, Trace
from memory_nodes.errors import ModelError, ModelRejected, ModelUnavailable
from memory_nodes.models.ports import ChatModel, Conversation, Prompt, Reply, ToolModel, Turn

Clock: TypeAlias = Callable[[], float]
"""Seconds that only grow, like time.monotonic."""


class Stopwatch:
    """Seconds since it was started; it keeps its readings."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._begin_s = clock()
        self.readings_s: list[float] = []

    def __call__(self) -> float:
        self.readings_s.append(round(self._clock() - self._begin_s, 6))
        return self.readings_s[-1]


class Listener:
    """A ChatModel that keeps what another one says."""

    def __init__(self, model: ChatModel, watch: Stopwatch) -> None:
        self._model = model
        self._watch = watch
        self._said: list[Said] = []
        self.slowest_s = 0.0
        """Time of the longest call until now."""

    async def complete(self, prompt: Prompt, deadline_s: float) -> Reply:
        async def asked() -> Turn:
            return Turn(await self._model.complete(prompt, deadline_s))

        return (await self._heard(prompt.task, asked())).reply

    def taken(self) -> tuple[Said, ...]:
        """What was said since this was asked last."""
        said, self._said = tuple(self._said), []
        return said

    async def _heard(self, task: str, call: Awaitable[Turn]) -> Turn:
        begin_s = self._watch()
        try:
            turn = await call
        except ModelError as error:
            self._note(task, Turn(Reply("", False)), begin_s, error)
            raise
        self._note(task, turn, begin_s)
        return turn

    def _note(self, task: str, turn: Turn, begin_s: float, error: ModelError | None = None) -> None:
        took_s = self._watch() - begin_s
        self.slowest_s = max(self.slowest_s, took_s)
        message = "" if error is None else str(error)
        is_rejected = isinstance(error, ModelRejected)
        self._said.append(Said(task, turn, round(1000.0 * took_s, 3), message, is_rejected))


class ToolListener(Listener):
    """A ToolModel that keeps what another one says."""

    def __init__(self, model: ToolModel, watch: Stopwatch) -> None:
        super().__init__(model, watch)
        self._tool_model = model

    async def call_tools(self, conversation: Conversation, deadline_s: float) -> Turn:
        call = self._tool_model.call_tools(conversation, deadline_s)
        return await self._heard(conversation.task, call)


class Replay:
    """A ToolModel that says what a trace has, in its order, whatever it is asked."""

    def __init__(self, trace: Trace) -> None:
        self._said: Iterator[Said] = iter(trace.said)
        self._readings_s: Iterator[float] = iter((0.0, *trace.readings_s))
        self._now_s = 0.0

    def clock(self) -> float:
        """As it stood in the run, at each look; so that time runs out at the same step."""
        self._now_s = next(self._readings_s, self._now_s)
        return self._now_s

    async def complete(self, prompt: Prompt, deadline_s: float) -> Reply:
        return self._next(prompt.task).reply

    async def call_tools(self, conversation: Conversation, deadline_s: float) -> Turn:
        return self._next(conversation.task)

    def _next(self, task: str) -> Turn:
        said = next(self._said, None)
        if said is None or said.task != task:
            heard = "ends" if said is None else f"goes on with {said.task}"
            raise ModelUnavailable(
                f"the trace {heard} where {task} is asked: the memory, the parameters or the "
                "prompts are not those of the run"
            )
        if said.error:
            raise ModelRejected(said.error) if said.is_rejected else ModelUnavailable(said.error)
        return said.turn
