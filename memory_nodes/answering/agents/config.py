"""How far an agent may go."""

from __future__ import annotations

from dataclasses import dataclass

from memory_nodes.parameters import parameter

MAX_STEPS = 50


@dataclass(frozen=True)
class AgentConfig:
    """Bounds of an agent's search for an answer."""

    max_tool_steps: int = parameter(
        5,
        "calls of the model by the agent with tools; the last one has to answer",
        low=2,
        high=MAX_STEPS,
    )
    max_agent_prompt_tokens: int = parameter(
        4000,
        "size of an agent's prompt, estimated; what was found first makes room",
        low=3000,
        high=1_000_000,
    )
    max_console_steps: int = parameter(
        8,
        "calls of the model by the history console; the last one has to answer",
        low=2,
        high=MAX_STEPS,
    )
    max_tree_tokens: int = parameter(
        2000, "size of the history in a prompt of the console", low=200, high=1_000_000
    )
    max_console_pictures: int = parameter(
        3, "pictures that the console may have looked at", low=0, high=50
    )
    console_examples: int = parameter(
        1, "examples of questions of the same kind in a prompt of the console", low=0, high=8
    )
    agent_temperature: float = parameter(0.2, "of the model that searches", low=0.0, high=2.0)
    code_time_s: float = parameter(
        1.0, "computing time of one piece of the model's code", unit="s", low=0.05, high=60.0
    )
    code_memory_mb: int = parameter(32, "memory of the model's code", unit="MB", low=8, high=1024)
    code_output_chars: int = parameter(
        2000, "what one piece of code may print", low=100, high=100_000
    )
    code_calls: int = parameter(
        60, "functions of the history that one piece of code may call", low=1, high=1000
    )
    keep_traces: int = parameter(
        50,
        "files in traces/ of the memory that tell what the agents did for the newest questions",
        low=0,
        high=10_000,
    )
