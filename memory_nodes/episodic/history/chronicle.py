"""Cuts what happened into events and goals, in the order of time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from memory_nodes.episodic.history.calendar import Calendar
from memory_nodes.episodic.history.clock import SetBack
from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.drafts import Beginning, Drafts, NodeDraft, OpenGoal, opened
from memory_nodes.episodic.history.event import EventDraft
from memory_nodes.episodic.history.facts import Section, clean
from memory_nodes.episodic.history.items import Item, seconds
from memory_nodes.episodic.history.paths import EpisodePaths, holds, is_episode_over
from memory_nodes.errors import InputError
from memory_nodes.records import Episode, HistoryNode, HistoryUnit
from memory_nodes.store.history_nodes import ToldUpTo
from memory_nodes.store.past import Past


class Chronicle:
    """The open end of the history. What is given to it is written by who calls it.

    With ``has_days`` goals are below the node of their day, otherwise below none.
    """

    def __init__(
        self,
        past: Past,
        calendar: Calendar,
        config: HistoryConfig,
        begin: Beginning,
        *,
        has_days: bool = True,
    ) -> None:
        self._past = past
        self._calendar = calendar
        self._config = config
        self._has_days = has_days
        self.drafts = Drafts()
        self._goals = begin.goals
        self._known_event_id = begin.event_id
        self._events_told = begin.events_told
        self._state = begin.state
        self._session_id = begin.session_id
        self._told_until_ns = begin.told_until_ns
        """In the open goals."""
        self._front_ns = begin.told_until_ns
        """Outside of episodes."""
        self._event: EventDraft | None = None
        self._event_node: NodeDraft | None = None

    @property
    def goal_ids(self) -> frozenset[str]:
        """Goals into which more may come."""
        return frozenset(goal.draft.node.node_id for goal in self._goals)

    def refresh(self) -> None:
        """Takes over what others wrote of the open nodes.

        Raises InputError where one of them, or what holds since an earlier one, is forgotten.
        """
        state = self._state if self._event is None else self._event.state
        if len(self._past.observations(state.item_ids)) < len(state.item_ids):
            raise InputError("what the history goes on from was forgotten")
        if self._event_node is not None:
            self._past.history([self._event_node.node.node_id])
        above = [goal.draft for goal in self._goals]
        if above and above[0].parent is not None:
            above.append(above[0].parent)
        nodes = self._past.history([draft.node.node_id for draft in above])
        for draft, node in zip(above, nodes, strict=True):
            draft.node = node

    def go_back(self, set_back: SetBack) -> None:
        """The clock was set back: what is of a time that was told before is not late now.

        Not where the other kind of items has told so already.
        """
        reached_ns = self._told_until_ns if self._event is None else self._event.end_ns
        is_back = reached_ns - set_back.to_ns < set_back.from_ns - reached_ns
        if set_back.to_ns < self._told_until_ns and not is_back:
            self._leave(0)
            self._told_until_ns = self._front_ns = set_back.to_ns

    def take(self, items: Iterable[Item], paths: EpisodePaths | None) -> list[Item]:
        """Goes on with items in the order of time; gives back those that come too late."""
        late = []
        for item in items:
            path = () if paths is None else paths.of(item)
            if self._is_late(item, path):
                late.append(item)
            elif not item.is_silent:
                self._take(item, path)
        return late

    def _is_late(self, item: Item, path: tuple[Episode, ...]) -> bool:
        """Whether what an item belongs to is told already, up to its stamp or to the end."""
        if not path:
            return item.start_ns < self._front_ns
        if any(goal.episode_id == path[-1].episode_id for goal in self._goals):
            return item.start_ns < self._told_until_ns
        known = self._told_goal(item, path)
        if known is None:
            return item.start_ns < self._front_ns and not holds(path[-1], item.start_ns)
        told_ns = min(self._front_ns, known.node.end_ns)
        return not known.node.is_open or item.start_ns < told_ns

    def advance(self, horizon_ns: int) -> None:
        """Lets go of goals that are over by then: nothing more will come into them."""
        for number, goal in enumerate(self._goals):
            if self._is_over(goal, horizon_ns):
                self._leave(number)
                return

    def end(self) -> None:
        """Nothing more comes."""
        self._leave(0)

    def told(self, read: ToldUpTo) -> ToldUpTo:
        """How far all is in events that are over, when so far was read."""
        self._draw_event()
        event = self._event
        chunk, observation = read.chunk_id, read.observation_key
        if event is not None and event.first_chunk is not None:
            chunk = min(chunk, event.first_chunk - 1)
        if event is not None and event.first_observation is not None:
            observation = min(observation, event.first_observation - 1)
        return ToldUpTo(chunk, observation)

    def _take(self, item: Item, path: tuple[Episode, ...]) -> None:
        self._go_to(item, path)
        if self._event is not None and self._event.is_ended_by(item):
            self._end_event(before_ns=item.start_ns)
        if self._event is None:
            self._begin_event(item.start_ns)
        assert self._event is not None and self._event_node is not None
        self._event.take(item)
        self.drafts.cover(self._event_node, self._event.end_ns)
        if item.session_id:
            self._session_id = item.session_id

    def _go_to(self, item: Item, path: tuple[Episode, ...]) -> None:
        """Leaves the goals that an item is not in, and enters those that it is in."""
        day = self._calendar.period(HistoryUnit.DAY, item.start_ns)
        wanted: list[Episode | None] = [*path] or [None]
        kept = 0
        begun_ns = self._goals[0].draft.node.start_ns if self._goals else -1
        if day.start_ns <= begun_ns < day.end_ns:
            for goal, episode in zip(self._goals, wanted, strict=False):
                if goal.episode_id != ("" if episode is None else episode.episode_id):
                    break
                kept += not (episode is None and self._is_apart(goal, item))
        if kept == len(self._goals) == len(wanted):
            return
        self._leave(kept)
        self._session_id = item.session_id
        for episode in wanted[kept:]:
            self._enter(episode, item)
        if not self._goals:
            self._enter(None, item)

    def _leave(self, kept: int) -> None:
        """All goals but the outermost so many."""
        self._end_event()
        del self._goals[kept:]
        self._state = self._state.elsewhere()
        self._events_told = 0
        self._known_event_id = ""

    def _is_apart(self, goal: OpenGoal, item: Item) -> bool:
        """Whether an item outside of episodes begins another stretch."""
        if item.start_ns - goal.draft.node.end_ns > seconds(self._config.history_pause_s):
            return True
        if item.session_id and self._session_id and item.session_id != self._session_id:
            return True
        is_full = self._events_told + 1 >= self._config.max_stretch_events
        return is_full and self._event is not None and self._event.is_ended_by(item)

    def _enter(self, episode: Episode | None, item: Item) -> None:
        parent = self._goals[-1].draft if self._goals else self._day(item)
        known = self._known_goal(parent, episode)
        if known is not None and not known.node.is_open:
            return  # it is told already: what comes is of the goal around it
        if known is None:
            known = NodeDraft(self._goal(episode, item), parent)
            self.drafts.put(known, known.node)
            self.drafts.cover(known, item.start_ns)
        start_ns = min(known.node.start_ns, item.start_ns)
        for draft in filter(None, (known, parent)):
            if draft.node.start_ns > start_ns:
                self.drafts.put(draft, replace(draft.node, start_ns=start_ns))
        self._goals.append(OpenGoal(known, episode))

    def _goal(self, episode: Episode | None, item: Item) -> HistoryNode:
        """One that begins with an item, or on its day with its episode."""
        if episode is None:
            return opened(HistoryUnit.GOAL, 3, item.start_ns, ())
        day = self._calendar.period(HistoryUnit.DAY, item.start_ns)
        start_ns = min(item.start_ns, max(episode.start_ns, day.start_ns))
        node = opened(HistoryUnit.GOAL, 3, start_ns, (episode.episode_id,))
        name = clean(episode.name)
        return replace(node, text=f"{Section.TASKS.value}: {name}.") if name else node

    def _day(self, item: Item) -> NodeDraft | None:
        """The day of an item, open again where it is over and no week has taken it up."""
        if not self._has_days:
            return None
        known = self._known_day(item)
        if known is None:
            known = NodeDraft(opened(HistoryUnit.DAY, 4, item.start_ns, ()))
            self.drafts.put(known, known.node)
        elif not known.node.is_open and not known.node.parent_id:
            self.drafts.put(known, replace(known.node, is_open=True))
        return known

    def _known_day(self, item: Item) -> NodeDraft | None:
        day = self._calendar.period(HistoryUnit.DAY, item.start_ns)
        for draft in self.drafts:
            is_within = day.start_ns <= draft.node.start_ns < day.end_ns
            if draft.node.unit is HistoryUnit.DAY and is_within:
                return draft
        known = day_node(self._past, day.start_ns, day.end_ns)
        return None if known is None else NodeDraft(known)

    def _told_goal(self, item: Item, path: tuple[Episode, ...]) -> NodeDraft | None:
        """The goal of an item's episode on its day, if there is one."""
        known = self._known_day(item)
        for episode in path:
            if known is None:
                return None
            known = self._known_goal(known, episode)
        return known

    def _known_goal(self, parent: NodeDraft | None, episode: Episode | None) -> NodeDraft | None:
        """The goal of an episode, if it has been left before."""
        if episode is None or parent is None:
            return None
        for draft in self.drafts:
            if draft.parent is parent and draft.node.evidence[:1] == (episode.episode_id,):
                return draft
        if parent.node.node_id:
            for node in self._past.children(parent.node.node_id):
                if node.evidence[:1] == (episode.episode_id,):
                    return NodeDraft(node, parent)
        return None

    def _begin_event(self, start_ns: int) -> None:
        goal = self._goals[-1].draft
        self._event = EventDraft(start_ns, self._state, self._config)
        self._told_until_ns = start_ns
        self._front_ns = max(self._front_ns, start_ns)
        node = opened(HistoryUnit.EVENT, 2, start_ns, ())
        self._event_node = NodeDraft(replace(node, node_id=self._known_event_id), goal)
        self._known_event_id = ""
        self.drafts.put(self._event_node, self._event_node.node)

    def _end_event(self, before_ns: int | None = None) -> None:
        """It lasts until the next one, if that is of the same goal."""
        if self._event is None or self._event_node is None:
            return
        self._draw_event()
        node = self._event_node.node
        end_ns = node.end_ns if before_ns is None else max(node.start_ns, before_ns - 1)
        self.drafts.put(self._event_node, replace(node, end_ns=end_ns, is_open=False))
        self._state = self._event.state
        self._told_until_ns = max(self._told_until_ns, end_ns + 1)
        self._front_ns = max(self._front_ns, self._told_until_ns)
        self._events_told += 1
        self._event = self._event_node = None

    def _draw_event(self) -> None:
        """Writes down how the open event is by now."""
        event, draft = self._event, self._event_node
        if event is None or draft is None:
            return
        node = replace(
            draft.node, end_ns=event.end_ns, text=event.text(), evidence=event.evidence()
        )
        if node != draft.node:
            self.drafts.put(draft, node)

    def _is_over(self, goal: OpenGoal, horizon_ns: int) -> bool:
        node = goal.draft.node
        if self._calendar.period(HistoryUnit.DAY, node.start_ns).end_ns <= horizon_ns:
            return True
        if goal.episode is None:
            return node.end_ns + seconds(self._config.history_pause_s) < horizon_ns
        return is_episode_over(self._past, goal.episode_id, horizon_ns)


def day_node(past: Past, start_ns: int, end_ns: int) -> HistoryNode | None:
    """The node of a day, if there is one."""
    days = past.history_between(start_ns, end_ns - 1, [HistoryUnit.DAY])
    return next((day for day in days if start_ns <= day.start_ns < end_ns), None)
