"""Conversations with tools in the form of /chat/completions."""

from __future__ import annotations

import json
from typing import Any

from memory_nodes.models.ports import Conversation, Message, ToolCall
from memory_nodes.models.reply_schema import closed_object

MAX_ARGUMENTS_CHARS = 100_000
TRIAL = Conversation(
    task="trial",
    system="You call tools.",
    messages=(Message("user", "Call the tool."),),
    tools=(
        {
            "type": "function",
            "function": {
                "name": "ready",
                "description": "Says that you are ready.",
                "parameters": closed_object(),
            },
        },
    ),
    temperature=0.0,
    max_tokens=64,
)
"""The least that shows whether a server knows tools."""


def tool_messages(conversation: Conversation) -> list[dict[str, Any]]:
    """The instructions, and what was said since."""
    said = [_written(message) for message in conversation.messages]
    return [{"role": "system", "content": conversation.system}, *said]


def calls_in(message: Any) -> tuple[ToolCall, ...]:
    """The calls of functions in a message of the library, which checks none of it."""
    found = []
    listed = getattr(message, "tool_calls", None)
    for number, call in enumerate(listed if isinstance(listed, list) else (), 1):
        function: Any = getattr(call, "function", None)  # there are other kinds of tools
        name = getattr(function, "name", None)
        if isinstance(name, str) and name:
            call_id = call.id if isinstance(call.id, str) and call.id else f"call_{number}"
            found.append(ToolCall(name, _arguments(function.arguments), call_id))
    return tuple(found)


def _arguments(written: object) -> str:
    """As JSON: some servers write an object instead. What is cut off is none, and refused."""
    text = written if isinstance(written, str | None) else json.dumps(written, ensure_ascii=False)
    return (text or "{}")[:MAX_ARGUMENTS_CHARS]


def _written(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
    written: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.calls:
        written["tool_calls"] = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.calls
        ]
    return written
