"""What an explorer has in sight of a history tree."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from memory_nodes.episodic.history.tree import Branch, HistoryTree


class View:
    """The root, and below what is open those children that are not hidden."""

    def __init__(self, tree: HistoryTree, root: Branch) -> None:
        self._tree = tree
        self.root = root
        self._below: dict[str, list[Branch]] = {}
        self._parents: dict[str, str] = {}
        self._known = {root.node_id: root}

    def open(self, node: Branch) -> list[Branch]:
        """All children of a node are in sight then."""
        children = self._tree.children(node.node_id)
        self._below[node.node_id] = children
        self._parents |= {child.node_id: node.node_id for child in children}
        self._known |= {child.node_id: child for child in children}
        return children

    def show(self, node: Branch) -> None:
        """A node anywhere below the root, on its way down."""
        way = [*self._tree.path(node.node_id), node]
        for above, below in pairwise(way):
            shown = self._below.setdefault(above.node_id, [])
            if all(below.node_id != each.node_id for each in shown):
                shown.append(below)
            self._parents[below.node_id] = above.node_id
            self._known[below.node_id] = below

    def keep(self, shown: Sequence[Branch], chosen: Sequence[Branch]) -> None:
        """Hides all of ``shown`` that are not chosen, and what is open above nothing else."""
        gone = {node.node_id for node in shown} - {node.node_id for node in chosen}
        while gone:
            above = {self._parents[node_id] for node_id in gone if node_id in self._parents}
            for node_id in above:
                left = [each for each in self._below[node_id] if each.node_id not in gone]
                self._below[node_id] = left
            gone = {node_id for node_id in above if not self._below[node_id]}

    def above(self, node: Branch) -> list[Branch]:
        """The nodes on the way from one up to the root."""
        path = []
        node_id = node.node_id
        while node_id in self._parents:
            node_id = self._parents[node_id]
            path.append(self._known[node_id])
        return path

    def visible(self) -> Iterator[Branch]:
        """From the root down, in order."""
        return self._from(self.root)

    def parents(self, node_ids: Collection[str]) -> dict[str, str]:
        """The node above each of these."""
        return {each: self._parents[each] for each in node_ids if each in self._parents}

    def parent(self, node: Branch) -> Branch | None:
        """The node right above one; None for the root."""
        return self._known.get(self._parents.get(node.node_id, ""))

    def is_open(self, node: Branch) -> bool:
        return bool(self._below.get(node.node_id))

    def _from(self, node: Branch) -> Iterator[Branch]:
        yield node
        for child in self._below.get(node.node_id, []):
            yield from self._from(child)
