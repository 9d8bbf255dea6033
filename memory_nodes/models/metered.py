"""What the calls of a model took and cost."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from memory_nodes.errors import ModelError
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.models.ports import Conversation, Prompt, Reply, ToolModel, Turn

HOUR_S = 3600.0
MAX_CALLS = 20_000
"""More in one hour are not looked back on."""
PER_MILLION = 1e-6
T = TypeVar("T")


@dataclass(frozen=True)
class _Call:
    end_s: float
    latency_s: float
    prompt_tokens: int
    completion_tokens: int


class MeteredChat:
    """A ToolModel that counts the calls of another. Safe in threads.

    Args:
        clock_s: never jumps.
    """

    def __init__(
        self,
        model: ToolModel,
        config: EndpointConfig,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._config = config
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._calls: deque[_Call] = deque(maxlen=MAX_CALLS)
        self._count = self._errors = 0

    async def complete(self, prompt: Prompt, deadline_s: float) -> Reply:
        start_s = self._clock_s()
        reply = await self._counted(self._model.complete(prompt, deadline_s))
        self._note(start_s, reply)
        return reply

    async def call_tools(self, conversation: Conversation, deadline_s: float) -> Turn:
        start_s = self._clock_s()
        turn = await self._counted(self._model.call_tools(conversation, deadline_s))
        self._note(start_s, turn.reply)
        return turn

    async def _counted(self, call: Awaitable[T]) -> T:
        try:
            return await call
        except ModelError:
            with self._lock:
                self._count, self._errors = self._count + 1, self._errors + 1
            raise

    def _note(self, start_s: float, reply: Reply) -> None:
        end_s = self._clock_s()
        call = _Call(end_s, end_s - start_s, reply.prompt_tokens, reply.completion_tokens)
        with self._lock:
            self._count += 1
            self._calls.append(call)

    def figures(self) -> dict[str, object]:
        """All calls and errors; latency of the last call that was answered; of the last hour the
        tokens, and where there is a price, what they cost.
        """
        since_s = self._clock_s() - HOUR_S
        with self._lock:
            while self._calls and self._calls[0].end_s < since_s:
                self._calls.popleft()
            calls, count, errors = tuple(self._calls), self._count, self._errors
        prompt_tokens = sum(call.prompt_tokens for call in calls)
        completion_tokens = sum(call.completion_tokens for call in calls)
        figures: dict[str, object] = {
            "model_calls": count,
            "model_errors": errors,
            "model_prompt_tokens_per_hour": prompt_tokens,
            "model_completion_tokens_per_hour": completion_tokens,
        }
        if calls:
            figures["model_latency_s"] = round(calls[-1].latency_s, 3)
        prices = (self._config.prompt_token_price, self._config.completion_token_price)
        if any(price > 0.0 for price in prices):
            cost = (prompt_tokens * prices[0] + completion_tokens * prices[1]) * PER_MILLION
            figures["model_cost_per_hour"] = round(cost, 4)
        return figures
