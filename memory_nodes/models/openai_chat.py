"""Chat, vision and tools through any OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import openai

from memory_nodes.errors import ModelRejected, ModelUnavailable
from memory_nodes.models.openai_endpoint import EndpointConfig, client_for, mapped, within
from memory_nodes.models.openai_tools import TRIAL, calls_in, tool_messages
from memory_nodes.models.ports import Conversation, Prompt, Reply, Turn
from memory_nodes.models.tools_by_json import call_by_json

_FORMS = ("json_schema", "json_object_schema", "json_object", "text")
"""How a reply's form can be asked for, the strictest first. Some servers, llama.cpp's from Python
among them, know the schema only as a part of json_object."""


class OpenAIChat:
    """A ToolModel behind /chat/completions.

    What the server can do is found out once: a form of reply that it refuses is not asked for
    again, as soon as a looser one has worked. Before the first call of a tool it is tried whether
    the server knows any: some refuse them, others pass over them, and their models are asked for
    the call as JSON.
    """

    def __init__(self, client: openai.AsyncOpenAI, model: str, max_calls: int = 4) -> None:
        self._client = client
        self._model = model
        self._turns = asyncio.Semaphore(max_calls)
        self._form = _FORMS[0]
        self._knows_tools: bool | None = None

    async def complete(self, prompt: Prompt, deadline_s: float) -> Reply:
        return await within(deadline_s, self._in_turn(prompt, deadline_s))

    async def _in_turn(self, prompt: Prompt, timeout_s: float) -> Reply:
        refusal: ModelRejected | None = None
        async with self._turns:
            for form in _FORMS[_FORMS.index(self._form) :]:
                try:
                    reply = await self._ask(prompt, form, timeout_s)
                except ModelRejected as error:
                    if error.is_too_large:
                        raise
                    refusal = refusal or error
                    continue
                self._form = form
                return reply
        assert refusal is not None
        raise refusal

    async def call_tools(self, conversation: Conversation, deadline_s: float) -> Turn:
        return await within(deadline_s, self._call_tools(conversation, deadline_s))

    async def _call_tools(self, conversation: Conversation, timeout_s: float) -> Turn:
        if self._knows_tools is None:
            self._knows_tools = await self._tries_tools(timeout_s)
        if self._knows_tools:
            return await self._call_natively(conversation, timeout_s)
        return await call_by_json(self, conversation, timeout_s)

    async def _tries_tools(self, timeout_s: float) -> bool | None:
        """Whether a model that has to call a tool does so; None where it was cut off before.

        Asked with few words: a slow server that passes over tools would read all of a long
        conversation, and what they can do, for nothing.
        """
        try:
            turn = await self._call_natively(TRIAL, timeout_s)
        except ModelRejected:
            return False
        return True if turn.calls else False if turn.reply.is_complete else None

    async def _call_natively(self, conversation: Conversation, timeout_s: float) -> Turn:
        async with self._turns:
            choice, reply = await self._create(
                timeout_s,
                messages=tool_messages(conversation),
                temperature=conversation.temperature,
                max_tokens=conversation.max_tokens,
                tools=list(conversation.tools),
                tool_choice="required",
            )
        return Turn(reply, calls_in(choice.message))

    async def _ask(self, prompt: Prompt, form: str, timeout_s: float) -> Reply:
        _, reply = await self._create(
            timeout_s,
            messages=_messages(prompt, form),
            temperature=prompt.temperature,
            max_tokens=prompt.max_tokens,
            response_format=_response_format(prompt, form),
        )
        return reply

    async def _create(self, timeout_s: float, **options: Any) -> tuple[Any, Reply]:
        """The first choice of one completion, and the text in it."""
        create: Any = self._client.chat.completions.create
        completion = await mapped(create(model=self._model, timeout=timeout_s, **options))
        choices = getattr(completion, "choices", None)  # the library passes other bodies through
        if not choices or choices[0].message is None:
            raise ModelUnavailable(f"{self._model} answered with no chat completion: try again")
        choice, usage = choices[0], completion.usage
        return choice, Reply(
            text=choice.message.content or "",
            is_complete=choice.finish_reason not in ("length", "content_filter"),
            model=completion.model or self._model,
            prompt_tokens=usage.prompt_tokens if usage else 0,
            completion_tokens=usage.completion_tokens if usage else 0,
            is_withheld=choice.finish_reason == "content_filter",
        )


def chat_for(config: EndpointConfig) -> OpenAIChat | None:
    """The model at the endpoint; None where the suite is to work without one."""
    if not config.base_url:
        return None
    return OpenAIChat(client_for(config), config.model, config.max_calls)


def _messages(prompt: Prompt, form: str) -> Any:
    parts: list[dict[str, Any]] = [{"type": "text", "text": prompt.text}]
    for picture in prompt.pictures:
        url = "data:image/jpeg;base64," + base64.b64encode(picture.jpeg).decode("ascii")
        parts.append({"type": "text", "text": picture.caption})
        parts.append({"type": "image_url", "image_url": {"url": url}})
    content: object = parts if prompt.pictures else prompt.text
    system = prompt.system
    if (
        form != _FORMS[0] and not prompt.tells_form
    ):  # the server may not enforce the schema: the model is told of it
        system = f"{system}\n\nThe JSON schema of the answer:\n{json.dumps(prompt.reply_schema)}"
    return [{"role": "system", "content": system}, {"role": "user", "content": content}]


def _response_format(prompt: Prompt, form: str) -> Any:
    if form == "json_schema":
        schema = {"name": prompt.task, "schema": prompt.reply_schema, "strict": True}
        return {"type": "json_schema", "json_schema": schema}
    if form == "json_object_schema":
        return {"type": "json_object", "schema": prompt.reply_schema}
    return openai.NOT_GIVEN if form == "text" else {"type": form}
