"""The recall tools behind one service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from robot_memory.srv import CallTool

from memory_nodes.answering.tools.table import TOOLS
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.ros import endpoints
from memory_test_support.node_bench import NodeBench
from memory_test_support.told_house import TIME_ZONE, write_told_house

ARGUMENTS = {
    "semantic_search": '{"query": "chair"}',
    "spatial_query": '{"x_m": 3.0, "y_m": 0.0}',
    "entity_query": '{"name": "chair"}',
    "locate": '{"thing": "red mug"}',
    "recall": '{"query": "red mug"}',
}
"""Of the tools that need some."""


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    write_told_house(tmp_path)
    with NodeBench(ros_domain, tmp_path) as made:
        yield made


def test_each_tool_answers_by_the_service(bench: NodeBench) -> None:
    bench.start(QueryNode, base_url="", time_zone=TIME_ZONE)
    for tool in TOOLS:
        request = CallTool.Request(tool=tool.name, arguments_json=ARGUMENTS.get(tool.name, ""))
        response = bench.call(CallTool, endpoints.RECALL, request)
        assert response.success, response.message
        assert json.loads(response.result_json)["hits"], tool.name
        assert response.text


def test_wrong_call_is_refused_with_a_hint_and_the_node_lives_on(bench: NodeBench) -> None:
    node = bench.start(QueryNode, base_url="")
    wrong = CallTool.Request(tool="locate", arguments_json='{"what": "mug"}')
    response = bench.call(CallTool, endpoints.RECALL, wrong)
    assert not response.success
    assert response.message.startswith("no argument 'what': there are thing, ")
    assert json.loads(response.result_json) == {"error": response.message}
    right = CallTool.Request(tool="locate", arguments_json='{"thing": "mug_1"}')
    assert bench.call(CallTool, endpoints.RECALL, right).success
    assert node.counters["errors"] == 0


def test_result_has_at_most_the_characters_of_the_parameter(bench: NodeBench) -> None:
    bench.start(QueryNode, base_url="", max_chars=1500)
    response = bench.call(CallTool, endpoints.RECALL, CallTool.Request(tool="temporal_query"))
    result = json.loads(response.result_json)
    assert len(response.result_json) <= 1500
    assert result["left_out"] == 10 - len(result["hits"])
