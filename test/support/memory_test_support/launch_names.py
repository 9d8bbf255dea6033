"""What launch/memory.launch.py says of names, read without launch, which need not be installed."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

_FILE = Path(__file__).resolve().parents[3] / "launch" / "memory.launch.py"


def constant(name: str) -> Any:
    """A literal that the launch file gives a name to."""
    for line in ast.parse(_FILE.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == name:
            return ast.literal_eval(line.value)
    raise KeyError(name)


def robot_remappings(namespace: str) -> dict[str, str]:
    """What the argument robot_namespace remaps."""
    ends = [
        f"{action}/_action/{end}"
        for action in constant("ROBOT_ACTIONS")
        for end in constant("ACTION_ENDS")
    ]
    return {name: f"/{namespace}{name}" for name in (*constant("ROBOT_NAMES"), *ends)}
