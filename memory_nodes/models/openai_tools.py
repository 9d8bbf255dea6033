"""Conversations with tools in the form of /chat/completions."""

from __future__ import annotations

from typing import Any

from memory_nodes.models.ports import Conversation, Message, ToolCall
from memory_nodes.models.reply_schema import closed_object

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
    """The calls of functions in a message of the library."""
    found = []
    for number, call in enumerate(message.tool_calls or (), 1):
        function = getattr(call, "function", None)  # there are other kinds of tools
        if function is not None and function.name:
            call_id = call.id or f"call_{number}"
            found.append(ToolCall(function.name, function.arguments or "{}", call_id))
    return tuple(found)


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
