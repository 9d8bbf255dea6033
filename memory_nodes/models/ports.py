"""What a stage needs of a model, whoever serves it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from PIL import Image

from memory_nodes.geometry import Array

JsonSchema: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Picture:
    """A JPEG image in a prompt, announced by a line of text."""

    caption: str
    jpeg: bytes


@dataclass(frozen=True)
class Prompt:
    """One request: instructions, a text, pictures, and the form of the reply."""

    task: str
    """Names the form of the reply, e.g. chunk_detection."""
    system: str
    text: str
    reply_schema: JsonSchema
    pictures: tuple[Picture, ...] = ()
    temperature: float = 0.1
    max_tokens: int = 4096
    tells_form: bool = False
    """The instructions say all of the reply's form: where the server does not enforce the schema,
    the model need not be shown it."""


@dataclass(frozen=True)
class Reply:
    """What the model wrote; data, never to be executed."""

    text: str
    is_complete: bool
    """False when the model was cut off."""
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    is_withheld: bool = False
    """The service's content filter held back the text or a part of it."""


class ChatModel(Protocol):
    """A language or vision-language model."""

    async def complete(self, prompt: Prompt, deadline_s: float) -> Reply:
        """Answers one prompt within a wall-clock time, retries included.

        Raises:
            ModelUnavailable: not reached, overloaded or out of time.
            ModelRejected: the server refuses such a request.
        """
        ...


@dataclass(frozen=True)
class ToolCall:
    """A tool that the model wants called."""

    name: str
    arguments: str
    """JSON as the model wrote it: data to be checked."""
    call_id: str = ""
    """Given by the server, to tell which result belongs to which call."""


@dataclass(frozen=True)
class Message:
    """One contribution to a conversation."""

    role: Literal["user", "assistant", "tool"]
    text: str
    calls: tuple[ToolCall, ...] = ()
    """Of the assistant."""
    call_id: str = ""
    """Of a tool: the call that this is the result of."""


@dataclass(frozen=True)
class Conversation:
    """What was said so far, and the tools of which the model is to call one next."""

    task: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[JsonSchema, ...]
    """As /chat/completions takes them: ``{"type": "function", "function": {"name", ...}}``."""
    temperature: float = 0.1
    max_tokens: int = 1024


@dataclass(frozen=True)
class Turn:
    """The model's contribution; without calls where it did not keep to the form."""

    reply: Reply
    calls: tuple[ToolCall, ...] = ()


class ToolModel(ChatModel, Protocol):
    """A model that chooses tools, too; whoever asks calls them."""

    async def call_tools(self, conversation: Conversation, deadline_s: float) -> Turn:
        """The next calls within a wall-clock time, retries included. Raises as complete does."""
        ...


class TextEmbedder(Protocol):
    """Maps texts to vectors whose cosine tells how much they mean the same."""

    @property
    def model_id(self) -> str:
        """Vectors of different ids must never be compared."""
        ...

    async def embed(self, texts: Sequence[str], deadline_s: float) -> Array:
        """Unit vectors, shape (len(texts), dimension). Raises as ChatModel.complete does."""
        ...


class VisualEmbedder(Protocol):
    """Maps pictures and texts into one space, where a cosine tells how well they fit."""

    @property
    def model_id(self) -> str:
        """Names the model and a hash of its weights; known once it has embedded anything.

        Vectors of different ids must never be compared.
        """
        ...

    async def embed_images(self, images: Sequence[Image.Image], deadline_s: float) -> Array:
        """Unit vectors of RGB pictures of any size, shape (len(images), dimension).

        Raises:
            ModelUnavailable: out of time, or of memory.
            ConfigurationError: the model cannot be loaded.
        """
        ...

    async def embed_texts(self, texts: Sequence[str], deadline_s: float) -> Array:
        """Unit vectors, shape (len(texts), dimension). Raises as embed_images does."""
        ...
