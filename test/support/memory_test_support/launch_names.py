"""What the launch files say of names, read without launch, which need not be installed."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).resolve().parents[3] / "launch"


def constant(name: str) -> Any:
    """A literal that memory.launch.py gives a name to."""
    text = (_FOLDER / "memory.launch.py").read_text(encoding="utf-8")
    for line in ast.parse(text).body:
        if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == name:
            return ast.literal_eval(line.value)
    raise KeyError(name)


def arguments(file: str) -> set[str]:
    """Those that a launch file declares itself: the texts that come first in a bracket."""
    text = (_FOLDER / file).read_text(encoding="utf-8")
    declaring = text.split("def _arguments", 1)[1].split("\ndef ", 1)[0]
    return set(re.findall(r'\(\s*"([a-z0-9_]+)"', declaring))


def robot_remappings(namespace: str) -> dict[str, str]:
    """What the argument robot_namespace remaps."""
    ends = [
        f"{action}/_action/{end}"
        for action in constant("ROBOT_ACTIONS")
        for end in constant("ACTION_ENDS")
    ]
    return {name: f"/{namespace}{name}" for name in (*constant("ROBOT_NAMES"), *ends)}
