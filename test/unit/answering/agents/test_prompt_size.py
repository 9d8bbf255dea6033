"""A prompt stays within its budget, however much there is to be found."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.answering.agents.brief_tools import brief
from memory_nodes.answering.agents.config import AgentConfig
from memory_nodes.answering.agents.console import Console, HistoryConsole
from memory_nodes.answering.agents.pictures import KeyframePictures
from memory_nodes.answering.agents.tool_agent import ANSWER_TOOL, ToolAgent
from memory_nodes.answering.tools.reply import Findings, Item, ToolReply, bounded
from memory_nodes.answering.tools.table import TOOLS
from memory_nodes.episodic.history.tree import Branch, HistoryTree
from memory_nodes.models.ports import Conversation, ToolCall
from memory_nodes.models.tools_by_json import call_by_json
from memory_nodes.store.past import Past
from memory_test_support.agent_parts import SteppingClock, answer_fields
from memory_test_support.recorded_models import RecordedChat, RecordedTools
from memory_test_support.small_history import NOW_NS
from memory_test_support.told import BERLIN

MAX_TOKENS = 4000
CHARS_PER_TOKEN = 4
QUESTION = "Where is the mug? " * 111
"""Of nearly as many characters as a question may have."""


class FullTools:
    """Stands in for the tools over a memory without end: each result is as long as it may be."""

    def __init__(self, *, keeps_to_share: bool = True) -> None:
        self._keeps_to_share = keeps_to_share

    def schemas(self) -> Sequence[Mapping[str, Any]]:
        return [tool.schema() for tool in TOOLS]

    async def call(
        self, tool: str, arguments_json: str, now_ns: int, max_chars: int = 6000
    ) -> ToolReply:
        items = [
            Item({"id": f"mug_{n}", "text": "a mug <b> " * 20}, "", (f"mug_{n}",))
            for n in range(400)
        ]
        return bounded(Findings("", tuple(items)), max_chars if self._keeps_to_share else 60_000)


def calls(step: int, count: int) -> tuple[ToolCall, ...]:
    """So many at once, none as before, each as long as it may be."""
    texts = [f"{step} {number} ".ljust(480, "x") for number in range(count)]
    return tuple(
        ToolCall("recall", json.dumps({"query": text}), f"call_{number}")
        for number, text in enumerate(texts)
    )


def talk(tools: FullTools, count: int) -> RecordedTools:
    model = RecordedTools(
        [calls(step, count) for step in range(4)], json.dumps(answer_fields("There.", [], []))
    )
    agent = ToolAgent(tools, model, AgentConfig(), BERLIN, SteppingClock())
    asyncio.run(agent.answer(QUESTION, NOW_NS, 60.0))
    return model


def native_tokens(conversation: Conversation) -> float:
    texts = [conversation.system, json.dumps(conversation.tools, separators=(",", ":"))]
    for message in conversation.messages:
        texts += [message.text, *(call.name + call.arguments for call in message.calls)]
    return sum(map(len, texts)) / CHARS_PER_TOKEN


def json_tokens(conversation: Conversation) -> float:
    chat = RecordedChat("{}")
    asyncio.run(call_by_json(chat, conversation, 1.0))
    (prompt,) = chat.prompts
    return (len(prompt.system) + len(prompt.text)) / CHARS_PER_TOKEN


@pytest.mark.parametrize("keeps_to_share", [True, False])
@pytest.mark.parametrize("count", [1, 4])
def test_no_prompt_is_longer_than_the_budget(count: int, keeps_to_share: bool) -> None:
    model = talk(FullTools(keeps_to_share=keeps_to_share), count)
    assert len(model.conversations) == 4
    for conversation in model.conversations:
        assert native_tokens(conversation) <= MAX_TOKENS
        assert json_tokens(conversation) <= MAX_TOKENS
    (forced,) = model.prompts
    assert (len(forced.system) + len(forced.text)) / CHARS_PER_TOKEN <= MAX_TOKENS


@pytest.mark.parametrize("count", [1, 4])
def test_newest_results_keep_whole_hits_and_count_the_others(count: int) -> None:
    results = [each for each in talk(FullTools(), count).conversations[-1].messages if each.call_id]
    for result in results[-count:]:
        told = json.loads(result.text)
        assert told["hits"]
        assert len(told["hits"]) + told["left_out"] == 400


def test_tools_are_described_in_few_words() -> None:
    schemas = brief([*(tool.schema() for tool in TOOLS), ANSWER_TOOL])
    assert len(json.dumps(schemas, separators=(",", ":"))) / CHARS_PER_TOKEN < 1500


def test_brief_tools_have_the_same_parameters_each_explained_once() -> None:
    whole = [tool.schema()["function"] for tool in TOOLS]
    explained: list[tuple[str, str]] = []
    for tool, short in zip(TOOLS, brief(tool.schema() for tool in TOOLS), strict=True):
        parameters = short["function"]["parameters"]
        assert list(parameters["properties"]) == [item.name for item in tool.arguments]
        assert parameters["required"] == [item.name for item in tool.arguments if item.is_required]
        explained += [
            (name, value["description"])
            for name, value in parameters["properties"].items()
            if "description" in value
        ]
    assert len(explained) == len(set(explained))
    meanings = {
        (name, value["description"])
        for function in whole
        for name, value in function["parameters"]["properties"].items()
    }
    assert set(explained) == meanings


class EndlessTree(HistoryTree):
    """Stands in for a history without end: below each node are a thousand, each long to tell."""

    def root(self) -> Branch:
        return self.node("history_1")

    def node(self, node_id: str) -> Branch:
        return Branch(node_id, "day", 3, 0, NOW_NS, f'{node_id} said "go" <here> ' * 40)

    def children(self, node_id: str) -> list[Branch]:
        return [self.node(f"{node_id}{number:03}") for number in range(1000)]


@pytest.mark.parametrize("max_tree_tokens", [2000, 100_000])
def test_no_prompt_of_the_console_is_longer_than_the_budget(
    past: Past, tmp_path: Path, max_tree_tokens: int
) -> None:
    """Each step prints as much as it may, opens twenty nodes more, and is as long as it may be."""
    config = AgentConfig(max_tree_tokens=max_tree_tokens)
    steps = [
        f"for node in expand('history_1', {20 * step})[:2]:\n    expand(node)\n"
        f"print('\"{step}<' * 2000) # ".ljust(1500, "x")
        for step in range(config.max_console_steps - 1)
    ]
    said = json.dumps(answer_fields("There.", [], []))
    model = RecordedChat(*(json.dumps({"code": step}) for step in steps), said)
    tree, pictures = EndlessTree(past, BERLIN), KeyframePictures(past, tmp_path)
    console = HistoryConsole(tree, pictures, model, config, BERLIN, SteppingClock())
    asyncio.run(console.answer(QUESTION, NOW_NS, 60.0))
    assert len(model.prompts) == config.max_console_steps
    for step, prompt in enumerate(model.prompts):
        assert (len(prompt.system) + len(prompt.text)) / CHARS_PER_TOKEN <= MAX_TOKENS
        shown = json.loads(prompt.text)
        assert len(shown["tree"]) > 1 or step == 0
        if step:  # what was done last is there still, and some of what came of it
            last = shown["console"][-1]
            assert last["code"].startswith(f"for node in expand('history_1', {20 * (step - 1)})")
            assert last["output"].startswith(f'"{step - 1}<')


def test_console_keeps_the_newest_whole_and_leaves_out_the_oldest() -> None:
    console = Console()
    for number in range(4):
        console.add(f"print({number})", str(number) * 300)
    assert [entry["output"] for entry in console.shown(800)] == ["2" * 300, "3" * 300]
    (cut,) = console.shown(100)
    assert cut["output"].startswith("333") and len(cut["output"]) < 100
