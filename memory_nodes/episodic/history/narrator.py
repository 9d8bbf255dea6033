"""Puts the history into words: by the language model, and by rule where it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memory_nodes.dates import Dates
from memory_nodes.episodic.history import rules
from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.facts import Facts, prose
from memory_nodes.episodic.history.prompt import (
    MAX_LINES,
    goal_prompt,
    group_prompt,
    summary_prompt,
)
from memory_nodes.episodic.history.reply import Range, read_events, read_grouping, read_summary
from memory_nodes.errors import ModelError
from memory_nodes.models.ports import ChatModel, Prompt, Reply
from memory_nodes.records import HistoryNode, HistoryUnit

BY_RULE = "template"
TRIES = 3
"""Source: H-EMV, section III-A."""


@dataclass(frozen=True)
class Told:
    """A node's text, and who wrote it."""

    text: str
    source: str = BY_RULE


@dataclass(frozen=True)
class Group:
    """Consecutive nodes that belong together."""

    nodes: Sequence[HistoryNode]
    told: Told


@dataclass
class Usage:
    """What the model was asked, and how well it grouped."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    groupings_by_try: list[int] = field(default_factory=lambda: [0] * TRIES)
    """Valid at the first try, at the second ..."""
    groupings_failed: int = 0


class Narrator:
    """Gives each node its text.

    Below what the model writes stand the facts by rule: names of tasks, times and rare objects go
    up the tree whatever it leaves out.
    """

    def __init__(
        self, model: ChatModel | None, config: HistoryConfig, dates: Dates, timeout_s: float
    ) -> None:
        self._model = model
        self._config = config
        self._dates = dates
        self._timeout_s = timeout_s
        self.usage = Usage()
        self.problem: str | None = None
        """Why the last text is by rule though there is a model."""

    async def goal(
        self, facts: Facts, events: Sequence[HistoryNode]
    ) -> tuple[Told, Sequence[HistoryNode]]:
        """The text of a goal of which these facts are known, and its events as they are told now:
        one call, if goals are told by the model at all.
        """
        if not self._config.tell_goals_by_model:
            return Told(rules.text_of(facts, HistoryUnit.GOAL)), events
        reply = await self._ask(goal_prompt(facts, events, self._dates))
        told = self._summarised(reply, HistoryUnit.GOAL, facts)
        return told, events if reply is None else _told_events(events, reply)

    async def summary(self, nodes: Sequence[HistoryNode], unit: HistoryUnit) -> Told:
        """One text for nodes that are a day, a week, ... together: one call."""
        facts = rules.unit_facts(nodes, self._dates)
        reply = await self._ask(summary_prompt(_spread(nodes), unit, self._dates))
        return self._summarised(reply, unit, facts)

    def _summarised(self, reply: Reply | None, unit: HistoryUnit, facts: Facts) -> Told:
        summary = "" if reply is None else read_summary(reply)
        if reply is not None and not summary:
            self.problem = f"the history is told by rule: no summary in {reply.text[:80]!r}"
        return self._told(summary, reply, unit, facts)

    def by_rule(self, nodes: Sequence[HistoryNode], unit: HistoryUnit) -> str:
        """A text without the model."""
        return rules.text_of(rules.unit_facts(nodes, self._dates), unit)

    async def groups(self, nodes: Sequence[HistoryNode]) -> list[Group]:
        """Consecutive groups, fewer than there are nodes; one where no fewer can be found.

        Source: H-EMV, section III-A: three tries, then a single summary.
        """
        shown = list(nodes[:MAX_LINES])
        ranges, reply = await self._ranges(shown)
        if ranges and len(ranges) < len(shown):
            made = [(shown[each.first - 1 : each.last], each.summary) for each in ranges]
            groups = [
                Group(within, self._group_told(within, summary, reply)) for within, summary in made
            ]
            return groups + [Group([node], Told(node.text)) for node in nodes[MAX_LINES:]]
        if self._model is not None and self.problem is None:
            return [Group(nodes, await self.summary(nodes, HistoryUnit.GROUP))]
        return [Group(each, self._group_told(each, "", None)) for each in self._shares(nodes)]

    async def _ranges(self, nodes: Sequence[HistoryNode]) -> tuple[tuple[Range, ...], Reply | None]:
        errors: tuple[str, ...] = ()
        refused = ""
        for number in range(TRIES):
            reply = await self._ask(group_prompt(nodes, self._dates, errors, refused))
            if reply is None:
                return (), None
            grouping = read_grouping(reply, len(nodes))
            if not grouping.errors:
                self.usage.groupings_by_try[number] += 1
                return grouping.ranges, reply
            errors, refused = grouping.errors, reply.text[:2000]
        self.usage.groupings_failed += 1
        return (), None

    def _shares(self, nodes: Sequence[HistoryNode]) -> list[Sequence[HistoryNode]]:
        parts = rules.groups(nodes, self._dates)
        size = self._config.max_ungrouped_goals
        shares = [share for part in parts for share in rules.shares(part, size)]
        return shares if len(shares) <= max(size, len(nodes) // 2) else rules.shares(nodes, size)

    def _group_told(self, nodes: Sequence[HistoryNode], summary: str, reply: Reply | None) -> Told:
        facts = rules.unit_facts(nodes, self._dates)
        return self._told(summary, reply, HistoryUnit.GROUP, facts)

    def _told(self, summary: str, reply: Reply | None, unit: HistoryUnit, facts: Facts) -> Told:
        by_rule = rules.text_of(facts, unit)
        summary = prose(summary)  # the lists that it may repeat stand below it anyway
        if not summary or reply is None:
            return Told(by_rule)
        return Told(f"{summary}\n{rules.tail(facts, unit)}".strip(), reply.model or "model")

    async def _ask(self, prompt: Prompt) -> Reply | None:
        """None where there is no model, or it does not answer."""
        if self._model is None:
            return None
        self.usage.calls += 1
        try:
            reply = await self._model.complete(prompt, self._timeout_s)
        except ModelError as error:
            self.problem = f"the history is told by rule: {error}"
            return None
        self.problem = None
        self.usage.prompt_tokens += reply.prompt_tokens
        self.usage.completion_tokens += reply.completion_tokens
        return reply


def _told_events(events: Sequence[HistoryNode], reply: Reply) -> Sequence[HistoryNode]:
    """The model's sentence above the lists by rule, which are kept whole."""
    sentences = map(prose, read_events(reply, len(events)) or [""] * len(events))
    return [
        replace(event, text=f"{sentence}\n{event.text}", source=reply.model or "model")
        if sentence and event.source == BY_RULE
        else event
        for event, sentence in zip(events, sentences, strict=True)
    ]


def _spread(nodes: Sequence[HistoryNode]) -> Sequence[HistoryNode]:
    """At most so many as a prompt may have, from beginning to end."""
    if len(nodes) <= MAX_LINES:
        return nodes
    return [nodes[len(nodes) * number // MAX_LINES] for number in range(MAX_LINES)]
