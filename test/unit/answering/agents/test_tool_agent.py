"""The agent with tools looks a few times, and answers with what it was shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import pytest

from memory_nodes.answering.agents.config import AgentConfig
from memory_nodes.answering.agents.run import AgentRun
from memory_nodes.answering.agents.tool_agent import ToolAgent
from memory_nodes.answering.agents.tool_results import LEFT_OUT
from memory_nodes.answering.extractive import NOT_SEEN
from memory_nodes.errors import ModelUnavailable
from memory_nodes.models.ports import ToolCall
from memory_test_support.agent_parts import (
    Found,
    SteppingClock,
    ThreeTools,
    answer,
    answer_fields,
    call,
    locate,
    outcome,
)
from memory_test_support.recorded_models import RecordedTools, Silence, Turn
from memory_test_support.small_history import NOW_NS
from memory_test_support.told import BERLIN

ON_DESK = "It is on the desk."
FORCED = json.dumps(answer_fields(ON_DESK, ["mug_1"], [3]))


def run(
    model: RecordedTools,
    tools: ThreeTools | None = None,
    config: AgentConfig | None = None,
    deadline_s: float = 60.0,
    clock: SteppingClock | None = None,
) -> AgentRun:
    agent = ToolAgent(
        tools or ThreeTools(),
        model,
        config or AgentConfig(),
        BERLIN,
        clock or SteppingClock(),
    )
    return asyncio.run(agent.answer("Where is the mug?", NOW_NS, deadline_s))


def model(*calls: tuple[ToolCall, ...] | Turn, forced: Turn = FORCED) -> RecordedTools:
    return RecordedTools(calls, forced)


def results(played: RecordedTools) -> list[str]:
    """What the tools gave back, as the last conversation has it."""
    return [each.text for each in played.conversations[-1].messages if each.role == "tool"]


def test_answer_from_a_result_ends_the_run() -> None:
    played = model((locate("mug"),), (answer(ON_DESK, ["mug_1"], [3]),))
    ended = run(played)
    assert outcome(ended) == (ON_DESK, True, ("mug_1",), (3,), False)
    assert (ended.confidence, ended.problems) == (0.9, ())
    assert results(played) == ['{"hits": [{"id": "mug_1"}]}']


def test_question_and_time_are_data_in_the_first_message() -> None:
    played = model((locate("mug"),), (answer(ON_DESK),))
    run(played)
    first = played.conversations[0].messages[0]
    assert json.loads(first.text) == {
        "task": "agent_tools",
        "question": "Where is the mug?",
        "now": BERLIN.moment(NOW_NS),
    }


def test_ids_that_no_result_showed_are_dropped_and_reported() -> None:
    ended = run(model((locate("mug"),), (answer(ON_DESK, ["mug_1", "mug_2"], [3, 9]),)))
    assert outcome(ended) == (ON_DESK, True, ("mug_1",), (3,), False)
    assert [("mug_2" in each, "9" in each) for each in ended.problems] == [
        (True, False),
        (False, True),
    ]


def test_answer_that_names_only_what_was_not_shown_is_dropped() -> None:
    ended = run(model((locate("mug"),), (answer("It is at the stairs.", ["stairs_1"]),)))
    assert outcome(ended) == (NOT_SEEN, False, (), (), True)


def test_answer_before_anything_was_looked_up_is_asked_to_look_first() -> None:
    played = model((answer("On the moon."),), (locate("mug"),), (answer(ON_DESK),))
    ended = run(played)
    assert ended.text == ON_DESK
    assert "call another tool first" in results(played)[0]


def test_refused_calls_have_looked_nothing_up() -> None:
    played = model((ToolCall("fly", "{}", "call_1"),), (answer("On the moon."),), "So.", "Ah.")
    ended = run(played)
    assert outcome(ended) == (NOT_SEEN, False, (), (), True)
    assert "call another tool first" in results(played)[-1]


def test_agent_that_only_talks_is_not_asked_for_an_answer_out_of_nothing() -> None:
    played = model("Hm.", "Well.", "So.", "Ah.")
    ended = run(played)
    assert outcome(ended) == (NOT_SEEN, False, (), (), True)
    assert played.prompts == []


def test_names_of_calls_take_no_more_room_than_a_name_needs() -> None:
    nonsense = ToolCall("fly" * 10_000, "{}", "call" * 10_000)
    played = model((locate("mug"),), (nonsense,), (answer(ON_DESK),))
    assert run(played).found
    (said,) = (each for each in played.conversations[-1].messages[3:] if each.role == "assistant")
    assert (len(said.calls[0].name), len(said.calls[0].call_id)) == (64, 64)
    assert played.conversations[-1].messages[-1].call_id == said.calls[0].call_id


def test_same_call_is_not_made_twice_however_it_is_written() -> None:
    tools = ThreeTools()
    again = ToolCall("locate", '{ "text" : "mug" }', "call_2")
    played = model((locate("mug"),), (again,), (answer(ON_DESK),))
    assert run(played, tools).text == ON_DESK
    assert tools.asked == [("locate", '{"text": "mug"}')]
    assert "this very call" in results(played)[-1]


def test_refusal_of_a_tool_is_told_to_the_model() -> None:
    played = model((call("fly", text="up"),), (locate("mug"),), (answer(ON_DESK),))
    assert run(played).found
    assert results(played)[0] == '{"error": "no such tool: use locate"}'


def test_talk_without_a_call_is_answered_with_a_hint() -> None:
    played = model("Let me think.", (locate("mug"),), (answer(ON_DESK),))
    assert run(played).text == ON_DESK
    said = played.conversations[1].messages
    assert [each.role for each in said] == ["user", "assistant", "user"]
    assert "Call one of the tools" in said[-1].text


def test_last_step_has_to_answer_from_the_results() -> None:
    looks = [(locate(text),) for text in ("mug", "cup", "glass", "jar", "never")]
    played = model(*looks)
    ended = run(played)
    assert outcome(ended) == (ON_DESK, True, ("mug_1",), (3,), False)
    assert len(played.conversations) == 4
    assert len(ended.trace.steps) == 5
    (forced,) = played.prompts
    body = json.loads(forced.text)
    assert body["found"][0] == {
        "tool": "locate",
        "arguments": '{"text": "mug"}',
        "result": {"hits": [{"id": "mug_1"}]},
    }


def test_time_that_runs_out_brings_the_answer_forward() -> None:
    """Each call takes 1 s of 5: after the third there is time for hardly two more."""
    looks = [(locate(text),) for text in ("mug", "cup", "glass", "jar")]
    played = model(*looks)
    ended = run(played, deadline_s=5.0, clock=SteppingClock(0.5))
    assert ended.found
    assert 0 < len(played.conversations) < 4
    assert len(played.prompts) == 1


def test_model_that_stops_answering_leaves_what_was_found_last() -> None:
    ended = run(model((locate("mug"),), ModelUnavailable("down")))
    assert outcome(ended) == ("The mug is on the desk.", True, ("mug_1",), (3, 4), True)
    assert "down" in ended.problems[0]
    assert ended.confidence < 0.5


def test_model_that_hangs_costs_no_more_than_the_deadline() -> None:
    ended = run(model(Silence.HANG), deadline_s=0.3)
    assert outcome(ended) == (NOT_SEEN, False, (), (), True)


def test_forced_answer_that_cannot_be_read_leaves_what_was_found() -> None:
    config = AgentConfig(max_tool_steps=2)
    ended = run(model((locate("mug"),), forced="I would say"), config=config)
    assert (ended.text, ended.degraded) == ("The mug is on the desk.", True)


def test_no_more_calls_are_made_at_once_than_allowed() -> None:
    tools = ThreeTools()
    many = tuple(locate(str(number)) for number in range(9))
    run(model(many, (answer(ON_DESK),)), tools)
    assert len(tools.asked) == 4


def test_oldest_results_make_room_and_may_be_asked_for_again() -> None:
    long = Found(True, {"hits": ["x" * 7000]}, "long", ("jar_1",), ())
    tools = ThreeTools({"jar": long, "cup": long})
    played = model((locate("jar"),), (locate("cup"),), (locate("jar"),), (answer(ON_DESK),))
    run(played, tools, AgentConfig(max_agent_prompt_tokens=3000))
    assert [text == LEFT_OUT for text in results(played)] == [True, True, False]
    assert len(tools.asked) == 3


@pytest.mark.parametrize("arguments", ["", "{", "[" * 5000, '{"text": "' + "x" * 9000 + '"}'])
def test_arguments_that_are_no_json_or_too_long_do_no_harm(arguments: str) -> None:
    class Careless(ThreeTools):
        async def call(
            self, tool: str, arguments_json: str, now_ns: int, max_chars: int = 6000
        ) -> Found:
            return Found(False, {"error": "no JSON"}, "no JSON")

    played = model((ToolCall("locate", arguments, "c"),), (answer(ON_DESK),), "So.", "Ah.")
    assert not run(played, Careless()).found
    assert all(len(each.arguments) <= 2000 for each in _calls(played))


def _calls(played: RecordedTools) -> Sequence[ToolCall]:
    return [each for message in played.conversations[-1].messages for each in message.calls]


def test_no_tool_acts() -> None:
    agent = ToolAgent(ThreeTools(), model(), AgentConfig(), BERLIN)
    names = [schema["function"]["name"] for schema in agent.schemas()]
    assert names == ["locate", "recall", "body_status", "answer"]
