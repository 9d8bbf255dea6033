"""A scripted explorer: it reads the history from its root down, as a model with tools would."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from benchmark.history.view import View
from memory_nodes.episodic.history.tree import Branch, HistoryTree
from memory_nodes.records import HistoryUnit
from memory_nodes.words import STOP_WORDS, stem, words
from memory_test_support.household.diary_model import estimated_tokens

MAX_OPEN = 8
"""Nodes that it follows at once."""
_ASIDE = frozenset(map(stem, "list right after before during task began day ago did".split()))
_BESIDE = re.compile(r"right (after|before) the task")
_GOAL = HistoryUnit.GOAL.value

Span = tuple[int, int]


Choice = Callable[[Sequence[Branch]], list[Branch]]


@dataclass
class Exploration:
    """What was read, what is in sight at the end, and which goals were found."""

    view: View
    prompt_tokens: int = 0
    steps: int = 0
    found: list[Branch] = field(default_factory=list)


class Explorer:
    """Finds the goals that a question asks for. It knows nothing of the truth.

    With the searches of the tree, by time where the question names one, else by words; a model
    would call them in its first step. Reading alone, it opens nodes level by level, and chooses by
    that time, or by the words that question and texts share. What it has not chosen it hides
    again; of what is open it reads the time alone, since what is below says the rest.

    Each step costs a prompt: what is in sight, and the question.
    """

    def __init__(self, tree: HistoryTree, *, can_search: bool) -> None:
        self._tree = tree
        self._can_search = can_search

    def explore(self, root: Branch, question: str, named_ns: Span | None) -> Exploration:
        """``named_ns``: the time that the question names."""
        seen = Exploration(View(self._tree, root))
        self._prompt(seen, question)
        beside = _BESIDE.search(question)
        if self._can_search:
            seen.found = self._search(seen, question, named_ns)
            if beside is not None and seen.found:
                self._prompt(seen, question)
                seen.found = self._step(seen, seen.found, is_after=beside[1] == "after")
        else:
            choice = _sharing_words(question) if named_ns is None else _in_time(named_ns)
            seen.found = self._descend(seen, [root], question, choice)
            if beside is not None and seen.found:
                choice = _nearest(seen.found[0], is_after=beside[1] == "after")
                seen.found = self._beside(seen, seen.found[0], question, choice)
        self._prompt(seen, question)
        return seen

    def _search(self, seen: Exploration, question: str, named_ns: Span | None) -> list[Branch]:
        root_id = seen.view.root.node_id
        if named_ns is None:
            asked = [word for word in words(question) if stem(word) not in _ASIDE]
            goals = self._tree.search(root_id, " ".join(asked))
        else:
            goals = self._tree.within(root_id, *named_ns)
        for goal in goals:
            seen.view.show(goal)
        return goals

    def _step(self, seen: Exploration, goals: Sequence[Branch], *, is_after: bool) -> list[Branch]:
        goal = self._tree.beside(goals[0].node_id)[is_after]
        if goal is None:
            return []
        seen.view.show(goal)
        seen.view.keep(goals, [goal])
        return [goal]

    def _descend(
        self, seen: Exploration, nodes: Sequence[Branch], question: str, choice: Choice
    ) -> list[Branch]:
        """The goals that fit best, from some nodes down."""
        goals = [node for node in nodes if node.unit == _GOAL]
        above = [node for node in nodes if node.unit != _GOAL]
        while above:
            shown = [child for node in above for child in seen.view.open(node)]
            self._prompt(seen, question)
            chosen = choice([*goals, *shown])[:MAX_OPEN]
            seen.view.keep([*goals, *shown], chosen)
            goals = [node for node in chosen if node.unit == _GOAL]
            above = [node for node in chosen if node.unit not in (_GOAL, "event")]
        return goals

    def _beside(
        self, seen: Exploration, goal: Branch, question: str, choice: Choice
    ) -> list[Branch]:
        """The goal right before or after one, wherever in the tree."""
        for node in seen.view.above(goal):
            shown = seen.view.open(node)
            self._prompt(seen, question)
            beside = choice(shown)
            if beside:
                seen.view.keep(shown, beside)
                return self._descend(seen, beside, question, choice)
        return []

    def _prompt(self, seen: Exploration, question: str) -> None:
        seen.steps += 1
        lines = [self._line(node, seen.view) for node in seen.view.visible()]
        seen.prompt_tokens += estimated_tokens("\n".join((*lines, question)))

    def _line(self, node: Branch, view: View) -> str:
        above = view.parent(node)
        if view.is_open(node):
            return f"{node.node_id} [{self._tree.when(node, above)}]"
        return self._tree.line(node, above)


def _in_time(named_ns: Span) -> Choice:
    since_ns, until_ns = named_ns

    def choose(nodes: Sequence[Branch]) -> list[Branch]:
        return [node for node in nodes if node.start_ns <= until_ns and node.end_ns >= since_ns]

    return choose


def _sharing_words(question: str) -> Choice:
    """Those that share most words with a question; a word that few of them have counts more."""
    asked = {stem(word) for word in words(question) if word not in STOP_WORDS} - _ASIDE

    def choose(nodes: Sequence[Branch]) -> list[Branch]:
        told = [set(map(stem, words(node.text))) & asked for node in nodes]
        counts = Counter(word for each in told for word in each)
        scores = [sum(1.0 + 1.0 / counts[word] for word in each) for each in told]
        most = max(map(len, told), default=0)
        best = [n for n, each in enumerate(told) if each and len(each) == most]
        return [nodes[n] for n in sorted(best, key=lambda n: -scores[n])]

    return choose


def _nearest(goal: Branch, *, is_after: bool) -> Choice:
    def choose(nodes: Sequence[Branch]) -> list[Branch]:
        if is_after:
            later = [node for node in nodes if node.start_ns > goal.start_ns]
            return sorted(later, key=lambda node: node.start_ns)[:1]
        earlier = [node for node in nodes if node.end_ns < goal.end_ns]
        return sorted(earlier, key=lambda node: -node.end_ns)[:1]

    return choose
