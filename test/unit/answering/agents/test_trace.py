"""A run leaves a trace that can be read, and replayed to the same answer."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from memory_nodes.answering.agents.config import AgentConfig
from memory_nodes.answering.agents.console import HistoryConsole
from memory_nodes.answering.agents.pictures import KeyframePictures
from memory_nodes.answering.agents.recording import Clock
from memory_nodes.answering.agents.run import AgentRun, replay
from memory_nodes.answering.agents.tool_agent import ToolAgent
from memory_nodes.answering.agents.trace import Trace
from memory_nodes.episodic.history.tree import HistoryTree
from memory_nodes.errors import InputError, ModelRejected, ModelUnavailable
from memory_nodes.models.ports import ToolModel
from memory_nodes.store.past import Past
from memory_test_support.agent_parts import (
    SteppingClock,
    ThreeTools,
    answer,
    answer_fields,
    locate,
)
from memory_test_support.recorded_models import RecordedTools, Turn
from memory_test_support.small_history import NOW_NS
from memory_test_support.told import BERLIN

FORCED = json.dumps(answer_fields("On the desk.", ["mug_1"], [3]))


def tool_agent(model: ToolModel, clock: Clock) -> ToolAgent:
    return ToolAgent(ThreeTools(), model, AgentConfig(), BERLIN, clock)


def run_tools(model: RecordedTools, clock: Clock, deadline_s: float = 60.0) -> AgentRun:
    agent = tool_agent(model, clock)
    return asyncio.run(agent.answer("Where is the mug?", NOW_NS, deadline_s))


def test_steps_tokens_and_milliseconds_are_noted() -> None:
    """Of a clock that goes on by 10 ms at each look; a call of the model lies between two."""
    model = RecordedTools([(locate("mug"),), (answer("On the desk.", ["mug_1"]),)], FORCED)
    trace = run_tools(model, SteppingClock(0.01)).trace
    assert (trace.agent, trace.question, trace.now_ns) == ("tools", "Where is the mug?", NOW_NS)
    assert [step.said[0].turn.calls[0].name for step in trace.steps] == ["locate", "answer"]
    assert trace.steps[0].shown == '{"hits": [{"id": "mug_1"}]}'
    assert (trace.prompt_tokens, trace.completion_tokens) == (22, 14)
    assert [said.milliseconds for said in trace.said] == pytest.approx([10.0, 10.0])
    assert trace.milliseconds == pytest.approx(10.0 * len(trace.readings_s))


@pytest.mark.parametrize(
    ("calls", "deadline_s"),
    [
        ([(locate("mug"),), (answer("On the desk.", ["mug_1", "cup_9"], [3]),)], 60.0),
        ([(locate("mug"),), "hm", (locate("mug"),), (locate("cup"),)], 60.0),
        ([(locate("mug"),), ModelUnavailable("down")], 60.0),
        ([(locate("mug"),), ModelRejected("no")], 60.0),
        ([(locate("mug"),), (locate("cup"),), (locate("jar"),)], 0.06),
    ],
)
def test_replay_of_tools_is_the_same_run_again(calls: list[object], deadline_s: float) -> None:
    model = RecordedTools(calls, FORCED)  # type: ignore[arg-type]
    first = run_tools(model, SteppingClock(0.005), deadline_s)
    read = Trace.from_json(first.trace.as_json())
    assert read == first.trace
    assert asyncio.run(replay(read, tool_agent)) == first


@pytest.mark.parametrize(
    "last", ['{"code": "answer(\\"Tea.\\", keyframe_ids=[1])"}', "no code", ModelUnavailable("x")]
)
def test_replay_of_the_console_is_the_same_run_again(
    tree: HistoryTree, past: Past, tmp_path: Path, last: Turn
) -> None:
    root = tree.root()
    assert root is not None

    def console(model: ToolModel, clock: Clock) -> HistoryConsole:
        pictures = KeyframePictures(past, tmp_path)
        return HistoryConsole(tree, pictures, model, AgentConfig(), BERLIN, clock)

    typed = [
        f'for node in search("{root.node_id}", "tea"):\n    expand(node)',
        "print(ask_vlm(1, 'What?'))",
    ]
    turns: list[Turn] = [json.dumps({"code": each}) for each in typed]
    model = RecordedTools([], *turns, '{"seen": "a kettle"}', last)
    agent = console(model, SteppingClock())
    first = asyncio.run(agent.answer("What was made?", NOW_NS, 60.0))
    read = Trace.from_json(first.trace.as_json())
    assert [step.shown for step in read.steps[:2]] == [
        "search: 1 nodes\nexpand: 2 nodes",
        "a kettle",
    ]
    assert asyncio.run(replay(read, console)) == first


def test_replay_with_other_parameters_says_that_it_is_another_run() -> None:
    model = RecordedTools([(locate("mug"),), (locate("cup"),)], FORCED)
    trace = run_tools(RecordedTools([(locate("mug"),), (answer("Yes."),)], FORCED), SteppingClock())

    def shorter(model: ToolModel, clock: Clock) -> ToolAgent:
        return ToolAgent(ThreeTools(), model, AgentConfig(max_tool_steps=2), BERLIN, clock)

    again = asyncio.run(replay(trace.trace, shorter))
    assert again.degraded
    assert "not those of the run" in again.problems[0]
    assert model.conversations == []


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "3", "[" * 5000, '{"format": "other"}', '{"format": "agent_trace_v1"}'],
)
def test_text_that_is_no_trace_is_an_input_error(text: str) -> None:
    with pytest.raises(InputError):
        Trace.from_json(text)


def test_field_of_another_kind_is_an_input_error() -> None:
    model = RecordedTools([(locate("mug"),), (answer("Yes."),)], FORCED)
    value = json.loads(run_tools(model, SteppingClock()).trace.as_json())
    value["steps"][0]["said"][0]["turn"]["reply"]["colour"] = "red"
    with pytest.raises(InputError):
        Trace.from_json(json.dumps(value))
