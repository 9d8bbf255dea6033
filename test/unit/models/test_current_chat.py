"""The model that is named now is asked, and nothing of the one before is taken for granted."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from memory_nodes.models.current_chat import current_chat
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.models.ports import Prompt
from memory_test_support.picky_server import form_of, picky_server

PROMPT = Prompt("answer", "You answer.", "Where?", {"type": "object"})


def test_next_call_goes_to_the_model_that_is_named_now() -> None:
    """The server has no schemas: that is found out for each model anew."""
    with picky_server() as server:
        server.forms = ["none"]
        config = EndpointConfig(base_url=server.base_url, model="small")
        chat = current_chat(lambda: config)
        assert chat is not None

        async def run() -> None:
            nonlocal config
            for _ in range(2):
                await chat.complete(PROMPT, 10.0)
            config = replace(config, model="large")
            await chat.complete(PROMPT, 10.0)

        asyncio.run(run())
    asked = [(body["model"], form_of(body)) for body in server.bodies]
    assert asked.count(("small", "json_schema")) == asked.count(("large", "json_schema")) == 1
    assert asked[-1] == ("large", "none")


def test_without_an_endpoint_there_is_no_model() -> None:
    assert current_chat(lambda: EndpointConfig(base_url="")) is None
