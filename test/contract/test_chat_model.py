"""What every ChatModel does, the recorded one of the tests and the one behind an endpoint."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import openai
import pytest

from memory_nodes.errors import ModelRejected, ModelUnavailable
from memory_nodes.models.openai_chat import OpenAIChat
from memory_nodes.models.ports import ChatModel, Prompt, Reply
from memory_test_support.model_server import ModelServer
from memory_test_support.recorded_models import RecordedChat, Silence

PROMPT = Prompt(
    task="answer",
    system="You answer questions.",
    text=json.dumps(
        {
            "task": "answer",
            "question": "Where is the mug?",
            "context": "object mug_1: mug; on desk_1\nobject desk_1: desk\n"
            "keyframe 1 at 5 seconds ago: mug_1, desk_1",
        }
    ),
    reply_schema={"type": "object"},
)


@dataclass(frozen=True)
class Adapter:
    """A model, and how its far end is made to misbehave."""

    make: Callable[[], ChatModel]
    go_down: Callable[[], None]
    refuse: Callable[[], None]
    hang: Callable[[], None]


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture(params=["recorded", "openai"])
def adapter(request: pytest.FixtureRequest, server: ModelServer) -> Iterator[Adapter]:
    yield _recorded() if request.param == "recorded" else _openai(server)
    server.restore()


def _recorded() -> Adapter:
    model = RecordedChat('{"answer": "On the desk."}')
    return Adapter(
        make=lambda: model,
        go_down=lambda: model.turns.insert(0, ModelUnavailable("down")),
        refuse=lambda: model.turns.insert(0, ModelRejected("refused")),
        hang=lambda: model.turns.insert(0, Silence.HANG),
    )


def _openai(server: ModelServer) -> Adapter:
    def make() -> ChatModel:
        client = openai.AsyncOpenAI(base_url=server.base_url, api_key="none", max_retries=0)
        return OpenAIChat(client, "any")

    return Adapter(
        make=make,
        go_down=lambda: server.fail_with(503),
        refuse=lambda: server.fail_with(400),
        hang=server.hang,
    )


def _complete(adapter: Adapter, deadline_s: float = 20.0) -> Reply:
    return asyncio.run(adapter.make().complete(PROMPT, deadline_s))


def test_prompt_gets_a_whole_reply_with_its_model_and_tokens(adapter: Adapter) -> None:
    reply = _complete(adapter)
    assert json.loads(reply.text)["answer"]
    assert reply.is_complete
    assert reply.model
    assert reply.prompt_tokens > 0
    assert reply.completion_tokens > 0


def test_model_that_is_down_is_unavailable(adapter: Adapter) -> None:
    adapter.go_down()
    with pytest.raises(ModelUnavailable):
        _complete(adapter)


def test_request_that_is_refused_is_rejected(adapter: Adapter) -> None:
    adapter.refuse()
    with pytest.raises(ModelRejected):
        _complete(adapter)


def test_silent_model_is_unavailable_at_the_deadline(adapter: Adapter) -> None:
    adapter.hang()
    started_s = time.monotonic()
    with pytest.raises(ModelUnavailable):
        _complete(adapter, 0.3)
    assert 0.2 < time.monotonic() - started_s < 3.0


def test_calls_run_side_by_side(adapter: Adapter) -> None:
    async def three() -> list[Reply]:
        model = adapter.make()
        return await asyncio.gather(*(model.complete(PROMPT, 20.0) for _ in range(3)))

    texts = {reply.text for reply in asyncio.run(three())}
    assert len(texts) == 1


def test_call_can_be_cancelled(adapter: Adapter) -> None:
    async def cancelled() -> bool:
        call = asyncio.ensure_future(adapter.make().complete(PROMPT, 20.0))
        await asyncio.sleep(0)
        call.cancel()
        try:
            await call
        except asyncio.CancelledError:
            return True
        return False

    adapter.hang()
    assert asyncio.run(cancelled())
