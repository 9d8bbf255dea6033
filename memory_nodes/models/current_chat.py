"""The model that the parameters name now."""

from __future__ import annotations

from collections.abc import Callable

import openai

from memory_nodes.models.openai_chat import OpenAIChat
from memory_nodes.models.openai_endpoint import EndpointConfig, client_for
from memory_nodes.models.ports import Conversation, Prompt, Reply, Turn


class CurrentChat:
    """A ToolModel: of one server, the model that is named at each call.

    What one model was found to do says nothing of the next.
    """

    def __init__(self, client: openai.AsyncOpenAI, endpoint: Callable[[], EndpointConfig]) -> None:
        self._client = client
        self._endpoint = endpoint
        self._config = endpoint()
        self._chat = self._made()

    async def complete(self, prompt: Prompt, deadline_s: float) -> Reply:
        return await self._now().complete(prompt, deadline_s)

    async def call_tools(self, conversation: Conversation, deadline_s: float) -> Turn:
        return await self._now().call_tools(conversation, deadline_s)

    def _now(self) -> OpenAIChat:
        config = self._endpoint()
        if config != self._config:
            self._config = config
            self._chat = self._made()
        return self._chat

    def _made(self) -> OpenAIChat:
        return OpenAIChat(self._client, self._config.model, self._config.max_calls)


def current_chat(endpoint: Callable[[], EndpointConfig]) -> CurrentChat | None:
    """The model at an endpoint; None where the suite is to work without one."""
    config = endpoint()
    return CurrentChat(client_for(config), endpoint) if config.base_url else None
