"""What the model has in sight of the history tree: collapsed, but for what it opens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from memory_nodes.episodic.history.tree import Branch, HistoryTree
from memory_nodes.errors import InputError
from memory_nodes.words import shortened

MAX_CHILDREN = 20
"""Shown of one node at once."""
MAX_LINE_CHARS = 240
_HISTORY = "history_"


class TreeView:
    """The root, and below what is open some or all of its children.

    Source: H-EMV, section III-B (nodes are collapsed at first).
    """

    def __init__(self, tree: HistoryTree, root: Branch) -> None:
        self._tree = tree
        self.root = root
        self._known = {root.node_id: root}
        self._parents: dict[str, str] = {}
        self._shown: dict[str, list[Branch]] = {}
        """By the node above; what was opened last comes last."""
        self._left_out: dict[str, str] = {}
        """A line below an open node: what else is there."""

    def expand(self, node_id: str, first: int) -> list[Branch]:
        """Shows the children of a node from one number on, as many as fit.

        Raises InputError for an unknown node, or one with nothing below it.
        """
        self._bring(node_id)
        children = self._tree.children(node_id)
        first = min(max(0, first), len(children))
        shown = children[first:][:MAX_CHILDREN]
        if not shown:
            raise InputError(f"{node_id} has {len(children)} nodes below it, none from {first} on")
        self._open(node_id, shown)
        left = len(children) - first - len(shown)
        rest = f'({left} more: expand("{node_id}", first={first + len(shown)}))'
        self._left_out[node_id] = rest if left else ""
        return shown

    def show(self, found: Sequence[Branch]) -> None:
        """Nodes of the history below any other, with the way to each."""
        for branch in found:
            way = [*self._tree.path(branch.node_id), branch]
            for above, below in pairwise(way):
                known = self._shown.get(above.node_id, [])
                beside = [each for each in known if each.node_id != below.node_id]
                opened = sorted([*beside, below], key=lambda each: (each.start_ns, each.level))
                self._left_out.setdefault(above.node_id, "(there may be more here)")
                self._open(above.node_id, opened)

    def collapse(self, node_id: str) -> None:
        """Hides what is below a node. Raises InputError for one that is not in sight."""
        if node_id not in self._known:
            raise InputError(f"{node_id[:80]!r} is not in sight: collapse a node of the tree")
        self._shown.pop(node_id, None)
        self._left_out.pop(node_id, None)

    def lines(self, max_chars: int) -> list[str]:
        """The tree as text; what was opened longest ago is closed for want of room."""
        lines = list(self._lines(self.root, None, 0))
        while _size(lines) > max_chars and self._close_oldest():
            lines = list(self._lines(self.root, None, 0))
        left_out = 0
        while len(lines) > 1 and _size(lines) > max_chars:
            lines.pop()
            left_out += 1
        rest = f"(no room for {left_out} more lines: collapse what you do not need)"
        return [*lines, rest] if left_out else lines

    def _bring(self, node_id: str) -> None:
        """Into sight, where it is not. Raises InputError for what cannot be."""
        if node_id in self._known:
            return
        if not node_id.startswith(_HISTORY):
            raise InputError(f"no node {node_id[:80]!r} in sight: give an id from the tree")
        self.show([self._tree.node(node_id)])

    def _open(self, node_id: str, shown: Sequence[Branch]) -> None:
        self._shown.pop(node_id, None)
        self._shown[node_id] = list(shown)
        self._known |= {each.node_id: each for each in shown}
        self._parents |= {each.node_id: node_id for each in shown}

    def _close_oldest(self) -> bool:
        """False where only the way to what was opened last is open."""
        *others, newest = self._shown or [self.root.node_id]
        way = {newest, *self._above(newest)}
        for node_id in others:
            if node_id not in way:
                self.collapse(node_id)
                return True
        return False

    def _above(self, node_id: str) -> Iterator[str]:
        while node_id in self._parents:
            node_id = self._parents[node_id]
            yield node_id

    def _lines(self, node: Branch, above: Branch | None, depth: int) -> Iterator[str]:
        indent = "  " * depth
        below = self._shown.get(node.node_id)
        if below is None or node.unit == "chunk":
            yield indent + shortened(self._tree.line(node, above), MAX_LINE_CHARS)
        else:  # what is below it says the rest
            yield f"{indent}{node.node_id} [{self._tree.when(node, above)}]"
        for child in below or ():
            yield from self._lines(child, node, depth + 1)
        if self._left_out.get(node.node_id):
            yield f"{indent}  {self._left_out[node.node_id]}"


def _size(lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in lines)
