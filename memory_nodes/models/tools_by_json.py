"""Tools for models whose server knows none: the call is asked for as JSON, in a plain prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from memory_nodes.errors import ReplyError
from memory_nodes.models.ports import (
    ChatModel,
    Conversation,
    JsonSchema,
    Message,
    Prompt,
    Reply,
    ToolCall,
    Turn,
)
from memory_nodes.models.reply_json import parse_json
from memory_nodes.models.reply_schema import closed_object

_HOW = (
    'Call exactly one tool. Answer with JSON only: {"tool": "its name", "arguments": {...}}. '
    "A parameter with ? may be left out. The tools:"
)
_TAGS = re.compile(r"</?tool_call>")
"""Around a call, where a model was trained with tools; what is inside them is the reply here."""


async def call_by_json(chat: ChatModel, conversation: Conversation, deadline_s: float) -> Turn:
    """One call, or none where the reply holds none. Raises as ChatModel.complete does."""
    reply = await chat.complete(_prompt(conversation), deadline_s)
    return Turn(reply, _calls(reply))


def _prompt(conversation: Conversation) -> Prompt:
    functions = [tool["function"] for tool in conversation.tools]
    lines = [conversation.system, "", _HOW, *map(_signature, functions)]
    said = [part for message in conversation.messages for part in _said(message)]
    return Prompt(
        task=conversation.task,
        system="\n".join(lines),
        text=json.dumps({"task": conversation.task, "messages": said}, ensure_ascii=False),
        reply_schema={"anyOf": [_call_schema(function) for function in functions]},
        temperature=conversation.temperature,
        max_tokens=conversation.max_tokens,
    )


def _signature(function: Mapping[str, Any]) -> str:
    """``- locate(text: string, layer?: string): where something was seen last``."""
    parameters = function.get("parameters", {})
    required = parameters.get("required", ())
    named = ", ".join(
        f"{name}{'' if name in required else '?'}: {_type(schema)}"
        for name, schema in parameters.get("properties", {}).items()
    )
    return f"- {function['name']}({named}): {function.get('description', '')}"


def _type(schema: Mapping[str, Any]) -> str:
    text = "|".join(map(str, schema["enum"])) if "enum" in schema else schema.get("type", "any")
    meaning = schema.get("description", "")
    return f"{text} ({meaning})" if meaning else str(text)


def _call_schema(function: Mapping[str, Any]) -> JsonSchema:
    name = {"type": "string", "enum": [function["name"]]}
    return closed_object(tool=name, arguments=function.get("parameters", {"type": "object"}))


def _said(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [{"role": "tool", "result": _plain(message.text)}]
    calls = [
        {"role": "assistant", "tool": call.name, "arguments": _plain(call.arguments)}
        for call in message.calls
    ]
    return [{"role": message.role, "text": message.text}, *calls] if message.text else calls


def _plain(text: str) -> Any:
    """JSON stands in the prompt as it is, not as a string with every quote escaped."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # the latter: nested without end
        return text


def _calls(reply: Reply) -> tuple[ToolCall, ...]:
    try:
        value = parse_json(_TAGS.sub(" ", reply.text))
    except ReplyError:
        return ()
    if not isinstance(value, dict):
        return ()
    name = value.get("tool", value.get("name"))
    arguments = value.get("arguments", {})
    if not reply.is_complete or not isinstance(name, str):
        return ()
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return (ToolCall(name, written, "call_1"),)
