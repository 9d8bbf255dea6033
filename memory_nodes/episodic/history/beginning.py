"""Finds where telling goes on, from what is on disk."""

from __future__ import annotations

from memory_nodes.episodic.history.drafts import Beginning, NodeDraft, OpenGoal
from memory_nodes.episodic.history.event import State
from memory_nodes.episodic.history.items import chunk_id_of, observed_item
from memory_nodes.records import HistoryNode, HistoryUnit
from memory_nodes.store.history_nodes import TELL_AGAIN
from memory_nodes.store.past import Past

LOOK_BACK = 100
"""Among so many of the events that were told last is the open one."""


def beginning(past: Past) -> Beginning:
    """What a telling that ended at any moment has left."""
    events = past.last_events(LOOK_BACK)
    event = next((each for each in events if each.is_open), None)
    told_before = events if event is None else events[events.index(event) + 1 :]
    over = next((each for each in told_before if _is_over(each)), None)
    state = State() if over is None else state_after(past, over)
    if event is None or not event.parent_id:  # without one, its goal was forgotten
        last = over if event is None else event
        told_until_ns = 0 if last is None else last.end_ns + 1
        return Beginning(state=state.elsewhere(), told_until_ns=told_until_ns)
    goals = _goals_around(past, event)
    is_same_goal = over is not None and over.parent_id == event.parent_id
    return Beginning(
        goals=goals,
        event_id=event.node_id,
        events_told=len(past.children(event.parent_id)) - 1,
        state=state if is_same_goal else state.elsewhere(),
        session_id=_session_of(past, over) if over is not None and is_same_goal else "",
        told_until_ns=event.start_ns,
    )


def _is_over(event: HistoryNode) -> bool:
    return not event.is_open and event.source != TELL_AGAIN


def _goals_around(past: Past, event: HistoryNode) -> list[OpenGoal]:
    goals: list[OpenGoal] = []
    (node,) = past.history([event.parent_id])
    above = [node]
    while above[-1].parent_id:
        above += past.history([above[-1].parent_id])
    parent: NodeDraft | None = None
    for node in reversed(above):
        if node.unit in (HistoryUnit.DAY, HistoryUnit.GOAL):
            parent = NodeDraft(node, parent)
        if node.unit is HistoryUnit.GOAL and parent is not None:
            episodes = past.episodes(node.evidence[:1]) if node.evidence else []
            goals.append(OpenGoal(parent, episodes[0] if episodes else None))
    return goals


def state_after(past: Past, event: HistoryNode) -> State:
    """What holds when an event is over."""
    state = State()
    for seen in past.observations(event.evidence):
        state = state.after(observed_item(seen))
    return state


def _session_of(past: Past, event: HistoryNode) -> str:
    """Of the last chunk in it."""
    chunk_ids = [found for found in map(chunk_id_of, event.evidence) if found is not None]
    keyframes = past.scene(chunk_ids[-1]).keyframes if chunk_ids else ()
    return keyframes[0].session_id if keyframes else ""
