"""Nodes of the history tree while they are made: with their parents, before they have ids."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from memory_nodes.episodic.history.event import State
from memory_nodes.records import Episode, HistoryNode, HistoryUnit

NOT_OVER = "Not over yet."


@dataclass(eq=False)
class NodeDraft:
    """A node that is written soon, below another one."""

    node: HistoryNode
    parent: NodeDraft | None = None


def opened(unit: HistoryUnit, level: int, start_ns: int, evidence: tuple[str, ...]) -> HistoryNode:
    """A node that has begun."""
    return HistoryNode(
        unit, level, start_ns, start_ns, NOT_OVER, evidence, source="template", is_open=True
    )


@dataclass
class OpenGoal:
    """A goal that items come into; without an episode a stretch outside of any."""

    draft: NodeDraft
    episode: Episode | None = None

    @property
    def episode_id(self) -> str:
        return "" if self.episode is None else self.episode.episode_id


@dataclass
class Beginning:
    """Where telling goes on."""

    goals: list[OpenGoal] = field(default_factory=list)
    """The open ones, outermost first; the first is below its day."""
    event_id: str = ""
    """The open event, which is told again from its first item."""
    events_told: int = 0
    """In the innermost goal."""
    state: State = field(default_factory=State)
    session_id: str = ""
    told_until_ns: int = 0


class Drafts:
    """What has changed since it was last written, parents first."""

    def __init__(self) -> None:
        self._changed: dict[NodeDraft, None] = {}

    def __iter__(self) -> Iterator[NodeDraft]:
        return iter(self._changed)

    def put(self, draft: NodeDraft, node: HistoryNode) -> None:
        """Notes how a node is now."""
        draft.node = node
        self._changed[draft] = None

    def cover(self, draft: NodeDraft, end_ns: int) -> None:
        """All above a draft last at least as long, and are on higher levels."""
        level, above = draft.node.level, draft.parent
        while above is not None:
            node = above.node
            wider = replace(node, end_ns=max(node.end_ns, end_ns), level=max(node.level, level + 1))
            if wider != node:
                self.put(above, wider)
            level, above = wider.level, above.parent

    def nodes(self) -> list[HistoryNode]:
        """To be written in one go."""
        numbers = {draft: number for number, draft in enumerate(self._changed)}
        return [replace(draft.node, parent_id=_parent_id(draft, numbers)) for draft in numbers]

    def written(self, ids: list[str]) -> None:
        for draft, node_id in zip(self._changed, ids, strict=True):
            draft.node = replace(draft.node, node_id=node_id)
        self._changed.clear()


def _parent_id(draft: NodeDraft, numbers: dict[NodeDraft, int]) -> str:
    if draft.parent is None:
        return draft.node.parent_id
    return draft.parent.node.node_id or f"@{numbers[draft.parent]}"
