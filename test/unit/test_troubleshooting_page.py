"""docs/troubleshooting.md has a row for each message of the diagnostics, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
PACKAGE = PROJECT / "memory_nodes"
PAGE = (PROJECT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `+ ?(.+?) ?`+ \| (?:WARN|ERROR) \|", PAGE, re.MULTILINE)

TELLING = ("trouble", "_report", "give_up", "nothing")
"""Calls whose first argument is a message."""

KEPT = ("problem", "_waits", "_waits_for", "_without_model", "_OF_LATER")
"""Where a message is kept until it is told; so is what begins with WITHOUT_."""

GIVING = ("clock_problem", "problem", "_judgement", "_losses", "_silence")
"""Functions that give a message."""

ERRORS = ("ImageError", "EncodingUnsupported", "ExtraMissing")
RAISING = ("perception", "models")
"""Where errors are raised that are told as they are."""

OTHERS = {
    "association_node.py: next(without, None)",
    "camera.py: problem",
    "camera.py: self._silence(silence_s) if is_silent else None",
    "detector_node.py: next(without, None)",
    "detector_node.py: self.detector.format_problem",
    "detector_node.py: self.visual_model.problem",
    "detector_node.py: str(error)",
    "episodic_node.py: problem",
    "health.py: self._losses()",
    "looking_back.py: problem",
    "main.py: '; '.join(sorted(lines)) or None",
    "query_node.py: answer.problems[0] if is_troubled else None",
    "query_node.py: problem",
    "query_node.py: str(error)",
}
"""What else is told. For another one, say above where its messages come from."""

NOT_TOLD = {
    "kept without objects: …",
    "there is no camera_info: objects get no place",
    "… cannot be read: …",
}
"""Problems that stay with their chunk, and one that stands behind the colon of another."""

TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}


def _message(node: ast.expr | None) -> str | None:
    """A text with … for what is filled in; None for what is no text, or one word."""
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
        text = "".join(map(str, parts))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value.replace("{}", "…")
    else:
        return None
    return text if " " in text else None


def _name(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _told(path: Path, node: ast.AST) -> Iterator[ast.expr | None]:
    if isinstance(node, ast.Call) and node.args:
        raising = ERRORS if path.parent.name in RAISING else ()
        if _name(node.func) in (*TELLING, *raising):
            yield node.args[0]
    elif isinstance(node, ast.Assign):
        name = _name(node.targets[0])
        if name in KEPT or name.startswith("WITHOUT_"):
            yield node.value
    elif isinstance(node, ast.FunctionDef) and node.name in GIVING:
        returned = (item for item in ast.walk(node) if isinstance(item, ast.Return))
        for item in returned:
            is_choice = isinstance(item.value, ast.IfExp)
            yield item.value.body if is_choice else item.value  # type: ignore[union-attr]


def _messages() -> set[str]:
    told = (
        _message(part)
        for path, tree in TREES.items()
        if path.parent.name != "doctor"
        for node in ast.walk(tree)
        for part in _told(path, node)
    )
    return {text for text in told if text is not None}


def test_every_message_has_a_row() -> None:
    assert _messages() - NOT_TOLD - set(ROWS) == set()


def test_every_row_is_a_text_of_the_code() -> None:
    nodes = (node for tree in TREES.values() for node in ast.walk(tree))
    texts = {_message(node) for node in nodes if isinstance(node, ast.expr)}
    assert len(ROWS) > 40
    assert not [row for row in ROWS if row not in texts]


def test_messages_come_from_nowhere_else() -> None:
    told = {
        f"{path.name}: {ast.unparse(node.args[0])}"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _name(node.func) == "trouble" and node.args
        if _message(node.args[0]) is None and ast.unparse(node.args[0]) != "None"
    }
    assert told == OTHERS


def test_every_kind_of_loss_has_a_row() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in TREES)
    kinds = set(re.findall(r'"dropped_([a-z_]+)"', code))
    rows = re.findall(r"^\| (`[a-z_`, ]+`) \| [^|]+ \| [^|]+ \|$", PAGE, re.MULTILINE)
    assert set(re.findall(r"[a-z_]+", " ".join(rows))) == kinds
