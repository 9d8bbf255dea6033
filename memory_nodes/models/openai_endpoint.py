"""Chat, vision and embeddings through any OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import openai

from memory_nodes.errors import ModelError, ModelRejected, ModelUnavailable
from memory_nodes.geometry import Array
from memory_nodes.models.ports import Prompt, Reply
from memory_nodes.parameters import parameter

Result = TypeVar("Result")

_REQUEST_FAULTS = (400, 413, 422)


@dataclass(frozen=True)
class EndpointConfig:
    """Where the models are. The key comes from the environment, never from a file of ours."""

    base_url: str = parameter(
        "http://127.0.0.1:8000/v1", "OpenAI-compatible endpoint; empty = work without a model"
    )
    model: str = parameter("Qwen/Qwen2.5-VL-7B-Instruct", "model name at that endpoint")
    api_key_variable: str = parameter(
        "OPENAI_API_KEY", "environment variable that holds the key; local servers need none"
    )
    call_timeout_s: float = parameter(
        60.0, "time for one model call, retries included", unit="s", low=0.1, high=3600.0
    )


def client_for(config: EndpointConfig) -> openai.AsyncOpenAI:
    """A client for the endpoint; it connects at the first call."""
    key = os.environ.get(config.api_key_variable) or "none"
    return openai.AsyncOpenAI(base_url=config.base_url, api_key=key, max_retries=1)


class OpenAIChat:
    """A ChatModel behind /chat/completions."""

    def __init__(self, client: openai.AsyncOpenAI, model: str) -> None:
        self._client = client
        self._model = model

    async def complete(self, prompt: Prompt, deadline_s: float) -> Reply:
        completion = await within(
            deadline_s,
            self._client.chat.completions.create(
                model=self._model,
                messages=_messages(prompt),
                temperature=prompt.temperature,
                max_tokens=prompt.max_tokens,
                response_format=_response_format(prompt),
                timeout=deadline_s,
            ),
        )
        choices = getattr(completion, "choices", None)  # the library passes other bodies through
        if not choices or choices[0].message is None:
            raise ModelUnavailable(f"{self._model} answered with no chat completion: try again")
        choice, usage = choices[0], completion.usage
        return Reply(
            text=choice.message.content or "",
            is_complete=choice.finish_reason not in ("length", "content_filter"),
            model=completion.model or self._model,
            prompt_tokens=usage.prompt_tokens if usage else 0,
            completion_tokens=usage.completion_tokens if usage else 0,
            is_withheld=choice.finish_reason == "content_filter",
        )


def chat_for(config: EndpointConfig) -> OpenAIChat | None:
    """The model at the endpoint; None where the suite is to work without one."""
    return OpenAIChat(client_for(config), config.model) if config.base_url else None


class OpenAIEmbedder:
    """A TextEmbedder behind /embeddings."""

    def __init__(self, client: openai.AsyncOpenAI, model: str) -> None:
        self._client = client
        self._model = model

    @property
    def model_id(self) -> str:
        return self._model

    async def embed(self, texts: Sequence[str], deadline_s: float) -> Array:
        if not texts:
            return np.empty((0, 0))
        reply = await within(
            deadline_s,
            self._client.embeddings.create(
                model=self._model, input=list(texts), encoding_format="float", timeout=deadline_s
            ),
        )
        vectors = _vectors(reply)
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise ModelUnavailable(
                f"{self._model} gave vectors of shape {vectors.shape} for {len(texts)} texts"
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Array = vectors / np.where(lengths > 0.0, lengths, 1.0)
        return unit


async def within(deadline_s: float, call: Awaitable[Result]) -> Result:
    """Awaits a call of the openai library, its errors mapped to ours.

    The library's own timeout counts between bytes, so a server that drips them would never
    time out: the wall-clock deadline is set here.
    """
    try:
        return await asyncio.wait_for(call, deadline_s)
    except asyncio.TimeoutError as error:
        raise ModelUnavailable(f"no answer within {deadline_s} s") from error
    except openai.OpenAIError as error:
        raise from_openai(error) from error
    except ValueError as error:  # the library does not map a body that is no JSON
        raise ModelUnavailable(f"the model server did not answer with JSON: {error}") from error


def from_openai(error: openai.OpenAIError) -> ModelError:
    """The one place where the library's errors become ours.

    Only what is wrong with this one request is a rejection. A wrong key or model name is for a
    person to mend, and the same request works afterwards.
    """
    if isinstance(error, openai.APIStatusError) and error.status_code in _REQUEST_FAULTS:
        return ModelRejected(f"the model server refused ({error.status_code}): {error.message}")
    return ModelUnavailable(f"the model server did not answer: {error}")


def _vectors(reply: Any) -> Array:
    """The vectors of a reply in the order of their texts; empty where it holds none."""
    data = getattr(reply, "data", None) or ()
    ordered = sorted(data, key=lambda item: item.index)
    try:
        return np.array([item.embedding for item in ordered], dtype=np.float64)
    except (TypeError, ValueError):  # of different lengths, or no numbers
        return np.empty(0)


def _messages(prompt: Prompt) -> Any:
    parts: list[dict[str, Any]] = [{"type": "text", "text": prompt.text}]
    for picture in prompt.pictures:
        url = "data:image/jpeg;base64," + base64.b64encode(picture.jpeg).decode("ascii")
        parts.append({"type": "text", "text": picture.caption})
        parts.append({"type": "image_url", "image_url": {"url": url}})
    content: object = parts if prompt.pictures else prompt.text
    return [
        {"role": "system", "content": prompt.system},
        {"role": "user", "content": content},
    ]


def _response_format(prompt: Prompt) -> Any:
    schema = {"name": prompt.task, "schema": prompt.reply_schema, "strict": True}
    return {"type": "json_schema", "json_schema": schema}
