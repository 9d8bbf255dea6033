"""Models that say what a test tells them to; they keep what they were asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import Enum

import numpy as np
from PIL import Image, ImageColor

from memory_nodes.errors import ConfigurationError, ModelError, ModelUnavailable
from memory_nodes.geometry import Array
from memory_nodes.models.ports import Conversation, Prompt, Reply, ToolCall
from memory_nodes.models.ports import Turn as ToolTurn
from memory_test_support.model_server.embedding import DIMENSIONS, embed


class Silence(Enum):
    """A turn without any reply."""

    HANG = "until the deadline"


Turn = str | Reply | ModelError | Silence


class RecordedChat:
    """A ChatModel that plays its turns in order, the last one again and again."""

    def __init__(self, *turns: Turn) -> None:
        self.turns = list(turns)
        self.prompts: list[Prompt] = []

    async def complete(self, prompt: Prompt, deadline_s: float) -> Reply:
        self.prompts.append(prompt)
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        if isinstance(turn, ModelError):
            raise turn
        if isinstance(turn, Silence):
            return await _silence(deadline_s)
        return turn if isinstance(turn, Reply) else reply(turn)


class RecordedTools(RecordedChat):
    """A ToolModel that plays its calls in order, then its turns as RecordedChat does.

    A text among the calls is a reply without any.
    """

    def __init__(self, calls: Sequence[tuple[ToolCall, ...] | Turn], *turns: Turn) -> None:
        super().__init__(*turns)
        self.calls = list(calls)
        self.conversations: list[Conversation] = []

    async def call_tools(self, conversation: Conversation, deadline_s: float) -> ToolTurn:
        self.conversations.append(conversation)
        turn = self.calls.pop(0)
        if isinstance(turn, ModelError):
            raise turn
        if isinstance(turn, Silence):
            return ToolTurn(await _silence(deadline_s))
        if isinstance(turn, tuple):
            return ToolTurn(reply(""), turn)
        return ToolTurn(turn if isinstance(turn, Reply) else reply(turn))


class HashedEmbedder:
    """A TextEmbedder whose vectors are alike where texts share words, and nothing more is meant."""

    def __init__(self) -> None:
        self.turn: ModelError | ConfigurationError | Silence | None = None
        """What it does instead of an answer."""

    @property
    def model_id(self) -> str:
        return "recorded:hashed-words"

    async def embed(self, texts: Sequence[str], deadline_s: float) -> Array:
        if isinstance(self.turn, (ModelError, ConfigurationError)):
            raise self.turn
        if isinstance(self.turn, Silence):
            await _silence(deadline_s)
        return np.array([embed(text) for text in texts]).reshape(len(texts), DIMENSIONS)


class ColourEmbedder:
    """A VisualEmbedder whose vectors are mean colours, and texts are names of colours."""

    def __init__(self, model_id: str = "recorded:colour") -> None:
        self.model_id = model_id
        self.turns: list[ModelError | ConfigurationError | None] = []
        """What it does at each call instead of an answer; None: it answers."""
        self.asked: list[int] = []
        """The number of pictures in each call."""
        self.problem: str | None = None
        self.loads_locally = True

    def load(self, with_texts: bool = False) -> None:
        """Nothing to load."""

    async def embed_images(self, images: Sequence[Image.Image], deadline_s: float) -> Array:
        self.asked.append(len(images))
        turn = self.turns.pop(0) if self.turns else None
        if turn is not None:
            raise turn
        return _unit([np.asarray(image).reshape(-1, 3).mean(axis=0) for image in images])

    async def embed_texts(self, texts: Sequence[str], deadline_s: float) -> Array:
        return _unit([np.array(ImageColor.getrgb(text)[:3], float) for text in texts])


def _unit(colours: Sequence[Array]) -> Array:
    rows: Array = np.array([(*colour, 1.0) for colour in colours]).reshape(len(colours), 4)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def reply(text: str, *, is_complete: bool = True) -> Reply:
    return Reply(text, is_complete, "recorded", prompt_tokens=11, completion_tokens=7)


async def _silence(deadline_s: float) -> Reply:
    try:
        return await asyncio.wait_for(asyncio.Future(), deadline_s)
    except asyncio.TimeoutError as error:
        raise ModelUnavailable(f"no answer within {deadline_s} s") from error
