"""What to do about an error, for the model that made it."""

from __future__ import annotations

import re
from collections.abc import Iterable

_HINTS = (
    (r"^import|ModuleNotFound|PermissionError|not supported in this environment", "import"),
    (r"TimeoutError", "time"),
    (r"MemoryError|memory limit", "memory"),
    (r"suspension limit", "calls"),
    (r"RecursionError", "recursion"),
    (r"cannot suspend", "loop"),
    (r"can't be awaited", "await"),
    (r"NameError", "name"),
    (r"SyntaxError|Expected|[Uu]nexpected|[Ii]nvalid", "syntax"),
)
_TEXTS = {
    "import": "There are no modules, files, network or processes here: the functions are all.",
    "time": "It took too long: let search() do the looking, and leave out loops without end.",
    "memory": "It took too much memory or printed too much: keep and print less.",
    "calls": "Too many calls in one piece of code: search() first, then expand what it finds.",
    "recursion": "Call no function from within itself.",
    "loop": "Call the functions of the history in a plain for loop, not in map, sorted or key=.",
    "await": "Leave out await: the functions give their result at once.",
    "name": "What earlier code has set is kept only if that code ran through.",
    "syntax": "Write plain Python, without any text around it.",
}


def hint_for(error: str, functions: Iterable[str]) -> str:
    """The hint for an error, with the functions that there are; empty where none is known."""
    for pattern, name in _HINTS:
        if re.search(pattern, error):
            known = ", ".join(f"{each}()" for each in functions)
            return f"Hint: {_TEXTS[name]} Functions: {known}."
    return ""
