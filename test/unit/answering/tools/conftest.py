"""One told house for all tests of the tools, which only read it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.answering.tools.toolbox import Sources, Toolbox, ToolReply
from memory_nodes.dates import Dates
from memory_test_support.told_house import NOW_NS, TIME_ZONE, Ask, write_told_house


@pytest.fixture(scope="session")
def told_house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    memory_dir = tmp_path_factory.mktemp("told_house")
    write_told_house(memory_dir)
    return memory_dir


@pytest.fixture(scope="session")
def sources(told_house: Path) -> Iterator[Sources]:
    opened = Sources.of(told_house, Dates(TIME_ZONE))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def ask(sources: Sources) -> Ask:
    """Calls a tool with arguments, at ten o'clock of the second day."""
    toolbox = Toolbox(sources)

    def call(tool: str, **arguments: Any) -> ToolReply:
        return asyncio.run(toolbox.call(tool, json.dumps(arguments), NOW_NS))

    return call
