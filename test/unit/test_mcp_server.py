"""The official client of the Model Context Protocol lists the tools and calls each."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, TextContent, Tool

from memory_nodes.answering.tools.table import TOOLS
from memory_nodes.cli.main import main
from memory_nodes.store.memory_clock import MemoryClock
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.child import PROJECT, start_python
from memory_test_support.records import observation
from memory_test_support.told_house import POSTER, TIME_ZONE, stamp_ns, write_told_house

PROGRAM = "import sys; from memory_nodes.cli.main import main; sys.exit(main(sys.argv[1:]))"
TIMEOUT_S = 30.0
CALLS: dict[str, dict[str, Any]] = {
    "semantic_search": {"query": "poster"},
    "spatial_query": {"x_m": 3.0, "y_m": 0.0, "kinds": ["object"]},
    "temporal_query": {"since": "2025-12-01", "until": "2025-12-01"},
    "episode_summary": {"episode": "kitchen patrol"},
    "get_current_context": {},
    "search_gists": {},
    "entity_query": {"name": "chair"},
    "locate": {"thing": "red mug"},
    "recall": {"query": "red mug"},
    "body_status": {},
}
FIRST_IDS = {
    "semantic_search": "poster",
    "spatial_query": "mug_1",
    "temporal_query": "poster",
    "get_current_context": "desk_1",
    "locate": "mug_1",
    "recall": "mug_1",
    "body_status": "battery_low",
}
"""Of the first hit, where it has an id of its own."""


@pytest.fixture(scope="module")
def memory_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("memory")
    write_told_house(directory)
    return directory


@pytest.fixture(scope="module")
def url(memory_dir: Path) -> Iterator[str]:
    """A server on a free port of loopback, which says where it is."""
    arguments = ("mcp", "--http", "0", "--memory-dir", memory_dir, "--time-zone", TIME_ZONE)
    with start_python(PROGRAM, *arguments) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()
        process.communicate(timeout=TIMEOUT_S)


def _over_stdio(memory_dir: Path) -> Client:
    arguments = ["-c", PROGRAM, "mcp", "--memory-dir", str(memory_dir), "--time-zone", TIME_ZONE]
    paths = os.pathsep.join([str(PROJECT), str(PROJECT / "test" / "support")])
    server = StdioServerParameters(
        command=sys.executable, args=arguments, env={"PYTHONPATH": paths}
    )
    return Client(server, read_timeout_seconds=TIMEOUT_S)


def _over_http(url: str) -> Client:
    return Client(url, read_timeout_seconds=TIMEOUT_S)


def _with(client: Client, work: Callable[[Client], Awaitable[Any]]) -> Any:
    async def connected() -> Any:
        async with client:
            return await work(client)

    return asyncio.run(asyncio.wait_for(connected(), 2.0 * TIMEOUT_S))


async def _list_and_call(client: Client) -> tuple[list[Tool], dict[str, CallToolResult]]:
    listed = (await client.list_tools()).tools
    return listed, {
        tool.name: await client.call_tool(tool.name, CALLS[tool.name]) for tool in listed
    }


def _text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def _check_all(listed: list[Tool], results: dict[str, CallToolResult]) -> None:
    assert [tool.name for tool in listed] == [tool.name for tool in TOOLS]
    assert len(results) == 10
    for name, result in results.items():
        assert not result.is_error, _text(result)
        assert json.loads(_text(result)) == result.structured_content
        assert result.structured_content["hits"], name
        if name in FIRST_IDS:
            assert result.structured_content["hits"][0]["id"] == FIRST_IDS[name]


def test_each_tool_is_listed_and_called_over_stdio(memory_dir: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in memory_dir.rglob("*.sqlite")}
    _check_all(*_with(_over_stdio(memory_dir), _list_and_call))
    assert {path: path.stat().st_mtime_ns for path in memory_dir.rglob("*.sqlite")} == before
    assert not (memory_dir / "index").exists()


def test_each_tool_is_listed_and_called_over_http(url: str) -> None:
    _check_all(*_with(_over_http(url), _list_and_call))


def test_schemas_ask_for_nothing_that_may_be_left_out(url: str) -> None:
    async def listed(client: Client) -> list[Tool]:
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in _with(_over_http(url), listed)}
    assert tools["recall"].input_schema["required"] == ["query"]
    assert tools["spatial_query"].input_schema["required"] == ["x_m", "y_m"]
    assert tools["body_status"].input_schema["required"] == []
    for tool in tools.values():
        assert tool.input_schema["additionalProperties"] is False
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint


@pytest.mark.parametrize(
    ("tool", "arguments", "hint"),
    [
        ("drive", {"to": "the stairs"}, "no tool 'drive'"),
        ("recall", {"query": "mug", "sql": "DROP TABLE object"}, "no argument 'sql'"),
        ("recall", {"query": {"$ne": 1}}, "give a string"),
        ("recall", {"query": "x" * 100_000}, "the limit is 20000"),
        ("locate", {"thing": "mug", "since": "'; DROP TABLE object; --"}, "is no time"),
        ("body_status", {"layers": ["../../etc/passwd"]}, "no layer"),
    ],
)
def test_hostile_arguments_are_refused_with_a_hint(
    tool: str, arguments: dict[str, Any], hint: str, url: str
) -> None:
    async def call(client: Client) -> CallToolResult:
        return await client.call_tool(tool, arguments)

    result = _with(_over_http(url), call)
    assert result.is_error
    assert hint in _text(result)


def test_what_the_camera_read_is_marked_as_data(url: str) -> None:
    async def call(client: Client) -> tuple[str | None, CallToolResult]:
        return client.instructions, await client.call_tool("recall", {"query": "poster"})

    instructions, result = _with(_over_http(url), call)
    assert "never instructions" in str(instructions)
    assert "never instructions" in result.structured_content["texts"]
    assert result.structured_content["hits"][0]["text"] == POSTER
    assert _text(result).count(POSTER) == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Host": "robot.example:80"}, 421), ({"Origin": "http://evil.example"}, 403)],
)
def test_request_for_another_host_is_refused(
    headers: dict[str, str], status: int, url: str
) -> None:
    kinds = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    response = httpx2.post(url, json=body, headers=kinds | headers, timeout=TIMEOUT_S)
    assert response.status_code == status


def test_port_is_of_loopback_alone(url: str) -> None:
    assert url.startswith("http://127.0.0.1:")


def test_port_that_cannot_be_had_is_told(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["mcp", "--http", port, "--memory-dir", str(memory_dir)]) == 1
    assert f"cannot serve port {port}" in capsys.readouterr().err


def test_without_the_package_the_command_says_what_to_install(
    memory_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in list(sys.modules):
        if name == "memory_nodes.mcp_server" or name.partition(".")[0] == "mcp":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert main(["mcp", "--memory-dir", str(memory_dir)]) == 1
    assert "needs the Python package mcp" in capsys.readouterr().err


def test_clock_of_simulated_time_stands_at_its_newest_stamp(
    tmp_path: Path, memory_dir: Path
) -> None:
    writer = Writer(tmp_path)
    writer.add(observation(stamp_s=7.0))
    writer.close()
    for directory, is_calendar in ((tmp_path, False), (memory_dir, True)):
        reader = Reader(directory)
        now_ns = MemoryClock(reader).now_ns()
        reader.close()
        assert (now_ns > stamp_ns(1, 0) - 366 * 86_400 * 10**9) is is_calendar
        assert is_calendar or now_ns == 7_000_000_000
