"""What a model was asked, counted."""

from __future__ import annotations

from dataclasses import dataclass

from memory_nodes.models.ports import Conversation, Prompt, Reply, ToolModel, Turn


@dataclass(frozen=True)
class Use:
    """Calls that were answered, and their tokens as the server counts them."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, reply: Reply) -> Use:
        return Use(
            self.calls + 1,
            self.prompt_tokens + reply.prompt_tokens,
            self.completion_tokens + reply.completion_tokens,
        )

    def __sub__(self, before: Use) -> Use:
        return Use(
            self.calls - before.calls,
            self.prompt_tokens - before.prompt_tokens,
            self.completion_tokens - before.completion_tokens,
        )


NO_USE = Use()


class MeteredToolModel:
    """A ToolModel that counts what another one is asked."""

    def __init__(self, model: ToolModel) -> None:
        self._model = model
        self.use = NO_USE

    async def complete(self, prompt: Prompt, deadline_s: float) -> Reply:
        reply = await self._model.complete(prompt, deadline_s)
        self.use += reply
        return reply

    async def call_tools(self, conversation: Conversation, deadline_s: float) -> Turn:
        turn = await self._model.call_tools(conversation, deadline_s)
        self.use += turn.reply
        return turn
