"""What a server can do is found out, once, and what it says of its limits is heeded."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path

import openai
import pytest

from memory_nodes.errors import ConfigurationError, ModelRejected, ModelUnavailable
from memory_nodes.models.openai_chat import OpenAIChat
from memory_nodes.models.openai_endpoint import EndpointConfig, client_for
from memory_nodes.models.ports import Picture, Prompt, Reply
from memory_test_support.picky_server import PickyServer, form_of, picky_server


@pytest.fixture
def server() -> Iterator[PickyServer]:
    with picky_server() as running:
        yield running


def ask(server: PickyServer, times: int = 1, images: int = 0, max_calls: int = 4) -> list[Reply]:
    """So many calls at once, through one chat."""
    pictures = tuple(Picture(f"Frame {n}", b"jpeg") for n in range(images))
    prompt = Prompt("answer", "You answer.", "Where?", {"type": "object"}, pictures)

    async def run() -> list[Reply]:
        async with openai.AsyncOpenAI(
            base_url=server.base_url, api_key="none", max_retries=0
        ) as client:
            chat = OpenAIChat(client, "m", max_calls)
            first = [await chat.complete(prompt, 10.0)]
            others = [chat.complete(prompt, 10.0) for _ in range(times - 1)]
            return first + await asyncio.gather(*others)

    return asyncio.run(run())


def forms_of(server: PickyServer) -> list[str]:
    return [form_of(body) for body in server.bodies]


def test_schema_is_asked_for_where_the_server_has_it(server: PickyServer) -> None:
    ask(server, times=2)
    assert forms_of(server) == ["json_schema", "json_schema"]


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize("form", ["json_object_schema", "json_object", "none"])
def test_looser_form_is_found_once_and_remembered(
    server: PickyServer, form: str, status: int
) -> None:
    server.forms, server.refusal_status = [form, "none"], status
    ask(server, times=3)
    tried = ["json_schema", "json_object_schema", "json_object", "none"]
    assert forms_of(server) == [*tried[: tried.index(form) + 1], form, form]


def test_model_is_told_the_schema_that_the_server_does_not_enforce(server: PickyServer) -> None:
    server.forms = ["none"]
    ask(server)
    assert '{"type": "object"}' in server.bodies[-1]["messages"][0]["content"]
    assert "schema" not in server.bodies[0]["messages"][0]["content"]


def test_request_that_is_refused_in_every_form_teaches_nothing(server: PickyServer) -> None:
    server.forms = []
    with pytest.raises(ModelRejected, match="json_schema"):
        ask(server)
    assert len(server.bodies) == 4


def test_limit_of_images_is_read_from_the_refusal(server: PickyServer) -> None:
    server.max_images = 3
    with pytest.raises(ModelRejected) as caught:
        ask(server, images=8)
    assert (caught.value.is_too_large, caught.value.max_images) == (True, 3)
    assert len(server.bodies) == 1


def test_context_that_is_too_long_is_told_from_other_refusals(server: PickyServer) -> None:
    server.max_chars = 100
    with pytest.raises(ModelRejected) as caught:
        ask(server)
    assert (caught.value.is_too_large, caught.value.max_images) == (True, None)


def test_time_that_an_overloaded_server_asks_for_is_passed_on(server: PickyServer) -> None:
    server.overloaded_for = 1
    with pytest.raises(ModelUnavailable) as caught:
        ask(server)
    assert caught.value.retry_after_s == 7.0


def test_time_may_be_named_by_a_date(server: PickyServer) -> None:
    server.overloaded_for = 1
    server.retry_after = format_datetime(datetime.now(timezone.utc) + timedelta(minutes=5))
    with pytest.raises(ModelUnavailable) as caught:
        ask(server)
    assert caught.value.retry_after_s == pytest.approx(300.0, abs=30.0)


@pytest.mark.parametrize(
    ("words", "most"),
    [
        ("At most 4 image(s) may be provided in one request.", 4),
        ("You set image=2 (or defaulted to 1) in `--limit-mm-per-prompt`, but passed 3 items", 1),
        ("Too many images in request. This model supports up to 5 images.", 5),
        ("too many images and documents", None),
        ("This model's maximum context length is 8192 tokens.", None),
        ("`inputs` tokens + `max_new_tokens` must be <= 4096", None),
    ],
)
def test_limits_are_read_in_the_words_of_many_servers(
    server: PickyServer, words: str, most: int | None
) -> None:
    refusal = _refused(server, words)
    assert (refusal.is_too_large, refusal.max_images) == (True, most)


@pytest.mark.parametrize("words", ["Image too large: 9000 x 9000", "invalid image format"])
def test_refusal_of_one_image_says_nothing_of_the_number(server: PickyServer, words: str) -> None:
    assert not _refused(server, words).is_too_large


def _refused(server: PickyServer, words: str) -> ModelRejected:
    server.refuses_with = words
    with pytest.raises(ModelRejected) as caught:
        ask(server, images=3)
    return caught.value


def test_no_more_calls_run_at_once_than_allowed(server: PickyServer) -> None:
    ask(server, times=9, max_calls=2)
    assert server.most_at_once == 2


def test_key_comes_from_the_environment_before_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    file.write_text("from-file\n")
    config = EndpointConfig(api_key_variable="MEMORY_TEST_KEY", api_key_file=str(file))
    assert client_for(config).api_key == "from-file"
    monkeypatch.setenv("MEMORY_TEST_KEY", "from-environment")
    assert client_for(config).api_key == "from-environment"


def test_key_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    config = EndpointConfig(api_key_variable="", api_key_file=str(tmp_path / "gone"))
    with pytest.raises(ConfigurationError, match="gone"):
        client_for(config)
