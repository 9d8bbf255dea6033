"""The agents by the mode of a question that asks for them."""

from __future__ import annotations

from pathlib import Path

from memory_nodes.answering.agent import Agent
from memory_nodes.answering.agents.config import AgentConfig
from memory_nodes.answering.agents.console import HistoryConsole
from memory_nodes.answering.agents.pictures import KeyframePictures
from memory_nodes.answering.agents.tool_agent import ToolAgent, Tools
from memory_nodes.dates import Dates
from memory_nodes.episodic.history.tree import HistoryTree
from memory_nodes.models.ports import ToolModel
from memory_nodes.store.past import Past


def agents_by_mode(
    model: ToolModel | None,
    tools: Tools,
    past: Past,
    memory_dir: Path,
    config: AgentConfig,
    dates: Dates,
) -> dict[str, Agent]:
    """None without a model: there is nobody to search."""
    if model is None:
        return {}
    pictures = KeyframePictures(past, memory_dir)
    return {
        "agent": ToolAgent(tools, model, config, dates),
        "history": HistoryConsole(HistoryTree(past, dates), pictures, model, config, dates),
    }
