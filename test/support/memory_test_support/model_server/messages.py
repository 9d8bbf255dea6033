"""The parts of a chat request that the stand-in understands."""

from __future__ import annotations

import base64
import binascii
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from PIL import Image, UnidentifiedImageError

from memory_test_support.model_server.errors import BadRequestError

TASKS = ("chunk_detection", "association", "answer", "doubt", "arrival_check")
_TASK_LINE = re.compile(r"""^\s*["{]*task["']?\s*:\s*["']?(\w+)""", re.MULTILINE)
_FRAME = re.compile(r"\bframe\s+#?(\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class SentImage:
    """An image of a request under the frame number that the request gives it."""

    frame: int
    image: Image.Image


def parts_of(message: Any) -> Iterator[dict[str, Any]]:
    """The content parts of a message; plain text counts as one text part."""
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        for part in content:
            if not isinstance(part, dict):
                raise BadRequestError("a content part is not an object")
            yield part


def text_of(message: Any) -> str:
    """All text of a message."""
    return "\n".join(str(part["text"]) for part in parts_of(message) if "text" in part)


def task_of(body: dict[str, Any], messages: list[Any]) -> str:
    """The task: by the reply schema's name, else by a `task: NAME` line in the text."""
    response_format = body.get("response_format")
    schema = response_format.get("json_schema") if isinstance(response_format, dict) else None
    name = schema.get("name") if isinstance(schema, dict) else None
    if name is None:
        text = "\n".join(text_of(message) for message in messages)
        found = _TASK_LINE.search(text)
        name = found.group(1) if found else None
    if name not in TASKS:
        raise BadRequestError(f"task {name!r} is none of {', '.join(TASKS)}")
    return str(name)


def payload_of(message: Any) -> dict[str, Any]:
    """The first JSON object in a message's text; prose around it is passed over."""
    text = text_of(message)
    start = text.find("{")
    if start < 0:
        raise BadRequestError("the user message holds no JSON object")
    try:
        payload, _ = json.JSONDecoder().raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise BadRequestError(f"the user message's JSON is broken: {error}") from error
    return dict(payload)


def images_of(message: Any) -> list[SentImage]:
    """The images of a message, each under the last `Frame n` before it, else its place."""
    images: list[SentImage] = []
    frame: int | None = None
    for part in parts_of(message):
        if part.get("type") == "image_url":
            number = len(images) if frame is None else frame
            images.append(SentImage(number, _decode(part.get("image_url"))))
            frame = None
        else:
            numbers = _FRAME.findall(str(part.get("text", "")))
            frame = int(numbers[-1]) if numbers else frame
    return images


def _decode(image_url: Any) -> Image.Image:
    url = image_url.get("url") if isinstance(image_url, dict) else image_url
    if not isinstance(url, str) or not url.startswith("data:image/") or "," not in url:
        raise BadRequestError("an image_url is not a data:image URL")
    try:
        encoded = base64.b64decode(url.split(",", 1)[1], validate=True)
        image = Image.open(io.BytesIO(encoded))
        image.load()
    except (binascii.Error, UnidentifiedImageError, OSError) as error:
        raise BadRequestError(f"an image cannot be decoded: {error}") from error
    return image
