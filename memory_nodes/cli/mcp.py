"""memory mcp"""

from __future__ import annotations

import argparse
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

from memory_nodes.answering.tools.toolbox import Sources, Toolbox
from memory_nodes.cli.command import Command, Outcome
from memory_nodes.cli.options import add_time_zone, whole
from memory_nodes.dates import Dates
from memory_nodes.errors import ExtraMissing
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.models.text_embedders import TextEmbedderConfig, embedder_for
from memory_nodes.store.memory_clock import MemoryClock

EXTRA = ("mcp", "mcp_types", "uvicorn")
"""What comes with the extra `agents`."""


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--http",
        type=whole(least=0, most=65_535),
        metavar="PORT",
        help="serve streamable HTTP on this port of 127.0.0.1, 0 for a free one (default: stdio)",
    )
    add_time_zone(parser)
    parser.add_argument(
        "--text-embedder",
        choices=("none", "minilm"),
        default="none",
        help="how the meaning of questions is compared (default: by words alone)",
    )


def _run(memory_dir: Path, arguments: argparse.Namespace) -> Outcome:
    server = _installed_server()
    config = TextEmbedderConfig(text_embedder=arguments.text_embedder)
    sources = Sources.of(
        memory_dir,
        Dates(arguments.time_zone),
        embedder=embedder_for(config, EndpointConfig()),
        embedding_timeout_s=config.embedding_timeout_s,
        saves_caches=False,
    )
    with closing(sources):
        toolbox, clock = Toolbox(sources), MemoryClock(sources.reader)
        try:
            if arguments.http is None:
                server.serve_stdio(toolbox, clock)
            else:
                server.serve_http(toolbox, clock, arguments.http)
        except KeyboardInterrupt:
            pass  # a person ends it so
    return Outcome((), {})


def _installed_server() -> Any:
    try:
        return import_module("memory_nodes.mcp_server")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in EXTRA:
            raise
        raise ExtraMissing(
            "the MCP server needs the Python package mcp, which is not installed: "
            "pip install 'robot-memory[agents]'"
        ) from error


COMMAND = Command(
    "mcp", "let any agent ask the memory, by the Model Context Protocol", _run, _add_arguments
)
