"""Ten tools over one memory, for whatever model calls them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memory_nodes.answering.tools.arguments import read_arguments, shown
from memory_nodes.answering.tools.reply import ToolReply, bounded, refused
from memory_nodes.answering.tools.sources import Sources
from memory_nodes.answering.tools.table import TOOLS
from memory_nodes.answering.tools.tool import Call
from memory_nodes.errors import InputError, StoreMissing
from memory_nodes.parameters import parameter

__all__ = ["Sources", "ToolReply", "Toolbox", "ToolsConfig"]


@dataclass(frozen=True)
class ToolsConfig:
    """How much a recall tool gives at once."""

    max_chars: int = parameter(
        6000,
        "characters of a tool's result as JSON; hits that have no room are left out, and counted",
        low=1500,
        high=1_000_000,
    )
    max_hits: int = parameter(
        10, "hits of a recall tool where a call asks for no other number", low=1, high=50
    )


class Toolbox:
    """The recall tools. Safe in threads; the readers that it was given are not its own."""

    def __init__(self, sources: Sources, config: ToolsConfig | None = None) -> None:
        self._sources = sources
        self._config = config if config is not None else ToolsConfig()
        self._tools = {tool.name: tool for tool in TOOLS}

    def schemas(self) -> tuple[Mapping[str, Any], ...]:
        """Entries of "tools" in OpenAI's chat completions."""
        return tuple(tool.schema() for tool in self._tools.values())

    async def call(
        self, tool: str, arguments_json: str, now_ns: int, max_chars: int | None = None
    ) -> ToolReply:
        """Runs a tool; what a model may get wrong is refused with a hint.

        ``max_chars``: of the result's JSON, where there is less room than usual.
        Raises StoreError where the memory cannot be read.
        """
        called = self._tools.get(tool)
        if called is None:
            return refused(f"no tool {shown(tool)}: there are {', '.join(self._tools)}")
        try:
            arguments = read_arguments(called.arguments, arguments_json)
            call = Call(self._sources, arguments, now_ns, self._config.max_hits)
            most = self._config.max_chars
            return bounded(
                await called.run(call), most if max_chars is None else min(most, max_chars)
            )
        except InputError as error:
            return refused(str(error))
        except StoreMissing:
            return refused("the robot remembers nothing yet: there is no memory so far")
