"""The stand-in over real HTTP, called by the client library of OpenAI."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from memory_test_support.model_server import MODEL_NAME, ModelServer, ServerOptions
from memory_test_support.tour import load_tour

LAUNCHER = Path(__file__).resolve().parents[2] / "support" / "bin" / "model_server"
ANSWER_PAYLOAD = json.dumps(
    {"task": "answer", "question": "Where is the mug?", "context": "object mug_1: mug; red mug"}
)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ServerOptions()) as running:
        yield running


def _schema(name: str) -> Any:
    return {"type": "json_schema", "json_schema": {"name": name, "schema": {}}}


def _chat(server: ModelServer, content: Any, timeout_s: float = 10.0, **more: Any) -> Any:
    async def call() -> Any:
        async with openai.AsyncOpenAI(
            base_url=server.base_url, api_key="none", max_retries=0, timeout=timeout_s
        ) as client:
            return await client.chat.completions.create(
                model="any", messages=[{"role": "user", "content": content}], **more
            )

    return asyncio.run(call())


def _image_parts(*indices: int) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"type": "text", "text": "List the objects."}]
    for number, index in enumerate(indices, start=1):
        encoded = base64.b64encode(load_tour().frames[index].image_path.read_bytes()).decode()
        parts.append({"type": "text", "text": f"Frame {number}"})
        url = f"data:image/jpeg;base64,{encoded}"
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return parts


def test_detection_through_the_client(server: ModelServer) -> None:
    completion = _chat(server, _image_parts(30, 31), response_format=_schema("chunk_detection"))
    reply = json.loads(completion.choices[0].message.content)
    frames = {view["frame"] for entry in reply["objects"] for view in entry["views"]}
    assert frames == {1, 2}
    assert completion.model == MODEL_NAME
    assert completion.usage.prompt_tokens > completion.usage.completion_tokens / 100
    assert server.requests == {"chunk_detection": 1}


def test_task_is_read_from_a_line_of_text_without_a_schema(server: ModelServer) -> None:
    content = f"task: answer\nReply in JSON.\n{ANSWER_PAYLOAD}"
    completion = _chat(server, content, response_format={"type": "json_object"})
    assert json.loads(completion.choices[0].message.content)["object_ids"] == ["mug_1"]
    assert json.loads(_chat(server, ANSWER_PAYLOAD).choices[0].message.content)["found"] is True


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("hello", "unheard_of"),
        ("no json here", "answer"),
        ("{broken", "answer"),
        ('{"known": 3, "chunk": []}', "association"),
        ([{"type": "image_url", "image_url": {"url": "http://x/y.jpg"}}], "chunk_detection"),
        (
            [{"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,AAAA"}}],
            "chunk_detection",
        ),
    ],
)
def test_malformed_request_gets_an_openai_error(
    server: ModelServer, content: Any, name: str
) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        _chat(server, content, response_format=_schema(name))
    assert isinstance(caught.value.body, dict)
    assert caught.value.body["type"] == "invalid_request_error"
    assert caught.value.body["message"]
    assert server.requests == {"malformed": 1} or set(server.requests) == {"malformed"}


def test_faults_can_be_switched_on_and_off(server: ModelServer) -> None:
    server.fail_with(503)
    with pytest.raises(openai.InternalServerError):
        _chat(server, ANSWER_PAYLOAD)
    server.hang()
    with pytest.raises(openai.APITimeoutError):
        _chat(server, ANSWER_PAYLOAD, timeout_s=0.5)
    server.restore()
    assert _chat(server, ANSWER_PAYLOAD).model == MODEL_NAME
    server.fail_with(429)
    with pytest.raises(openai.RateLimitError):
        _chat(server, ANSWER_PAYLOAD)


def test_stop_lets_go_of_hanging_requests() -> None:
    with ModelServer() as server:
        server.hang()
        with pytest.raises(openai.APITimeoutError):
            _chat(server, ANSWER_PAYLOAD, timeout_s=0.5)


def test_embeddings_are_unit_vectors_that_tell_equal_words(server: ModelServer) -> None:
    with openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client:
        texts = ["red mug", "mug, RED", "blue sofa"]
        reply = client.embeddings.create(model="any", input=texts)
        plain = client.embeddings.create(model="any", input="red mug", encoding_format="float")
    first, second, third = (item.embedding for item in reply.data)
    assert len(first) == 384
    assert sum(value * value for value in first) == pytest.approx(1.0, abs=1e-6)
    assert first == pytest.approx(second)
    assert first == pytest.approx(plain.data[0].embedding)
    assert sum(a * b for a, b in zip(first, third, strict=True)) < 0.9
    assert reply.model == MODEL_NAME


def test_models_and_unknown_paths(server: ModelServer) -> None:
    with openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client:
        assert [model.id for model in client.models.list()] == [MODEL_NAME]
        with pytest.raises(openai.NotFoundError):
            client.moderations.create(input="x")


def test_launcher_prints_its_address_first_and_ends_on_sigterm() -> None:
    process = subprocess.Popen(
        [sys.executable, str(LAUNCHER), "--miss-rate", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("listening on http://127.0.0.1:")
        health = line.removeprefix("listening on ").strip().removesuffix("/v1") + "/health"
        with urllib.request.urlopen(health, timeout=10) as reply:
            assert json.load(reply)["model"] == MODEL_NAME
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(timeout=10) == 0
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def test_help_says_that_it_is_a_stand_in() -> None:
    done = subprocess.run(
        [sys.executable, str(LAUNCHER), "--help"], capture_output=True, text=True, timeout=60
    )
    assert "stand-in" in done.stdout
