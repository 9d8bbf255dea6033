"""Tools for models whose server knows none: the call is asked for as JSON, in a plain prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
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
from memory_nodes.models.prompt_json import prompt_json
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
    lines = [conversation.system, "", _HOW, *_signatures(functions)]
    said = [part for message in conversation.messages for part in _said(message)]
    return Prompt(
        task=conversation.task,
        system="\n".join(lines),
        text=prompt_json({"task": conversation.task, "messages": said}, is_compact=True),
        reply_schema={"anyOf": [_call_schema(function) for function in functions]},
        temperature=conversation.temperature,
        max_tokens=conversation.max_tokens,
        tells_form=True,
    )


def _signatures(functions: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """``- locate(text: string, layer?: string): where something was seen last``.

    What a parameter means is said at the first tool that has it.
    """
    said = set()
    for function in functions:
        named = []
        needed = _needed(function)
        for name, schema in _properties(function).items():
            mark = "" if name in needed else "?"
            meaning = schema.get("description", "")
            text = f"{name}{mark}: {'|'.join(_kinds(schema))}"
            is_new = meaning and (name, meaning) not in said
            named.append(f"{text} ({meaning})" if is_new else text)
            said.add((name, meaning))
        yield f"- {function['name']}({', '.join(named)}): {function.get('description', '')}"


def _kinds(schema: Mapping[str, Any]) -> list[str]:
    """What a parameter may be: words to choose from, or types."""
    if "enum" in schema:
        return [str(each) for each in schema["enum"] if each is not None]
    if "anyOf" in schema:
        return [kind for each in schema["anyOf"] for kind in _kinds(each)]
    return [kind for kind in _types(schema) if kind != "null"]


def _may_be_null(schema: Mapping[str, Any]) -> bool:
    return "null" in _types(schema) or any(map(_may_be_null, schema.get("anyOf", ())))


def _types(schema: Mapping[str, Any]) -> list[str]:
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else list(types)


def _properties(function: Mapping[str, Any]) -> dict[str, Any]:
    return dict(function.get("parameters", {}).get("properties", {}))


def _call_schema(function: Mapping[str, Any]) -> JsonSchema:
    """What may be null may be left out, which spares a small model many words."""
    return closed_object(
        tool={"type": "string", "enum": [function["name"]]},
        arguments={**closed_object(**_properties(function)), "required": _needed(function)},
    )


def _needed(function: Mapping[str, Any]) -> list[str]:
    required = function.get("parameters", {}).get("required", ())
    properties = _properties(function).items()
    return [name for name, schema in properties if name in required and not _may_be_null(schema)]


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
