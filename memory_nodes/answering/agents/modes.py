"""The agents by the mode of a question that asks for them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from memory_nodes.answering.agents.config import AgentConfig
from memory_nodes.answering.agents.console import HistoryConsole
from memory_nodes.answering.agents.pictures import KeyframePictures
from memory_nodes.answering.agents.run import Agent, AgentRun
from memory_nodes.answering.agents.tool_agent import ToolAgent, Tools
from memory_nodes.dates import Dates
from memory_nodes.episodic.history.tree import HistoryTree
from memory_nodes.errors import StoreError
from memory_nodes.models.ports import ToolModel
from memory_nodes.store.past import Past
from memory_nodes.store.trace_files import TraceFiles


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
    agents: dict[str, Agent] = {
        "agent": ToolAgent(tools, model, config, dates),
        "history": HistoryConsole(HistoryTree(past, dates), pictures, model, config, dates),
    }
    if config.keep_traces == 0:
        return agents
    files = TraceFiles(memory_dir, config.keep_traces)
    return {mode: Traced(agent, mode, files) for mode, agent in agents.items()}


@dataclass(frozen=True)
class Traced:
    """An agent whose runs are written down; where that fails, it is a problem of the answer."""

    agent: Agent
    mode: str
    files: TraceFiles

    async def answer(self, question: str, now_ns: int, deadline_s: float) -> AgentRun:
        try:
            path = await asyncio.to_thread(self.files.reserve, now_ns, self.mode)
        except StoreError as error:
            return _with_problem(await self.agent.answer(question, now_ns, deadline_s), error)
        run = None
        try:
            run = await self.agent.answer(question, now_ns, deadline_s)
            await asyncio.to_thread(self.files.fill, path, run.trace.as_json())
        except StoreError as error:
            if run is None:
                raise
            return _with_problem(run, error)
        finally:
            if run is None:  # cancelled
                path.unlink(missing_ok=True)
        return run


def _with_problem(run: AgentRun, error: StoreError) -> AgentRun:
    return replace(run, problems=(*run.problems, str(error)))
