"""An OpenAI-compatible endpoint: where it is, and what its errors mean."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TypeVar

import openai

from memory_nodes.errors import ConfigurationError, ModelError, ModelRejected, ModelUnavailable
from memory_nodes.parameters import parameter, path_of

Result = TypeVar("Result")

_REQUEST_FAULTS = (400, 413, 422)
# llama.cpp's server from Python says 500 to a form of reply that it does not know, the one of
# llama.cpp itself to tools that its template has no place for.
_UNKNOWN_FORM = re.compile(r"response_format|json_schema|tools param|tool_choice")
# "At most 4 image(s) may be provided", "supports up to 5 images", "You set image=2 (or defaulted
# to 1) in `--limit-mm-per-prompt`": what servers call the same limit.
_MOST_IMAGES = re.compile(
    r"(?:at most|up to|(?:max(?:imum)?|limit) of|maximum is) (\d+) images?|"
    r"image=(\d+)(?: \(or defaulted to (\d+)\))?",
    re.IGNORECASE,
)
_TOO_MANY_IMAGES = re.compile(r"too many images|limit-mm-per-prompt", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context[ _](?:length|size|window)|maximum context|max_model_len|too many tokens|"
    r"prompt is too long|input is too long|max_new_tokens",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class EndpointConfig:
    """Where the models are. The key comes from the environment or from a file of its own."""

    base_url: str = parameter(
        "http://127.0.0.1:8000/v1", "OpenAI-compatible endpoint; empty = work without a model"
    )
    model: str = parameter(
        "Qwen/Qwen2.5-VL-7B-Instruct", "model name at that endpoint", is_dynamic=True
    )
    api_key_variable: str = parameter(
        "OPENAI_API_KEY", "environment variable that holds the key; local servers need none"
    )
    api_key_file: str = parameter(
        "", "file that holds nothing but the key, used when the variable is not set"
    )
    call_timeout_s: float = parameter(
        60.0, "time for one model call, retries included", unit="s", low=0.1, high=3600.0
    )
    max_calls: int = parameter(
        4, "model calls of one node at once", low=1, high=64, is_dynamic=True
    )
    prompt_token_price: float = parameter(
        0.0,
        "price of a million tokens of prompts, for the diagnostics; 0 = costs are not shown",
        low=0.0,
    )
    completion_token_price: float = parameter(
        0.0, "price of a million tokens of replies, in the same money", low=0.0
    )


def client_for(config: EndpointConfig) -> openai.AsyncOpenAI:
    """A client for the endpoint; it connects at the first call.

    It does not try again by itself: whoever calls knows better when, and for how long.

    Raises ConfigurationError when the key's file cannot be read.
    """
    return openai.AsyncOpenAI(base_url=config.base_url, api_key=_api_key(config), max_retries=0)


def _api_key(config: EndpointConfig) -> str:
    key = os.environ.get(config.api_key_variable, "")
    if not key and config.api_key_file:
        path = path_of("api_key_file", config.api_key_file)
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
    if isinstance(error, openai.APIStatusError) and _is_refusal(error):
        limits = (_MOST_IMAGES, _TOO_MANY_IMAGES, _TOO_LONG)
        return ModelRejected(
            f"the model server refused ({error.status_code}): {error.message}",
            is_too_large=any(limit.search(error.message) for limit in limits),
            max_images=_max_images(error.message),
        )
    wait_s = _retry_after_s(error) if isinstance(error, openai.APIStatusError) else None
    return ModelUnavailable(f"the model server did not answer: {error}", wait_s)


def _is_refusal(error: openai.APIStatusError) -> bool:
    code = error.status_code
    return code in _REQUEST_FAULTS or (code == 500 and bool(_UNKNOWN_FORM.search(error.message)))


def _max_images(message: str) -> int | None:
    """The most images in one prompt, where a refusal names it; at least 1."""
    found = _MOST_IMAGES.search(message)
    if found is None:
        return None
    named = [int(number) for number in found.groups() if number is not None]
    return max(1, min(named))


def _retry_after_s(error: openai.APIStatusError) -> float | None:
    """The time to wait that an overloaded server names (RFC 9110, section 10.2.3)."""
    text = error.response.headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,7}(\.\d+)?", text):
        return float(text)
    try:
        until = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if until.tzinfo is None:
        return None
    return max(0.0, (until - datetime.now(timezone.utc)).total_seconds())
