"""What a tool is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from memory_nodes.answering.tools.arguments import Argument, Arguments, arguments_schema
from memory_nodes.answering.tools.reply import Findings
from memory_nodes.answering.tools.sources import Sources


@dataclass(frozen=True)
class Call:
    """One call of a tool, its arguments checked."""

    sources: Sources
    arguments: Arguments
    now_ns: int
    max_hits: int


@dataclass(frozen=True)
class Tool:
    """One tool; ``run`` raises InputError with a hint for what it cannot be asked."""

    name: str
    summary: str
    """For the model that chooses among tools."""
    arguments: tuple[Argument, ...]
    run: Callable[[Call], Awaitable[Findings]]

    def schema(self) -> Mapping[str, Any]:
        """As an entry of "tools" in OpenAI's chat completions, fit for strict mode."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": self.summary,
                "parameters": arguments_schema(self.arguments),
                "strict": True,
            },
        }
