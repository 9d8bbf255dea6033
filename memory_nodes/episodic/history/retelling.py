"""Tells events again of which something was forgotten, from what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory_nodes.episodic.history.beginning import state_after
from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.drafts import opened
from memory_nodes.episodic.history.event import EventDraft, State
from memory_nodes.episodic.history.items import Item, observed_item, scene_item
from memory_nodes.episodic.history.paths import EpisodePaths, is_of_episode
from memory_nodes.records import HistoryNode, HistoryUnit
from memory_nodes.store.history_nodes import TELL_AGAIN
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer

MAX_ITEMS = 5000
"""Observations in events that follow each other."""


class Retelling:
    """What waits for it are events below no goal; their evidence is the goal that they were in."""

    def __init__(self, writer: Writer, past: Past, config: HistoryConfig) -> None:
        self._writer = writer
        self._past = past
        self._config = config

    def step(self) -> bool:
        """Tells events that follow each other, in one commit; whether there were any."""
        events = _first_in_a_row(self._past.parentless([HistoryUnit.EVENT]))
        if not events:
            return False
        goals = self._past.history(events[0].evidence)
        goal = goals[0] if goals else None
        siblings = [] if goal is None else self._past.children(goal.node_id)
        state = self._state_before(events[0].start_ns, siblings)
        told = self._told(self._items(events, goal), state)
        if told and any(each.start_ns == events[-1].end_ns + 1 for each in siblings):
            told[-1] = replace(told[-1], end_ns=events[-1].end_ns)
        parent_id = "" if goal is None else goal.node_id
        self._writer.put_history(
            [replace(node, parent_id=parent_id) for node in told],
            [event.node_id for event in events],
        )
        return True

    def _items(self, events: Sequence[HistoryNode], goal: HistoryNode | None) -> list[Item]:
        """What is left, by time, without what belongs to other goals."""
        start_ns, end_ns = events[0].start_ns, events[-1].end_ns
        seen = self._past.observations_between(start_ns, end_ns, MAX_ITEMS)
        scenes = map(scene_item, self._past.scenes_between(start_ns, end_ns))
        items = [*map(observed_item, seen), *(each for each in scenes if each.start_ns >= start_ns)]
        paths = EpisodePaths(self._past, items)
        episode_id = goal.evidence[0] if goal is not None and is_of_episode(goal) else ""
        around = self._past.history_between(start_ns, end_ns, [HistoryUnit.EVENT])
        told = {each for event in around for each in event.evidence}
        own = [
            item
            for item in items
            if not item.is_silent
            and item.item_id not in told
            and next((each.episode_id for each in paths.of(item)[::-1]), "") == episode_id
        ]
        return sorted(own, key=lambda item: (item.start_ns, item.is_chunk, item.key))

    def _state_before(self, start_ns: int, siblings: Sequence[HistoryNode]) -> State:
        """As it was left by the event before, of the same goal or of another."""
        for sibling in reversed(siblings):
            if sibling.unit is HistoryUnit.EVENT and sibling.start_ns < start_ns:
                return state_after(self._past, sibling)
        before, _ = self._past.history_beside(start_ns, start_ns, HistoryUnit.EVENT)
        return State() if before is None else state_after(self._past, before).elsewhere()

    def _told(self, items: Sequence[Item], state: State) -> list[HistoryNode]:
        nodes: list[HistoryNode] = []
        event: EventDraft | None = None
        for item in items:
            if event is not None and event.is_ended_by(item):
                nodes.append(_node(event, max(event.start_ns, item.start_ns - 1)))
                state, event = event.state, None
            if event is None:
                event = EventDraft(item.start_ns, state, self._config)
            event.take(item)
        return nodes if event is None else [*nodes, _node(event, event.end_ns)]


def _first_in_a_row(nodes: Sequence[HistoryNode]) -> list[HistoryNode]:
    """The first that are to be told again and follow each other in the same goal."""
    row: list[HistoryNode] = []
    for node in nodes:
        is_next = not row or (
            node.start_ns == row[-1].end_ns + 1 and node.evidence == row[0].evidence
        )
        if node.source == TELL_AGAIN and is_next:
            row.append(node)
    return row


def _node(event: EventDraft, end_ns: int) -> HistoryNode:
    return replace(
        opened(HistoryUnit.EVENT, 2, event.start_ns, event.evidence()),
        end_ns=end_ns,
        text=event.text(),
        is_open=False,
    )
