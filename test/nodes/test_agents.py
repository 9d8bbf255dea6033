"""Questions in the modes of the agents, over the query service, with a model behind HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from robot_memory.msg import MemoryAnswer
from robot_memory.srv import QueryMemory
from std_msgs.msg import String

from memory_nodes.answering.agents.trace import Trace
from memory_nodes.episodic.history.tree import HistoryTree
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.ros import endpoints
from memory_nodes.store.past import Past
from memory_nodes.store.trace_files import TRACES_DIR
from memory_nodes.store.writer import Writer
from memory_test_support.agent_parts import answer_fields
from memory_test_support.injections import INJECTIONS
from memory_test_support.node_bench import NodeBench
from memory_test_support.picky_server import PickyServer, calling, picky_server
from memory_test_support.small_history import tell_small_history
from memory_test_support.told import BERLIN

QUESTION = "Where is the kettle?"
ON_SHELF = answer_fields("It is on the shelf.", ["kettle_1"], [1])
TRIED = calling("ready", "{}")
"""The answer to the trial of tools."""
DOWN = """
for goal in search(ROOT, "kettle"):
    for event in expand(goal):
        for node in expand(event):
            if node["id"].startswith("chunk_"):
                expand(node)
"""
ANSWER = 'answer("It is on the shelf.", object_ids=["kettle_1"], keyframe_ids=[1])'


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    """Tea was made with a kettle on a shelf; what a person said then is a hostile command."""
    writer, past = Writer(tmp_path), Past(tmp_path)
    tell_small_history(writer, past, tmp_path, heard=INJECTIONS[0])
    past.close()
    writer.close()
    with NodeBench(ros_domain, tmp_path) as made:
        yield made


@pytest.fixture
def server() -> Iterator[PickyServer]:
    with picky_server() as running:
        yield running


def _ask(bench: NodeBench, mode: str) -> MemoryAnswer:
    request = QueryMemory.Request(question=QUESTION, mode=mode)
    response = bench.call(QueryMemory, endpoints.QUERY, request)
    assert response.success, response.message
    return response.answer


def _trace(bench: NodeBench, mode: str) -> Trace:
    (file,) = (bench.memory_dir / TRACES_DIR).glob(f"*{mode}*")
    return Trace.from_json(file.read_text())


def _typed(code: str, root_id: str) -> dict[str, str]:
    """A message with code for the console."""
    return {"content": json.dumps({"code": code.replace("ROOT", f'"{root_id}"')})}


def _root_id(memory_dir: Path) -> str:
    past = Past(memory_dir)
    root = HistoryTree(past, BERLIN).root()
    past.close()
    assert root is not None
    return root.node_id


def test_agent_with_tools_answers_with_evidence_and_leaves_a_trace(
    bench: NodeBench, server: PickyServer
) -> None:
    looked = calling("locate", '{"thing": "kettle"}')
    server.script = [TRIED, looked, calling("answer", json.dumps(ON_SHELF))]
    bench.start(QueryNode, base_url=server.base_url)
    answer = _ask(bench, "agent")
    _has_kettle(answer)
    assert [names[:1] for names in map(_tools, server.bodies[1:])] == [["semantic_search"]] * 2
    told = server.bodies[2]["messages"][-1]
    assert (told["role"], "kettle_1" in told["content"]) == ("tool", True)
    trace = _trace(bench, "agent")
    assert trace.question == QUESTION
    assert [said.turn.calls[0].name for said in trace.said] == ["locate", "answer"]
    assert "kettle_1" in trace.steps[0].shown


def test_history_console_answers_with_evidence_and_leaves_a_trace(
    bench: NodeBench, server: PickyServer
) -> None:
    root_id = _root_id(bench.memory_dir)
    server.script = [_typed(DOWN, root_id), _typed(ANSWER, root_id)]
    bench.start(QueryNode, base_url=server.base_url)
    answer = _ask(bench, "history")
    _has_kettle(answer)
    assert not any(map(_tools, server.bodies))
    trace = _trace(bench, "history")
    assert trace.question == QUESTION
    assert [said.task for said in trace.said] == ["agent_console"] * 2
    assert "search: 1 nodes" in trace.steps[0].shown


@pytest.mark.parametrize("mode", ["agent", "history"])
def test_model_that_is_of_no_use_to_an_agent_leaves_the_answer_to_the_graph(
    bench: NodeBench, server: PickyServer, mode: str
) -> None:
    """It talks, and calls tools that there are not; nobody is told to drive."""
    server.content = INJECTIONS[0]
    server.script = [TRIED, *[calling("drive_to", '{"place": "stairs"}')] * 3]
    bench.start(QueryNode, base_url=server.base_url)
    commands = bench.heard(String, endpoints.COMMANDS)
    answer = _ask(bench, mode)
    assert (answer.found, answer.degraded) == (True, True)
    assert answer.objects[0].object_id == "kettle_1"
    assert answer.problems[0].startswith("answered without the agent: ")
    assert commands == []
    assert _trace(bench, mode).said


def _has_kettle(answer: MemoryAnswer) -> None:
    assert (answer.text, answer.found, answer.degraded) == ("It is on the shelf.", True, False)
    assert [item.object_id for item in answer.objects] == ["kettle_1"]
    assert [hit.keyframe.keyframe_id for hit in answer.keyframes] == [1]
    assert len(answer.evidence) == 1
    assert "kettle_1" in answer.evidence[0]


def _tools(body: dict[str, object]) -> list[str]:
    """Names of the tools that a request to the model offers."""
    tools = body.get("tools", [])
    assert isinstance(tools, list)
    return [tool["function"]["name"] for tool in tools]
