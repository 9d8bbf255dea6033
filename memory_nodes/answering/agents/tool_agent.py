"""An agent that looks for the answer with the recall tools."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from memory_nodes.answering.agents.brief_tools import brief
from memory_nodes.answering.agents.config import AgentConfig
from memory_nodes.answering.agents.recording import Clock, Stopwatch, ToolListener
from memory_nodes.answering.agents.run import ANSWER_SCHEMA, AgentRun, Finding, Run
from memory_nodes.answering.agents.tool_results import ToolResults
from memory_nodes.dates import Dates
from memory_nodes.errors import ModelError, ReplyError, StoreError
from memory_nodes.models.ports import Conversation, JsonSchema, Reply, ToolCall, ToolModel, Turn
from memory_nodes.models.prompt_files import prompt_text
from memory_nodes.models.prompt_json import prompt_json
from memory_nodes.retrieval.context import CHARS_PER_TOKEN

PROMPT_VERSION = "tools_v1"
TASK = "agent_tools"
NAME = "tools"
ANSWER = "answer"
"""The call that ends a run."""
MAX_CALLS = 4
"""In one step; servers let a model make several at once. More are passed over."""
ANSWER_TOOL: JsonSchema = {
    "type": "function",
    "function": {
        "name": ANSWER,
        "description": "Ends the search with the answer to the question.",
        "parameters": ANSWER_SCHEMA,
    },
}
_NO_CALL = (
    f'That was no call. Call one of the tools, or "{ANSWER}" with the answer if you have found it.'
)
_TOO_EARLY = "Nothing was looked up yet: call another tool first, then answer from its result."
_REPEATED = (
    "You have made this very call before, and its result stands above. Use another tool or other "
    f'arguments, or call "{ANSWER}".'
)


class ToolReply(Protocol):
    """What a tool found."""

    @property
    def is_ok(self) -> bool: ...

    @property
    def text(self) -> str:
        """For people."""
        ...

    @property
    def object_ids(self) -> tuple[str, ...]: ...

    @property
    def keyframe_ids(self) -> tuple[int, ...]: ...

    def as_json(self) -> str: ...


class Tools(Protocol):
    """Tools that read the memory; none of them acts."""

    def schemas(self) -> Sequence[Mapping[str, Any]]: ...

    async def call(self, tool: str, arguments_json: str, now_ns: int, max_chars: int) -> ToolReply:
        """``max_chars``: of its JSON."""
        ...


@dataclass(frozen=True)
class ToolAgent:
    """Source: eMEM, benchmark (an agent of at most five steps over the recall tools)."""

    tools: Tools
    model: ToolModel
    config: AgentConfig
    dates: Dates
    clock: Clock = time.monotonic

    async def answer(self, question: str, now_ns: int, deadline_s: float) -> AgentRun:
        """The answer within a time; at its end, or without a model, what was found last."""
        watch = Stopwatch(self.clock)
        model = ToolListener(self.model, watch)
        run = Run(NAME, question, now_ns, deadline_s, model, watch)
        asked = {"task": TASK, "question": question, "now": self.dates.moment(now_ns)}
        results = ToolResults(prompt_json(asked), self._room_chars())
        try:
            while not run.has_to_answer(self.config.max_tool_steps):
                turn = await model.call_tools(self._conversation(results), run.left_s())
                ended = await self._step(run, results, turn)
                if ended is not None:
                    return ended
            if not results.has_looked:
                return run.give_up("the agent looked nothing up")
            known = {"now": asked["now"], "found": results.found()}
            return await run.force(known, self.config.agent_temperature)
        except (ModelError, ReplyError, StoreError) as error:
            return run.give_up(f"the agent came to no answer: {error}")

    def schemas(self) -> tuple[JsonSchema, ...]:
        """All that the model may call."""
        return brief((*self.tools.schemas(), ANSWER_TOOL))

    def _room_chars(self) -> int:
        """For messages: what instructions and tools leave."""
        tools = json.dumps(self.schemas(), separators=(",", ":"))
        fixed = len(prompt_text(__package__, PROMPT_VERSION)) + len(tools)
        return max(0, self.config.max_agent_prompt_tokens * CHARS_PER_TOKEN - fixed)

    def _conversation(self, results: ToolResults) -> Conversation:
        return Conversation(
            task=TASK,
            system=prompt_text(__package__, PROMPT_VERSION),
            messages=results.messages(),
            tools=self.schemas(),
            temperature=self.config.agent_temperature,
        )

    async def _step(
        self, run: Run[ToolListener], results: ToolResults, turn: Turn
    ) -> AgentRun | None:
        """The end of the run, where the model answers."""
        if not turn.calls:
            results.add_remark(turn.reply.text, _NO_CALL)
            run.end_step(_NO_CALL)
            return None
        calls = turn.calls[:MAX_CALLS]
        max_chars = results.share(calls)
        for call in calls:
            if call.name == ANSWER:
                ended, hint = self._conclude(run, results, call)
                if ended is not None:
                    return ended
                results.add_hint(call, hint)
            elif results.holds(call):
                results.add_hint(call, _REPEATED)
            else:
                await self._call(run, results, call, max_chars)
        run.end_step(results.end_turn())
        return None

    def _conclude(
        self, run: Run[ToolListener], results: ToolResults, call: ToolCall
    ) -> tuple[AgentRun | None, str]:
        """The end, or a hint why this is none."""
        if not results.found():
            return None, _TOO_EARLY
        try:
            return run.conclude(Reply(call.arguments, True)), ""
        except ReplyError as error:
            return None, f"That answer cannot be read: {error}"

    async def _call(
        self, run: Run[ToolListener], results: ToolResults, call: ToolCall, max_chars: int
    ) -> None:
        work = self.tools.call(call.name, call.arguments, run.now_ns, max_chars)
        try:
            reply = await asyncio.wait_for(work, run.left_s())
        except asyncio.TimeoutError:
            results.add_hint(call, f"{call.name} took longer than there is time.")
            return
        if reply.is_ok:
            run.evidence.add(reply.object_ids, reply.keyframe_ids)
        if reply.is_ok and (reply.object_ids or reply.keyframe_ids):
            run.best = Finding(reply.text, reply.object_ids, reply.keyframe_ids)
        results.add(call, reply.as_json(), is_found=reply.is_ok)
