"""The console explores the history by code, and answers with what came into sight."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.answering.agents.config import AgentConfig
from memory_nodes.answering.agents.console import HistoryConsole, code_in
from memory_nodes.answering.agents.pictures import KeyframePictures
from memory_nodes.answering.agents.run import AgentRun
from memory_nodes.answering.extractive import NOT_SEEN
from memory_nodes.episodic.history.tree import HistoryTree
from memory_nodes.errors import ModelUnavailable
from memory_nodes.models.ports import Prompt
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.agent_parts import SteppingClock, answer_fields, outcome
from memory_test_support.recorded_models import RecordedChat, Silence, Turn, reply
from memory_test_support.small_history import NOW_NS
from memory_test_support.told import BERLIN

QUESTION = "Where did you see the kettle?"
DOWN = """
for goal in search(ROOT, "kettle"):
    for event in expand(goal):
        for node in expand(event):
            if node["id"].startswith("chunk_"):
                expand(node)
"""
ANSWER = 'answer("On the shelf.", object_ids=["kettle_1", "shelf_1"], keyframe_ids=["keyframe_1"])'
FORCED = json.dumps(answer_fields("On the shelf.", ["kettle_1"], [1]))

Ask = Callable[..., AgentRun]


def code(text: str, root_id: str = "") -> str:
    return json.dumps({"code": text.replace("ROOT", f'"{root_id}"')})


@pytest.fixture
def root_id(tree: HistoryTree) -> str:
    root = tree.root()
    assert root is not None
    return root.node_id


@pytest.fixture
def ask(tree: HistoryTree, past: Past, tmp_path: Path) -> Ask:
    def asked(
        model: RecordedChat,
        config: AgentConfig | None = None,
        deadline_s: float = 60.0,
        clock: SteppingClock | None = None,
    ) -> AgentRun:
        console = HistoryConsole(
            tree,
            KeyframePictures(past, tmp_path),
            model,
            config or AgentConfig(),
            BERLIN,
            clock or SteppingClock(),
        )
        return asyncio.run(console.answer(QUESTION, NOW_NS, deadline_s))

    return asked


def body(prompt: Prompt) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(prompt.text)
    return read


def last_output(model: RecordedChat) -> str:
    return str(body(model.prompts[-1])["console"][-1]["output"])


def test_code_leads_from_the_root_to_the_answer(ask: Ask, root_id: str) -> None:
    model = RecordedChat(code(DOWN, root_id), code(ANSWER))
    ended = ask(model)
    assert outcome(ended) == ("On the shelf.", True, ("kettle_1", "shelf_1"), (1,), False)
    assert ended.problems == ()


def test_prompt_shows_the_collapsed_tree_first_and_then_what_was_opened(
    ask: Ask, root_id: str
) -> None:
    model = RecordedChat(code(DOWN, root_id), code(ANSWER))
    ask(model)
    first, second = map(body, model.prompts)
    assert [line.split()[0] for line in first["tree"]] == [root_id]
    assert (first["console"], first["steps_left"]) == ([], 8)
    assert first["question"] == QUESTION
    assert any("kettle_1 on shelf_1" in line for line in second["tree"])
    assert second["console"][0]["code"] == DOWN.strip().replace("ROOT", f'"{root_id}"')
    assert list(second)[-1] == "tree"


def test_example_of_the_same_kind_is_in_the_instructions(ask: Ask) -> None:
    model = RecordedChat(code(ANSWER))
    ask(model)
    ask(model, AgentConfig(console_examples=0))
    assert "Where did you see the scissors?" in model.prompts[0].system
    assert "scissors" not in model.prompts[1].system


def test_ids_that_were_not_in_sight_are_dropped(ask: Ask, root_id: str) -> None:
    named = 'answer("There.", object_ids=["kettle_1", "safe_1"], keyframe_ids=[1, 77])'
    ended = ask(RecordedChat(code(DOWN, root_id), code(named)))
    assert outcome(ended) == ("There.", True, ("kettle_1",), (1,), False)
    assert len(ended.problems) == 2


def test_answer_from_nothing_in_sight_is_dropped(ask: Ask) -> None:
    assert outcome(ask(RecordedChat(code(ANSWER)))) == (NOT_SEEN, False, (), (), True)


def test_answer_may_do_without_ids(ask: Ask) -> None:
    ended = ask(RecordedChat(code('answer("Twice.", confidence=0.7)')))
    assert (ended.text, ended.found, ended.confidence) == ("Twice.", True, 0.7)


def test_what_was_never_seen_is_said_so(ask: Ask) -> None:
    ended = ask(RecordedChat(code('answer("I do not remember that.", found=False)')))
    assert (ended.found, ended.confidence) == (False, 0.0)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("search(ROOT, 'kettle')", "search: 1 nodes"),
        ("search(ROOT, 'elephant')", "search: 0 nodes: try other words"),
        ("search(ROOT, when='7 Sep 2026')", "search: 2 nodes"),
        ("search(ROOT, 'tea', when='8 Sep 2026')", "search: 0 nodes"),
        ("search(ROOT, when='kettle time')", "is no time: say it as"),
        ("search(ROOT, when='before 0001-01-01')", "search: 0 nodes"),
        ("expand(ROOT, first=10 ** 5000)", "none from"),
        ("search(3, 'x')", "node has to be a string"),
        ("expand('history_999')", "history_999"),
        ("expand('keyframe_1')", "give an id from the tree"),
        ("ask_vlm('shelf', 'what?')", "that is no keyframe"),
        ("ask_vlm(99, 'what?')", "keyframe_99 has no picture"),
        ("ask_vlm(10 ** 5000, 'what?')", "that is no keyframe"),
        ("answer('')", "text is empty"),
        ("answer('x', keyframe_ids=list(range(99)))", "99 ids, the limit is 50"),
        ("answer('x', object_ids=[10 ** 5000])", "an object id has to be a string"),
        ("print('seen')", "seen"),
        ("1", "1"),
        ("x = 1", "(no output)"),
        ("import os", "There are no modules"),
    ],
)
def test_model_is_told_what_came_of_its_code(ask: Ask, root_id: str, typed: str, said: str) -> None:
    model = RecordedChat(code(typed, root_id), code("answer('done')"))
    ask(model)
    assert said in last_output(model)


def test_confidence_that_is_no_share_is_a_half(ask: Ask) -> None:
    for share in ("10 ** 5000", "float('nan')", "'high'", "-1"):
        ended = ask(RecordedChat(code(f"answer('x', confidence={share})")))
        assert ended.confidence == 0.5


def test_same_code_is_not_run_twice(ask: Ask, root_id: str) -> None:
    model = RecordedChat(
        code("search(ROOT, 'tea')", root_id),
        code("search(ROOT,   'tea')\n", root_id),
        code("answer('done')"),
    )
    ask(model)
    assert "this very code" in last_output(model)


def test_reply_without_code_is_answered_with_a_hint(ask: Ask) -> None:
    model = RecordedChat("I am not sure.", code("answer('done')"))
    assert ask(model).text == "done"
    assert "There was no code" in last_output(model)


@pytest.mark.parametrize(
    "text",
    [
        '{"code": "expand(\\"a\\")"}',
        'I open it:\n```python\nexpand("a")\n```',
        'expand("a")',
        '>>> expand("a")',
    ],
)
def test_code_is_found_however_a_model_writes_it(text: str) -> None:
    assert code_in(reply(text)) == 'expand("a")'


@pytest.mark.parametrize("text", ["", "no", "{}", '{"code": 3}', '["a"]'])
def test_reply_without_a_call_has_no_code(text: str) -> None:
    assert code_in(reply(text)) == ""


def test_picture_is_looked_at_by_the_id_of_its_keyframe(ask: Ask) -> None:
    model = RecordedChat(
        code("print(ask_vlm('keyframe_1', 'What colour?'))"),
        '{"seen": "All  red."}',
        code("answer('It is red.', keyframe_ids=[1])"),
    )
    ended = ask(model)
    assert outcome(ended) == ("It is red.", True, (), (1,), False)
    assert last_output(model) == "All red."
    (look,) = (prompt for prompt in model.prompts if prompt.pictures)
    assert body(look) == {"task": "agent_look", "question": "What colour?"}
    assert look.pictures[0].jpeg.startswith(b"\xff\xd8")
    assert [len(step.said) for step in ended.trace.steps] == [2, 1]


def test_no_more_pictures_are_looked_at_than_allowed(ask: Ask) -> None:
    looks = "for n in range(5):\n    print(ask_vlm(1, 'What?'))"
    model = RecordedChat(code(looks), '{"seen": "red"}', '{"seen": "red"}', code("answer('done')"))
    ask(model, AgentConfig(max_console_pictures=2))
    assert sum(bool(prompt.pictures) for prompt in model.prompts) == 2
    assert "no more pictures" in last_output(model)


def test_picture_on_which_something_forgotten_shows_is_not_looked_at(
    ask: Ask, writer: Writer
) -> None:
    with writer.database.transaction() as connection:
        connection.execute("INSERT INTO image_erasure (image_path) VALUES ('images/1.jpg')")
    model = RecordedChat(code("ask_vlm(1, 'Who?')"), code("answer('done')"))
    ask(model)
    assert "keyframe_1 has no picture" in last_output(model)
    assert not any(prompt.pictures for prompt in model.prompts)


def test_vision_model_that_is_away_is_an_error_of_the_code(ask: Ask) -> None:
    model = RecordedChat(
        code("ask_vlm(1, 'What?')"), ModelUnavailable("down"), code("answer('done')")
    )
    assert ask(model).text == "done"
    assert "RuntimeError: down" in last_output(model)


def test_last_step_has_to_answer(ask: Ask, root_id: str) -> None:
    config = AgentConfig(max_console_steps=3)
    model = RecordedChat(code(DOWN, root_id), code("collapse(ROOT)", root_id), FORCED)
    ended = ask(model, config)
    assert outcome(ended) == ("On the shelf.", True, ("kettle_1",), (1,), False)
    forced = body(model.prompts[-1])
    assert (forced["task"], list(forced)[-1]) == ("agent_answer", "tree")
    assert len(ended.trace.steps) == 3


def test_model_that_hangs_leaves_what_was_found(ask: Ask, root_id: str) -> None:
    ended = ask(RecordedChat(code(DOWN, root_id), Silence.HANG), deadline_s=0.8)
    assert (ended.found, ended.degraded) == (True, True)
    assert "make tea" in ended.text


def test_time_that_runs_out_brings_the_answer_forward(ask: Ask) -> None:
    model = RecordedChat(code("1"), code("2"), code("3"), code("4"), FORCED)
    ended = ask(model, deadline_s=5.0, clock=SteppingClock(0.5))
    assert [said.task for said in ended.trace.said][-1] == "agent_answer"
    assert len(ended.trace.steps) < 5


@pytest.mark.parametrize("turn", ["", ModelUnavailable("down")])
def test_model_of_no_use_is_said_so(ask: Ask, turn: Turn) -> None:
    assert outcome(ask(RecordedChat(turn))) == (NOT_SEEN, False, (), (), True)


def test_interpreter_that_is_missing_is_said_so(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MONTY_BIN", "/nowhere/monty")
    ended = ask(RecordedChat(code("1")))
    assert "pydantic-monty" in ended.problems[0]


def test_memory_without_a_history_has_nothing_to_tell(past: Past, tmp_path: Path) -> None:
    model = RecordedChat(code("1"))
    console = HistoryConsole(
        HistoryTree(past, BERLIN), KeyframePictures(past, tmp_path), model, AgentConfig(), BERLIN
    )
    ended = asyncio.run(console.answer(QUESTION, NOW_NS, 60.0))
    assert outcome(ended) == (NOT_SEEN, False, (), (), True)
    assert model.prompts == []
