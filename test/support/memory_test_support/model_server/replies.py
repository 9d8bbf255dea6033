"""OpenAI-shaped replies of the stand-in; no sockets here."""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

from memory_test_support.model_server.answering import answer, doubt
from memory_test_support.model_server.arriving import ArrivalChecker
from memory_test_support.model_server.association import Associator, views_on_tour
from memory_test_support.model_server.detection import ChunkDetector
from memory_test_support.model_server.embedding import embed
from memory_test_support.model_server.errors import BadRequestError
from memory_test_support.model_server.frames import FrameRecognizer
from memory_test_support.model_server.messages import (
    images_of,
    parts_of,
    payload_of,
    task_of,
    text_of,
)
from memory_test_support.model_server.options import MODEL_NAME, ServerOptions
from memory_test_support.tour import load_tour, load_truth

TOKENS_PER_IMAGE = 400
CHARACTERS_PER_TOKEN = 4


class Replies:
    """Answers parsed request bodies; the same body always gets the same reply."""

    def __init__(self, options: ServerOptions) -> None:
        tour, truth = load_tour(), load_truth()
        recognizer = FrameRecognizer(tour)
        self._detector = ChunkDetector(tour, truth, options, recognizer)
        self._arrivals = ArrivalChecker(truth, recognizer)
        views_at = views_on_tour(tour, truth, options.stamp_offset_s)
        self._associator = Associator(views_at, options)

    def chat(self, body: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """The task and the chat completion. Raises: BadRequestError."""
        messages = body.get("messages")
        if not isinstance(messages, list) or not messages:
            raise BadRequestError("messages must be a list that is not empty")
        if body.get("stream"):
            raise BadRequestError("the stand-in does not stream")
        task = task_of(body, messages)
        content = json.dumps(self._content(task, messages[-1]))
        prompt = sum(_prompt_tokens(message) for message in messages)
        return task, _completion(content, prompt)

    def _content(self, task: str, message: Any) -> dict[str, Any]:
        if task == "chunk_detection":
            return self._detector.reply(images_of(message))
        if task == "association":
            return self._associator.reply(payload_of(message))
        if task == "arrival_check":
            return self._arrivals.reply(payload_of(message), images_of(message))
        payload = payload_of(message)
        return doubt(payload) if task == "doubt" else answer(payload)

    def embeddings(self, body: dict[str, Any]) -> dict[str, Any]:
        """Vectors for one text or a list of texts, as floats or base64 of float32."""
        texts = body.get("input")
        texts = [texts] if isinstance(texts, str) else texts
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise BadRequestError("input must be a text or a list of texts")
        as_base64 = body.get("encoding_format") == "base64"
        data = [
            {"object": "embedding", "index": index, "embedding": _encode(embed(text), as_base64)}
            for index, text in enumerate(texts)
        ]
        tokens = sum(_tokens(text) for text in texts)
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return {"object": "list", "data": data, "model": MODEL_NAME, "usage": usage}


def models() -> dict[str, Any]:
    """The one model there is."""
    model = {"id": MODEL_NAME, "object": "model", "created": 0, "owned_by": "test support"}
    return {"object": "list", "data": [model]}


def error_body(message: str, kind: str) -> dict[str, Any]:
    """An error as OpenAI's API words it."""
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def _completion(content: str, prompt_tokens: int) -> dict[str, Any]:
    completion_tokens = _tokens(content)
    message = {"role": "assistant", "content": content}
    return {
        "id": "chatcmpl-stand-in",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL_NAME,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        },
    }


def _prompt_tokens(message: Any) -> int:
    images = [part for part in parts_of(message) if part.get("type") == "image_url"]
    return _tokens(text_of(message)) + len(images) * TOKENS_PER_IMAGE


def _tokens(text: str) -> int:
    return 1 + len(text) // CHARACTERS_PER_TOKEN


def _encode(vector: list[float], as_base64: bool) -> list[float] | str:
    if not as_base64:
        return vector
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
