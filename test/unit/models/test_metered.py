"""What calls of a model took and cost, by a clock of our own."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from memory_nodes.errors import ModelUnavailable
from memory_nodes.models.metered import MAX_CALLS, MeteredChat
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.models.ports import Conversation, Prompt, Reply, Turn

PROMPT = Prompt("task", "system", "text", {})


@dataclass
class SlowModel:
    """Takes 2 s for each reply, of 1000 tokens for 100."""

    now_s: float = 0.0
    is_away: bool = False
    deadlines_s: list[float] = field(default_factory=list)

    async def complete(self, prompt: Prompt, deadline_s: float) -> Reply:
        self.now_s += 2.0
        self.deadlines_s.append(deadline_s)
        if self.is_away:
            raise ModelUnavailable("away")
        return Reply("{}", True, prompt_tokens=1000, completion_tokens=100)

    async def call_tools(self, conversation: Conversation, deadline_s: float) -> Turn:
        return Turn(await self.complete(PROMPT, deadline_s))


def metered(model: SlowModel, prices: tuple[float, float] = (0.0, 0.0)) -> MeteredChat:
    config = EndpointConfig(prompt_token_price=prices[0], completion_token_price=prices[1])
    return MeteredChat(model, config, clock_s=lambda: model.now_s)


def ask(chat: MeteredChat, times: int = 1) -> None:
    for _ in range(times):
        asyncio.run(chat.complete(PROMPT, 5.0))


def test_calls_are_passed_on_and_counted() -> None:
    model = SlowModel()
    chat = metered(model)
    ask(chat, times=2)
    assert model.deadlines_s == [5.0, 5.0]
    assert chat.figures() == {
        "model_calls": 2,
        "model_errors": 0,
        "model_latency_s": 2.0,
        "model_prompt_tokens_per_hour": 2000,
        "model_completion_tokens_per_hour": 200,
    }


def test_calls_of_tools_are_counted_too() -> None:
    chat = metered(SlowModel())
    asyncio.run(chat.call_tools(Conversation("task", "system", (), ()), 5.0))
    assert chat.figures()["model_calls"] == 1
    assert chat.figures()["model_prompt_tokens_per_hour"] == 1000


def test_error_of_the_model_is_counted_and_raised() -> None:
    chat = metered(SlowModel(is_away=True))
    with pytest.raises(ModelUnavailable):
        ask(chat)
    assert (chat.figures()["model_calls"], chat.figures()["model_errors"]) == (1, 1)
    assert "model_latency_s" not in chat.figures()


def test_cost_is_of_the_last_hour_by_price_of_a_million_tokens() -> None:
    """3000 tokens at 2.50 and 300 at 10.00 for a million: 0.0075 and 0.0030."""
    model = SlowModel()
    chat = metered(model, prices=(2.5, 10.0))
    ask(chat, times=3)
    assert chat.figures()["model_cost_per_hour"] == pytest.approx(0.0105)
    model.now_s = 3603.0  # the first call ended in second 2
    assert chat.figures()["model_prompt_tokens_per_hour"] == 2000
    model.now_s = 9999.0
    assert chat.figures()["model_cost_per_hour"] == 0.0
    assert chat.figures()["model_calls"] == 3


def test_what_is_looked_back_on_is_bounded() -> None:
    model = SlowModel()
    chat = MeteredChat(model, EndpointConfig(), clock_s=lambda: 0.0)

    async def often() -> None:
        for _ in range(MAX_CALLS + 1):
            await chat.complete(PROMPT, 5.0)

    asyncio.run(often())
    assert chat.figures()["model_prompt_tokens_per_hour"] == 1000 * MAX_CALLS
