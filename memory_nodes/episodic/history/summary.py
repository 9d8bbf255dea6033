"""What happened in a stretch of time, as text and nodes of the history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_nodes.dates import Dates
from memory_nodes.episodic.history.tree import Branch, HistoryTree
from memory_nodes.errors import InputError
from memory_nodes.records import HistoryUnit
from memory_nodes.store.past import Past

MAX_NODES = 12
"""For the best level: with more, a person would rather read what is above them."""
MAX_TEXT_CHARS = 4000
NOTE_CHARS = 20
"""Room for how many are left out."""
MAX_LEVEL = 255
_GOAL_LEVEL = 3


@dataclass(frozen=True)
class Summary:
    """Lines of a history, and the nodes that they are of, by time."""

    text: str
    nodes: tuple[Branch, ...]


def summary(past: Past, since_ns: int, until_ns: int, level: int, dates: Dates) -> Summary:
    """What happened in a time, both ends included.

    ``level``: that the nodes have at most, 2 for events, 3 for goals; 0 for the best: the lowest
    nodes down to goals of which there are few, and none that is only partly in that time where it
    can be told apart.

    Raises InputError for a time that ends before it begins, or an unknown level.
    """
    if since_ns > until_ns:
        raise InputError(f"the time from {since_ns} to {until_ns} ns: give since <= until")
    if not 0 <= level <= MAX_LEVEL or level == 1:
        raise InputError(f"no level {level}: give 2 for events, 3 for goals, more, or 0")
    tree = HistoryTree(past, dates)
    root = tree.root()
    nodes = _within([root] if root is not None else [], since_ns, until_ns)
    if level:
        nodes = _down_to(tree, nodes, level, since_ns, until_ns)
    else:
        nodes = _best(tree, nodes, since_ns, until_ns)
    return Summary(_text(nodes, dates, since_ns, until_ns), tuple(nodes))


def _within(branches: Sequence[Branch], since_ns: int, until_ns: int) -> list[Branch]:
    return [each for each in branches if each.start_ns <= until_ns and each.end_ns >= since_ns]


def _down_to(
    tree: HistoryTree, nodes: list[Branch], level: int, since_ns: int, until_ns: int
) -> list[Branch]:
    found = []
    for node in nodes:
        if node.level <= level and node.unit != HistoryUnit.ROOT.value:
            found.append(node)
        else:
            below = _within(tree.children(node.node_id), since_ns, until_ns)
            found += _down_to(tree, below, level, since_ns, until_ns)
    return found


def _best(tree: HistoryTree, nodes: list[Branch], since_ns: int, until_ns: int) -> list[Branch]:
    """Opens what is only partly in that time, then all of the highest while they stay few."""
    while True:
        partly = [node for node in nodes if _is_partly(node, since_ns, until_ns)]
        top = max((node.level for node in nodes), default=0)
        opened = partly or [node for node in nodes if node.level == top > _GOAL_LEVEL]
        if not opened:
            return nodes
        finer = []
        for node in nodes:
            below = tree.children(node.node_id) if node in opened else [node]
            finer += _within(below, since_ns, until_ns) or [node]
        if (not partly and len(finer) > MAX_NODES) or finer == nodes:
            return nodes
        nodes = finer


def _is_partly(node: Branch, since_ns: int, until_ns: int) -> bool:
    is_high = node.level > _GOAL_LEVEL or node.unit == HistoryUnit.ROOT.value
    return is_high and (node.start_ns < since_ns or node.end_ns > until_ns)


def _text(nodes: Sequence[Branch], dates: Dates, since_ns: int, until_ns: int) -> str:
    if not nodes:
        return f"Nothing is remembered of {dates.span(since_ns, until_ns)}."
    lines: list[str] = []
    room = MAX_TEXT_CHARS - NOTE_CHARS
    for node in nodes:
        when = dates.span(node.start_ns, node.end_ns)
        line = f"{when}: {' '.join(node.text.split())}"
        if len(line) + 1 > room:
            lines.append(f"({len(nodes) - len(lines)} more)")
            break
        room -= len(line) + 1
        lines.append(line)
    return "\n".join(lines)
