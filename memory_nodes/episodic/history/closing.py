"""Closes what is over: goals, days, weeks, months, years; and keeps the root's text up to date."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace

from memory_nodes.episodic.history import rules
from memory_nodes.episodic.history.calendar import Calendar, Period
from memory_nodes.episodic.history.chronicle import day_node
from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.drafts import opened
from memory_nodes.episodic.history.narrator import Group, Narrator
from memory_nodes.episodic.history.paths import is_episode_over
from memory_nodes.episodic.history.retelling import Retelling
from memory_nodes.episodic.history.tops import TOP_UNITS
from memory_nodes.records import Episode, HistoryNode, HistoryUnit
from memory_nodes.store.history_nodes import TELL_AGAIN
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer

_BELOW = {
    HistoryUnit.WEEK: (HistoryUnit.DAY,),
    HistoryUnit.MONTH: (HistoryUnit.DAY, HistoryUnit.WEEK),
    HistoryUnit.YEAR: (HistoryUnit.DAY, HistoryUnit.WEEK, HistoryUnit.MONTH),
}
"""What a unit is made of: where there would be one of the units between, it is left out."""


class Closing:
    """Writes the nodes above events, one commit a step. What has no parent yet is its work queue.

    A closed node is never written again, except as the parent of what came late.
    """

    def __init__(
        self,
        writer: Writer,
        past: Past,
        narrator: Narrator,
        calendar: Calendar,
        config: HistoryConfig,
    ) -> None:
        self._writer = writer
        self._past = past
        self._narrator = narrator
        self._calendar = calendar
        self._config = config
        self._retelling = Retelling(writer, past, config)

    async def step(self, horizon_ns: int, used: Collection[str]) -> bool:
        """Closes one node, if one is over by then; whether there was one.

        All up to the horizon must be told. ``used``: goals that more may come into.
        """
        return (
            await asyncio.to_thread(self._retelling.step)
            or await self._adopt()
            or await self._close_unit(HistoryUnit.WEEK, horizon_ns)
            or await self._close_unit(HistoryUnit.MONTH, horizon_ns)
            or await self._close_unit(HistoryUnit.YEAR, horizon_ns)
            or await self._close_day_or_goal(horizon_ns, used)
            or await asyncio.to_thread(self._tell_root)
        )

    async def _adopt(self) -> bool:
        """Goals of no day come under theirs, events of no goal into one: they came late, or what
        was above them is forgotten.
        """
        units = (HistoryUnit.EVENT, HistoryUnit.GOAL, HistoryUnit.GROUP)
        orphans = await asyncio.to_thread(self._past.parentless, units)
        if not orphans:
            return False
        node, below = orphans[0], list[HistoryNode]()
        if node.unit is HistoryUnit.GOAL and node.is_open:
            node, below = await self._closed_goal(node, await self._below(node))
        await asyncio.to_thread(self._put_under_day, node, below)
        return True

    def _put_under_day(self, node: HistoryNode, below: Sequence[HistoryNode]) -> None:
        period = self._period(node)
        day = day_node(self._past, period.start_ns, period.end_ns)
        if day is None:
            day = _opened(HistoryUnit.DAY, 4, node)
        above = [_around(each, [node]) for each in (day, *self._ancestors(day))]
        if node.unit is HistoryUnit.EVENT:
            facts = rules.goal_facts(None, [node])
            goal = replace(
                _opened(HistoryUnit.GOAL, 3, node),
                text=rules.text_of(facts, HistoryUnit.GOAL),
                parent_id="@0",
                is_open=False,
            )
            above.append(goal)
        parent_id = f"@{len(above) - 1}" if node.unit is HistoryUnit.EVENT else "@0"
        closed = replace(node, parent_id=parent_id, is_open=False)
        self._writer.put_history([*above, closed, *below])

    def _ancestors(self, node: HistoryNode) -> list[HistoryNode]:
        above: list[HistoryNode] = []
        while node.parent_id:
            (node,) = self._past.history([node.parent_id])
            above.append(node)
        return above

    async def _close_day_or_goal(self, horizon_ns: int, used: Collection[str]) -> bool:
        """Day by day, each after its goals, of which the innermost come first."""
        goals, days = await asyncio.to_thread(self._open_goals_and_days)
        in_use_ns = [self._day_ns(goal) for goal in goals if goal.node_id in used]
        ready = [g for g in goals if g.node_id not in used and self._is_over(g, horizon_ns)]
        over = [d for d in days if self._period(d).end_ns <= horizon_ns]
        goal = min(ready, key=self._day_ns, default=None)
        day = next((each for each in over if self._day_ns(each) not in in_use_ns), None)
        if goal is not None and (day is None or self._day_ns(goal) <= self._day_ns(day)):
            await self._close_goal(goal)
        elif day is not None:
            await self._close_day(day)
        return goal is not None or day is not None

    async def _close_goal(self, goal: HistoryNode) -> None:
        children = await self._below(goal)
        if not children:  # forgotten
            await asyncio.to_thread(self._writer.put_history, [], [goal.node_id])
            return
        closed, told = await self._closed_goal(_again_around(goal, children), children)
        await asyncio.to_thread(self._write_goal, closed, told)

    def _open_goals_and_days(self) -> tuple[list[HistoryNode], list[HistoryNode]]:
        goals = self._past.open_nodes(HistoryUnit.GOAL)
        days = self._past.parentless([HistoryUnit.DAY])
        return [each for each in goals if each.parent_id], [each for each in days if each.is_open]

    def _period(self, node: HistoryNode) -> Period:
        return self._calendar.period(HistoryUnit.DAY, node.start_ns)

    def _day_ns(self, node: HistoryNode) -> int:
        return self._period(node).start_ns

    def _write_goal(self, goal: HistoryNode, below: Sequence[HistoryNode]) -> None:
        """With what has changed below it, and the text so far of its day, if that is open."""
        above = self._ancestors(goal)
        day = above[-1] if above else goal
        written = list(below)
        if day.unit is HistoryUnit.DAY and day.is_open:
            siblings = self._past.children(day.node_id)
            told = [goal if each.node_id == goal.node_id else each for each in siblings]
            so_far = self._narrator.by_rule(told, HistoryUnit.DAY)
            day = replace(day, text=so_far, end_ns=max(day.end_ns, goal.end_ns))
            written.insert(0, day)
        self._writer.put_history([*written, goal])

    def _is_over(self, goal: HistoryNode, horizon_ns: int) -> bool:
        if self._period(goal).end_ns <= horizon_ns or not goal.evidence:
            return True
        return is_episode_over(self._past, goal.evidence[0], horizon_ns)

    async def _closed_goal(
        self, goal: HistoryNode, children: Sequence[HistoryNode]
    ) -> tuple[HistoryNode, list[HistoryNode]]:
        """A goal that is over, and those of its children that are told anew with it."""
        episode = await asyncio.to_thread(self._episode_of, goal)
        facts = rules.goal_facts(episode, children)
        events = [child for child in children if child.unit is HistoryUnit.EVENT]
        told, told_events = await self._narrator.goal(facts, events)
        end_ns = goal.end_ns
        if episode is not None and episode.end_ns is not None:
            end_ns = max(end_ns, min(episode.end_ns, self._period(goal).end_ns - 1))
        closed = replace(goal, text=told.text, source=told.source, end_ns=end_ns, is_open=False)
        now = {event.node_id: replace(event, is_open=False) for event in told_events}
        below = [now.get(child.node_id, replace(child, is_open=False)) for child in children]
        changed = [new for new, old in zip(below, children, strict=True) if new != old]
        return closed, changed

    def _episode_of(self, goal: HistoryNode) -> Episode | None:
        found = self._past.episodes(goal.evidence[:1]) if goal.evidence else []
        return found[0] if found else None

    async def _below(self, node: HistoryNode) -> list[HistoryNode]:
        return await asyncio.to_thread(self._past.children, node.node_id)

    async def _close_day(self, day: HistoryNode) -> None:
        """Groups the goals of a day that is over, one level a step, then closes it."""
        nodes = await self._below(day)
        day = _again_around(day, nodes)
        if not nodes:
            await asyncio.to_thread(self._writer.put_history, [], [day.node_id])
        elif len(nodes) <= self._config.max_ungrouped_goals:
            told = await self._narrator.summary(nodes, HistoryUnit.DAY)
            await self._close(day, nodes, told.text, told.source)
        else:
            await self._group(day, nodes)

    async def _group(self, day: HistoryNode, nodes: Sequence[HistoryNode]) -> None:
        groups = await self._narrator.groups(nodes)
        if len(groups) == 1:
            await self._close(day, nodes, groups[0].told.text, groups[0].told.source)
            return
        made = [_group_node(group, day) for group in groups if len(group.nodes) > 1]
        await asyncio.to_thread(self._writer.put_history, made)

    async def _close(
        self, node: HistoryNode, children: Sequence[HistoryNode], text: str, source: str
    ) -> None:
        closed = replace(_around(node, children), text=text, source=source, is_open=False)
        await asyncio.to_thread(self._writer.put_history, [closed])

    async def _close_unit(self, unit: HistoryUnit, horizon_ns: int) -> bool:
        """Makes one week, month or year that is over of its parts; a part alone stays as it is."""
        nodes = await asyncio.to_thread(self._past.parentless, _BELOW[unit])
        parts: dict[Period, list[HistoryNode]] = {}
        for node in nodes:
            parts.setdefault(self._calendar.period(unit, node.start_ns), []).append(node)
        for period, within in parts.items():
            if period.end_ns > horizon_ns or any(node.is_open for node in within):
                continue
            known = await asyncio.to_thread(self._known, unit, period)
            if known is not None:
                below = tuple(node.node_id for node in within)
                late = replace(_around(known, within), child_ids=below)
                await asyncio.to_thread(self._writer.put_history, [late])
                return True
            if len(within) > 1:
                told = await self._narrator.summary(within, unit)
                fresh = _around(_opened(unit, 5, within[0]), within)
                below = tuple(node.node_id for node in within)
                await self._close(replace(fresh, child_ids=below), within, told.text, told.source)
                return True
        return False

    def _known(self, unit: HistoryUnit, period: Period) -> HistoryNode | None:
        around = self._past.history_between(period.start_ns, period.end_ns - 1, [unit])
        return around[0] if around else None

    def _tell_root(self) -> bool:
        """By rule, since it changes with every goal: it costs no call."""
        tops = self._past.parentless(TOP_UNITS)
        if not tops:
            return False
        known = self._past.parentless([HistoryUnit.ROOT])
        node = known[0] if known else _opened(HistoryUnit.ROOT, 5, tops[0])
        text = self._narrator.by_rule(tops, HistoryUnit.ROOT)
        root = replace(_around(node, tops), start_ns=tops[0].start_ns, text=text)
        if root == node and known:
            return False
        self._writer.put_history([root])
        return True


def _opened(unit: HistoryUnit, level: int, first: HistoryNode) -> HistoryNode:
    return replace(opened(unit, level, first.start_ns, ()), end_ns=first.end_ns)


def _around(node: HistoryNode, children: Sequence[HistoryNode]) -> HistoryNode:
    """A node with at least the span of its children, and above them."""
    return replace(
        node,
        start_ns=min(node.start_ns, *(child.start_ns for child in children)),
        end_ns=max(node.end_ns, *(child.end_ns for child in children)),
        level=max(node.level, 1 + max(child.level for child in children)),
    )


def _again_around(node: HistoryNode, children: Sequence[HistoryNode]) -> HistoryNode:
    """Of the time that is left, where some of it was forgotten."""
    if node.source != TELL_AGAIN or not children:
        return node
    start_ns, end_ns = children[0].start_ns, max(child.end_ns for child in children)
    return replace(node, start_ns=start_ns, end_ns=end_ns)


def _group_node(group: Group, day: HistoryNode) -> HistoryNode:
    node = HistoryNode(
        unit=HistoryUnit.GROUP,
        level=4,
        start_ns=group.nodes[0].start_ns,
        end_ns=group.nodes[0].end_ns,
        text=group.told.text,
        source=group.told.source,
        parent_id=day.node_id,
        child_ids=tuple(node.node_id for node in group.nodes),
    )
    return _around(node, group.nodes)
