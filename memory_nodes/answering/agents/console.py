"""An agent that explores the history by short code, as at a Python console."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass, field
from typing import Any

from memory_nodes.answering.agents.commands import Commands
from memory_nodes.answering.agents.config import MAX_STEPS, AgentConfig
from memory_nodes.answering.agents.examples import similar_examples
from memory_nodes.answering.agents.pictures import KeyframePictures
from memory_nodes.answering.agents.recording import Clock, Listener, Stopwatch
from memory_nodes.answering.agents.run import FORCE_TASK, AgentRun, Run
from memory_nodes.answering.agents.sandbox import Sandbox
from memory_nodes.answering.agents.tree_view import TreeView
from memory_nodes.dates import Dates
from memory_nodes.episodic.history.tree import HistoryTree
from memory_nodes.errors import ExtraMissing, ModelError, ReplyError, StoreError
from memory_nodes.models.ports import ChatModel, Prompt, Reply
from memory_nodes.models.prompt_files import prompt_text
from memory_nodes.models.prompt_json import prompt_json, whole_characters
from memory_nodes.models.reply_json import parse_json
from memory_nodes.models.reply_schema import closed_object
from memory_nodes.retrieval.context import CHARS_PER_TOKEN

PROMPT_VERSION = "console_v1"
TASK = "agent_console"
NAME = "history"
MAX_SHOWN_CODE_CHARS = 1000
CUT = "... (no room for more)"
_FENCED = re.compile(r"```(?:python|py)?[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)
_CALL = re.compile(r"\b(?:expand|collapse|search|ask_vlm|answer)\(")
_PROMPT_SIGN = re.compile(r"^(?:>>>|\.\.\.) ?", re.MULTILINE)
_NO_CODE = "There was no code in that. Write code that calls the functions."
_REPEATED = (
    "You have run this very code before; it was not run again. Try something else: another node, "
    "other words, or answer() with what is known."
)


@dataclass
class Console:
    """What was typed, and what came of it."""

    entries: list[dict[str, str]] = field(default_factory=list)

    def has(self, code: str) -> bool:
        return any(entry["code"].split() == code.split() for entry in self.entries)

    def add(self, code: str, output: str) -> None:
        self.entries.append({"code": code, "output": output})

    def shown(self, max_chars: int) -> list[dict[str, str]]:
        """The newest that have room in a prompt, by time; of the very newest at least a part."""
        shown: list[dict[str, str]] = []
        for entry in reversed(self.entries):
            code, output = entry["code"][:MAX_SHOWN_CODE_CHARS], entry["output"]
            if not shown:
                excess = _written({"code": code, "output": output + CUT}) - max_chars
                output = f"{output[: max(0, len(output) - excess)]}{CUT}" if excess > 0 else output
            shown.append({"code": code, "output": output})
            if _written(shown) > max_chars and len(shown) > 1:
                shown.pop()
                break
        return shown[::-1]


@dataclass(frozen=True)
class HistoryConsole:
    """Source: H-EMV, section III-B (episodic memory access)."""

    tree: HistoryTree
    pictures: KeyframePictures
    model: ChatModel
    config: AgentConfig
    dates: Dates
    clock: Clock = time.monotonic

    async def answer(self, question: str, now_ns: int, deadline_s: float) -> AgentRun:
        """The answer within a time; at its end, or without a model, what was found last."""
        watch = Stopwatch(self.clock)
        model = Listener(self.model, watch)
        run = Run(NAME, question, now_ns, deadline_s, model, watch)
        try:
            root = await asyncio.to_thread(self.tree.root)
            if root is None:
                return run.nothing("no history is told yet")
            return await self._explore(run, TreeView(self.tree, root))
        except (ModelError, ReplyError, StoreError, ExtraMissing) as error:
            return run.give_up(f"the agent came to no answer: {error}")

    async def _explore(self, run: Run[Listener], view: TreeView) -> AgentRun:
        commands = Commands(
            run, view, self.tree, self.dates, self.pictures, self.config.max_console_pictures
        )
        sandbox, console = Sandbox(self.config), Console()
        while not run.has_to_answer(self.config.max_console_steps):
            reply = await run.model.complete(self._prompt(run, view, console), run.left_s())
            code = code_in(reply)
            output = await self._output(code, console, sandbox, commands, run.left_s())
            if commands.answered is not None:
                return run.conclude(commands.answered)
            console.add(code or reply.text[:MAX_SHOWN_CODE_CHARS], output)
            run.end_step(output)
        known = self._known(run, view, console)
        return await run.force(known, self.config.agent_temperature)

    async def _output(
        self, code: str, console: Console, sandbox: Sandbox, commands: Commands, left_s: float
    ) -> str:
        """What the model is shown of its code."""
        if not code:
            return _NO_CODE
        if console.has(code):
            return _REPEATED
        try:
            outcome = await asyncio.wait_for(sandbox.run(code, commands.functions()), left_s)
        except asyncio.TimeoutError:
            return "The code took longer than there is time."
        notes, commands.notes = commands.notes, []
        lines = [outcome.output, *dict.fromkeys(notes), outcome.error]
        return "\n".join(line for line in lines if line) or "(no output)"

    def _prompt(self, run: Run[Listener], view: TreeView, console: Console) -> Prompt:
        steps_left = self.config.max_console_steps - len(run.steps)
        known = {"steps_left": steps_left, **self._known(run, view, console)}
        return Prompt(
            task=TASK,
            system=self._system(run.question),
            text=prompt_json({"task": TASK, "question": run.question, **known}),
            reply_schema=closed_object(code={"type": "string"}),
            temperature=self.config.agent_temperature,
            max_tokens=512,
        )

    def _system(self, question: str) -> str:
        examples = similar_examples(question, self.config.console_examples)
        told = (f"An example, from another robot:\n\n{each.text}\n" for each in examples)
        return "\n".join((prompt_text(__package__, PROMPT_VERSION), *told))

    def _known(self, run: Run[Listener], view: TreeView, console: Console) -> dict[str, Any]:
        """The tree comes last: what the model looks at next. The console has what that leaves."""
        now = self.dates.moment(run.now_ns)
        room = self._room_chars(run.question, now)
        tree = _lines_within(view, min(self.config.max_tree_tokens * CHARS_PER_TOKEN, room // 2))
        return {"now": now, "console": console.shown(room - _written(tree)), "tree": tree}

    def _room_chars(self, question: str, now: str) -> int:
        """For console and tree: what instructions, examples and question leave."""
        fixed = {"task": FORCE_TASK, "question": question, "steps_left": MAX_STEPS, "now": now}
        empty = _written({**fixed, "console": [], "tree": []}) + len(self._system(question))
        return max(0, self.config.max_agent_prompt_tokens * CHARS_PER_TOKEN - empty)


def _lines_within(view: TreeView, max_chars: int) -> list[str]:
    """The tree in a prompt, where quotes and the like take more than in the text itself."""
    lines = view.lines(max_chars)
    while (excess := _written(lines) - max_chars) > 0 and len(lines) > 1:
        room = sum(len(line) + 1 for line in lines) - excess
        if room <= 0 or (closer := view.lines(room)) == lines:
            break
        lines = closer
    return lines


def _written(value: object) -> int:
    """Characters that a value takes in a prompt."""
    return len(prompt_json(value))


def code_in(reply: Reply) -> str:
    """The code of a reply: from its JSON, from a block of code, or all of it; empty: none."""
    try:
        value = parse_json(reply.text)
    except ReplyError:
        value = None
    written = value.get("code") if isinstance(value, dict) else None
    code = written if isinstance(written, str) else ""
    if not code:
        fenced = _FENCED.search(reply.text)
        code = fenced[1] if fenced else reply.text if _CALL.search(reply.text) else ""
    return whole_characters(_PROMPT_SIGN.sub("", code)).strip()
