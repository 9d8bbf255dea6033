"""An OpenAI-compatible endpoint: where it is, and what its errors mean."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import openai

from memory_nodes.errors import ConfigurationError, ModelError, ModelRejected, ModelUnavailable
from memory_nodes.parameters import parameter

Result = TypeVar("Result")

_REQUEST_FAULTS = (400, 413, 422)
_MOST_IMAGES = re.compile(r"at most (\d+) image", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window)|maximum context|too (?:long|large|many tokens)|"
    r"exceeds? (?:the )?(?:max|limit|context)|max_model_len",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class EndpointConfig:
    """Where the models are. The key comes from the environment or from a file of its own."""

    base_url: str = parameter(
        "http://127.0.0.1:8000/v1", "OpenAI-compatible endpoint; empty = work without a model"
    )
    model: str = parameter("Qwen/Qwen2.5-VL-7B-Instruct", "model name at that endpoint")
    api_key_variable: str = parameter(
        "OPENAI_API_KEY", "environment variable that holds the key; local servers need none"
    )
    api_key_file: str = parameter(
        "", "file that holds nothing but the key, used when the variable is not set"
    )
    call_timeout_s: float = parameter(
        60.0, "time for one model call, retries included", unit="s", low=0.1, high=3600.0
    )
    max_calls: int = parameter(4, "model calls of one node at once", low=1, high=64)


def client_for(config: EndpointConfig) -> openai.AsyncOpenAI:
    """A client for the endpoint; it connects at the first call.

    Raises ConfigurationError when the key's file cannot be read.
    """
    return openai.AsyncOpenAI(base_url=config.base_url, api_key=_api_key(config), max_retries=1)


def _api_key(config: EndpointConfig) -> str:
    key = os.environ.get(config.api_key_variable, "")
    if not key and config.api_key_file:
        path = Path(config.api_key_file).expanduser()
        try:
            key = path.read_text(encoding="utf-8").strip()
        except OSError as error:
            raise ConfigurationError(f"api_key_file {path} cannot be read: {error}") from error
    return key or "none"


async def within(deadline_s: float, call: Awaitable[Result]) -> Result:
    """Awaits calls of the openai library, within a wall-clock time for all of them.

    The library's own timeout counts between bytes, so a server that drips them would never
    time out: the deadline is set here.
    """
    try:
        return await asyncio.wait_for(mapped(call), deadline_s)
    except asyncio.TimeoutError as error:
        raise ModelUnavailable(f"no answer within {deadline_s} s") from error


async def mapped(call: Awaitable[Result]) -> Result:
    """Awaits one call of the openai library, its errors mapped to ours."""
    try:
        return await call
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
        most = _MOST_IMAGES.search(error.message)
        return ModelRejected(
            f"the model server refused ({error.status_code}): {error.message}",
            is_too_large=most is not None or _TOO_LONG.search(error.message) is not None,
            max_images=int(most[1]) if most else None,
        )
    wait_s = _retry_after_s(error) if isinstance(error, openai.APIStatusError) else None
    return ModelUnavailable(f"the model server did not answer: {error}", wait_s)


def _retry_after_s(error: openai.APIStatusError) -> float | None:
    """The seconds to wait that an overloaded server names (RFC 9110, section 10.2.3)."""
    text = error.response.headers.get("retry-after", "")
    return float(text) if re.fullmatch(r"\d{1,5}(\.\d+)?", text) else None
