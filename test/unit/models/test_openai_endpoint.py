"""Which errors of the server and the library become which of ours, and when."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import time
from collections.abc import Awaitable, Callable, Iterator

import numpy as np
import openai
import pytest

from memory_nodes.errors import ModelRejected, ModelUnavailable
from memory_nodes.geometry import Array
from memory_nodes.models.openai_chat import OpenAIChat, _messages
from memory_nodes.models.openai_embeddings import OpenAIEmbedder
from memory_nodes.models.openai_endpoint import EndpointConfig, client_for
from memory_nodes.models.ports import Picture, Prompt, Reply
from memory_test_support.model_server import ModelServer
from memory_test_support.odd_server import OddServer, odd_server

PROMPT = Prompt(
    task="answer",
    system="You answer.",
    text=json.dumps({"task": "answer", "question": "Where is the mug?", "context": ""}),
    reply_schema={"type": "object"},
)
Call = Callable[[openai.AsyncOpenAI], Awaitable[object]]


@pytest.fixture(scope="module")
def running() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def server(running: ModelServer) -> Iterator[ModelServer]:
    yield running
    running.restore()


@pytest.fixture
def odd() -> Iterator[OddServer]:
    with odd_server() as server:
        yield server


def _call(base_url: str, call: Call, retries: int = 0) -> object:
    async def run() -> object:
        async with openai.AsyncOpenAI(
            base_url=base_url, api_key="none", max_retries=retries
        ) as client:
            return await call(client)

    return asyncio.run(run())


def _complete(base_url: str, deadline_s: float = 10.0) -> Reply:
    reply = _call(base_url, lambda client: OpenAIChat(client, "m").complete(PROMPT, deadline_s))
    assert isinstance(reply, Reply)
    return reply


def _embed(base_url: str, *texts: str) -> Array:
    vectors = _call(base_url, lambda client: OpenAIEmbedder(client, "m").embed(texts, 10.0))
    assert isinstance(vectors, np.ndarray)
    return vectors


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, ModelRejected),
        (401, ModelUnavailable),
        (403, ModelUnavailable),
        (404, ModelUnavailable),
        (408, ModelUnavailable),
        (413, ModelRejected),
        (422, ModelRejected),
        (429, ModelUnavailable),
        (500, ModelUnavailable),
        (503, ModelUnavailable),
    ],
)
def test_only_a_fault_of_the_request_itself_is_a_rejection(
    server: ModelServer, status: int, error: type[Exception]
) -> None:
    server.fail_with(status)
    with pytest.raises(error) as caught:
        _complete(server.base_url)
    assert type(caught.value) is error


def test_embedder_maps_errors_as_the_chat_does(server: ModelServer) -> None:
    server.fail_with(422)
    with pytest.raises(ModelRejected):
        _embed(server.base_url, "mug")
    server.fail_with(500)
    with pytest.raises(ModelUnavailable):
        _embed(server.base_url, "mug")


def test_server_that_is_not_there_is_unavailable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and nobody listens
        with pytest.raises(ModelUnavailable):
            _complete(f"http://127.0.0.1:{taken.getsockname()[1]}/v1")


@pytest.mark.parametrize("base_url", ["nonsense", "http://", "ftp://127.0.0.1/v1"])
def test_address_that_is_none_is_unavailable(base_url: str) -> None:
    with pytest.raises(ModelUnavailable):
        _complete(base_url)


def test_silent_server_is_unavailable_at_the_deadline(server: ModelServer) -> None:
    server.hang()
    started_s = time.monotonic()
    with pytest.raises(ModelUnavailable, match=r"within 0\.3 s|timed out"):
        _complete(server.base_url, 0.3)
    assert 0.2 < time.monotonic() - started_s < 3.0


def test_deadline_is_wall_clock_though_bytes_keep_dripping(odd: OddServer) -> None:
    odd.drips = True
    started_s = time.monotonic()
    with pytest.raises(ModelUnavailable):
        _complete(odd.base_url, 0.5)
    assert time.monotonic() - started_s < 3.0


def test_deadline_holds_for_all_retries_together(server: ModelServer) -> None:
    server.hang()
    started_s = time.monotonic()
    with pytest.raises(ModelUnavailable):
        _call(server.base_url, lambda client: OpenAIChat(client, "m").complete(PROMPT, 0.5), 5)
    assert time.monotonic() - started_s < 3.0


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/html", b"<html>please log in</html>"),
        ("application/json", b'{"choices": [{'),
        ("application/json", b"{}"),
        ("application/json", b"[]"),
        ("application/json", b'"ok"'),
        ("application/json", b"null"),
        ("application/json", b'{"choices": null}'),
        ("application/json", b'{"choices": []}'),
        ("application/json", b'{"error": {"message": "no such model"}}'),
        ("application/json", b'{"choices": [{"index": 0}]}'),
        ("application/json", b'{"choices": {"first": 1}}'),
        ("application/json", b'{"choices": "none"}'),
        ("application/json", b'{"choices": [null]}'),
        ("application/json", b'{"choices": [{"message": {"content": ["a", "mug"]}}]}'),
        ("application/json", b'{"choices": [{"message": {"content": 5}}]}'),
    ],
)
def test_body_that_is_no_completion_is_unavailable(
    odd: OddServer, content_type: str, body: bytes
) -> None:
    odd.content_type, odd.body = content_type, body
    with pytest.raises(ModelUnavailable):
        _complete(odd.base_url)


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/html", b"<html>please log in</html>"),
        ("application/json", b"{}"),
        ("application/json", b'{"data": []}'),
        ("application/json", b'{"data": [{"index": 0, "embedding": [1.0, 0.0]}]}'),
        ("application/json", b'{"data": [{"index": 0}, {"index": 1}]}'),
        ("application/json", b'{"data": [null, null]}'),
        ("application/json", b'{"data": "none"}'),
        ("application/json", b'{"data": [{"index": "a"}, {"index": 1}]}'),
    ],
)
def test_body_that_is_no_embedding_of_each_text_is_unavailable(
    odd: OddServer, content_type: str, body: bytes
) -> None:
    odd.content_type, odd.body = content_type, body
    with pytest.raises(ModelUnavailable):
        _embed(odd.base_url, "mug", "cup")


def test_vectors_come_in_the_order_of_their_texts_and_of_unit_length(odd: OddServer) -> None:
    vectors = [(1, [0.0, 0.0]), (0, [3.0, 4.0])]
    data = [{"index": index, "embedding": vector} for index, vector in vectors]
    odd.body = json.dumps({"data": data}).encode()
    np.testing.assert_allclose(_embed(odd.base_url, "mug", "cup"), [[0.6, 0.8], [0.0, 0.0]])


@pytest.mark.parametrize(
    ("finish_reason", "is_complete"),
    [("stop", True), ("length", False), ("content_filter", False), (None, True)],
)
def test_reply_that_was_cut_off_is_marked(
    odd: OddServer, finish_reason: str | None, is_complete: bool
) -> None:
    message = {"role": "assistant", "content": "a mug"}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    odd.body = json.dumps({"choices": [choice], "model": "served"}).encode()
    reply = _complete(odd.base_url)
    assert reply == Reply(
        "a mug", is_complete, "served", is_withheld=finish_reason == "content_filter"
    )


def test_endless_reply_is_cut_off(odd: OddServer) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "a mug" * 1_000_000}}
    odd.body = json.dumps({"choices": [choice]}).encode()
    reply = _complete(odd.base_url)
    assert isinstance(reply, Reply)
    assert (len(reply.text), reply.is_complete) == (1_000_000, False)


def test_refusal_without_content_is_an_empty_reply(odd: OddServer) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": None}}
    odd.body = json.dumps({"choices": [choice]}).encode()
    assert _complete(odd.base_url) == Reply("", True, "m")


@pytest.mark.parametrize("usage", [[1], "many", {"prompt_tokens": "many"}])
def test_what_is_no_count_of_tokens_counts_as_none(odd: OddServer, usage: object) -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "a mug"}}
    odd.body = json.dumps({"choices": [choice], "usage": usage, "model": 5}).encode()
    assert _complete(odd.base_url) == Reply("a mug", True, "m")


def test_tokens_are_counted(server: ModelServer) -> None:
    reply = _complete(server.base_url)
    assert reply.prompt_tokens > 0
    assert reply.completion_tokens > 0


def test_pictures_follow_the_text_each_after_its_caption() -> None:
    pictures = (Picture("Frame 0", b"one"), Picture("Frame 1", b"two"))
    prompt = Prompt("t", "be eyes", "look", {}, pictures)
    system, user = _messages(prompt, "json_schema")
    assert system == {"role": "system", "content": "be eyes"}
    texts = [part.get("text") or part["image_url"]["url"] for part in user["content"]]
    encoded = [base64.b64encode(data).decode() for data in (b"one", b"two")]
    assert texts == [
        "look",
        "Frame 0",
        f"data:image/jpeg;base64,{encoded[0]}",
        "Frame 1",
        f"data:image/jpeg;base64,{encoded[1]}",
    ]


def test_key_comes_from_the_named_variable_and_may_be_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = EndpointConfig(api_key_variable="ROBOT_KEY")
    monkeypatch.delenv("ROBOT_KEY", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "of someone else")
    assert client_for(config).api_key == "none"
    monkeypatch.setenv("ROBOT_KEY", "secret")
    assert client_for(config).api_key == "secret"
