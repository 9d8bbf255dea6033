"""A model calls tools, whatever its server knows of them; what it knows is found out once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import openai
import pytest

from memory_nodes.errors import ModelRejected, ModelUnavailable
from memory_nodes.models.openai_chat import OpenAIChat
from memory_nodes.models.ports import Conversation, Message, ToolCall, Turn
from memory_nodes.models.tools_by_json import call_by_json
from memory_test_support.model_server import ModelServer
from memory_test_support.picky_server import PickyServer, picky_server
from memory_test_support.recorded_models import RecordedChat, reply

LOCATE = {
    "type": "function",
    "function": {
        "name": "locate",
        "description": "where something was seen last",
        "parameters": {
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "what to look for"},
                "layer": {"anyOf": [{"type": "string", "enum": ["speech", "action"]}]},
                "since": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            },
            "required": ["text", "layer", "since"],
            "additionalProperties": False,
        },
    },
}
CALL = ToolCall("locate", '{"text": "mug"}', "call_7")
ASKED = Conversation("agent_tools", "You call tools.", (Message("user", "Where?"),), (LOCATE,))
TALK = Conversation(
    "agent_tools",
    "You call tools.",
    (
        Message("user", "Where?"),
        Message("assistant", "", (CALL,)),
        Message("tool", '{"hits": []}', call_id="call_7"),
    ),
    (LOCATE,),
)
BY_JSON = '{"tool": "locate", "arguments": {"text": "mug"}}'


@pytest.fixture
def server() -> Iterator[PickyServer]:
    with picky_server() as running:
        yield running


def ask(base_url: str, talk: Conversation = ASKED, times: int = 1, deadline_s: float = 10) -> Turn:
    """The last of so many turns, through one chat."""

    async def run() -> Turn:
        async with openai.AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0) as client:
            chat = OpenAIChat(client, "m")
            for _ in range(times - 1):
                await chat.call_tools(talk, deadline_s)
            return await chat.call_tools(talk, deadline_s)

    return asyncio.run(run())


def test_server_that_knows_tools_is_given_them_and_must_call_one(server: PickyServer) -> None:
    assert ask(server.base_url, times=2).calls == (CALL,)
    assert [body["tool_choice"] for body in server.bodies] == ["required"] * 3
    assert [names(body) for body in server.bodies] == [["ready"], ["locate"], ["locate"]]


def names(body: dict[str, Any]) -> list[str]:
    return [tool["function"]["name"] for tool in body["tools"]]


def test_what_was_called_and_found_is_told_in_the_form_of_the_api(server: PickyServer) -> None:
    ask(server.base_url, TALK)
    function = {"name": "locate", "arguments": '{"text": "mug"}'}
    assert server.bodies[1]["messages"] == [
        {"role": "system", "content": "You call tools."},
        {"role": "user", "content": "Where?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "call_7", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "call_7", "content": '{"hits": []}'},
    ]


@pytest.mark.parametrize(
    ("tools", "status"), [("refused", 400), ("refused", 500), ("passed over", 400)]
)
def test_server_without_tools_is_asked_for_json_and_not_for_tools_again(
    server: PickyServer, tools: str, status: int
) -> None:
    server.tools, server.refusal_status, server.content = tools, status, BY_JSON
    turn = ask(server.base_url, times=3)
    assert turn.calls == (ToolCall("locate", '{"text": "mug"}', "call_1"),)
    assert ["tools" in body for body in server.bodies] == [True, False, False, False]


def test_server_that_knows_tools_is_believed_when_its_model_calls_none(
    server: PickyServer,
) -> None:
    async def run() -> Turn:
        async with openai.AsyncOpenAI(base_url=server.base_url, api_key="none") as client:
            chat = OpenAIChat(client, "m")
            await chat.call_tools(ASKED, 10.0)
            server.tools, server.content = "passed over", "I would rather talk."
            return await chat.call_tools(ASKED, 10.0)

    turn = asyncio.run(run())
    assert (turn.reply.text, turn.calls) == ("I would rather talk.", ())
    assert all("tools" in body for body in server.bodies)


def test_server_that_hangs_costs_no_more_than_the_deadline() -> None:
    with ModelServer() as hanging:
        hanging.hang()
        with pytest.raises(ModelUnavailable, match=r"0\.5 s"):
            ask(hanging.base_url, deadline_s=0.5)


def test_server_that_is_down_says_nothing_of_its_tools(server: PickyServer) -> None:
    server.overloaded_for = 1
    with pytest.raises(ModelUnavailable):
        ask(server.base_url)
    assert len(server.bodies) == 1


def test_conversation_that_is_too_long_is_not_tried_in_another_form(server: PickyServer) -> None:
    server.max_chars = 1000
    with pytest.raises(ModelRejected) as caught:
        ask(server.base_url, replace(ASKED, system="x" * 1000))
    assert caught.value.is_too_large
    assert [names(body) for body in server.bodies] == [["ready"], ["locate"]]


def test_trial_that_is_cut_off_is_made_again(server: PickyServer) -> None:
    server.tools, server.content, server.finish_reason = "passed over", BY_JSON, "length"
    ask(server.base_url, times=2)
    assert ["tools" in body for body in server.bodies] == [True, False, True, False]


def test_trial_is_short(server: PickyServer) -> None:
    server.tools, server.content = "passed over", BY_JSON
    ask(server.base_url, replace(ASKED, system="x" * 1000))
    assert len(json.dumps(server.bodies[0])) < 600


@pytest.mark.parametrize(
    "text",
    [
        BY_JSON,
        f"I look for it.\n```json\n{BY_JSON}\n```",
        '<tool_call>{"name": "locate", "arguments": {"text": "mug"}}</tool_call>',
        '{"tool": "locate", "arguments": "{\\"text\\": \\"mug\\"}"}',
    ],
)
def test_call_is_read_however_a_model_writes_it(text: str) -> None:
    turn = asyncio.run(call_by_json(RecordedChat(text), ASKED, 1.0))
    assert turn.calls == (ToolCall("locate", '{"text": "mug"}', "call_1"),)


@pytest.mark.parametrize("text", ["", "no", "[1]", '{"tool": 3}', '{"arguments": {}}'])
def test_reply_without_a_call_is_a_turn_without_calls(text: str) -> None:
    turn = asyncio.run(call_by_json(RecordedChat(text), ASKED, 1.0))
    assert (turn.reply.text, turn.calls) == (text, ())


def test_call_that_was_cut_off_is_none() -> None:
    cut_off = RecordedChat(reply(BY_JSON, is_complete=False))
    assert asyncio.run(call_by_json(cut_off, ASKED, 1.0)).calls == ()


def test_prompt_in_json_names_each_tool_and_lets_leave_out_what_may_be_null() -> None:
    chat = RecordedChat(BY_JSON)
    asyncio.run(call_by_json(chat, TALK, 1.0))
    (prompt,) = chat.prompts
    assert (
        "- locate(text: string (what to look for), layer: speech|action, since?: string): where"
        " something was seen last"
    ) in prompt.system
    assert prompt.tells_form
    (form,) = prompt.reply_schema["anyOf"]
    assert form["properties"]["tool"]["enum"] == ["locate"]
    assert form["properties"]["arguments"]["required"] == ["text", "layer"]
    assert json.loads(prompt.text)["messages"] == [
        {"role": "user", "text": "Where?"},
        {"role": "assistant", "tool": "locate", "arguments": {"text": "mug"}},
        {"role": "tool", "result": {"hits": []}},
    ]


def test_meaning_of_a_parameter_is_said_once_and_the_schema_is_not_told_again(
    server: PickyServer,
) -> None:
    server.tools, server.content, server.forms = "refused", BY_JSON, ["json_object_schema"]
    other = {**LOCATE, "function": {**LOCATE["function"], "name": "recall"}}  # type: ignore[dict-item]
    ask(server.base_url, replace(ASKED, tools=(LOCATE, other)))
    told = server.bodies[-1]["messages"][0]["content"]
    assert "recall(text: string, " in told
    assert told.count("what to look for") == 1
    assert "additionalProperties" not in told


def test_half_of_a_character_can_be_sent() -> None:
    chat = RecordedChat(BY_JSON)
    talk = Conversation("agent_tools", "", (Message("user", "mug \ud83d"),), (LOCATE,))
    asyncio.run(call_by_json(chat, talk, 1.0))
    assert chat.prompts[0].text.encode("utf-8")
