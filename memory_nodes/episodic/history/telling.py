"""Writes down events and goals as they come, and what comes late into those that cover it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from memory_nodes.episodic.history.batch import read_batch
from memory_nodes.episodic.history.beginning import beginning
from memory_nodes.episodic.history.calendar import Calendar
from memory_nodes.episodic.history.chronicle import Chronicle
from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.drafts import Beginning
from memory_nodes.episodic.history.items import Item, Kind, seconds
from memory_nodes.episodic.history.paths import EpisodePaths, Path, is_of_episode
from memory_nodes.errors import InputError
from memory_nodes.records import HistoryNode, HistoryUnit
from memory_nodes.store.history_nodes import ToldUpTo
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer

_GOALS = (HistoryUnit.GOAL,)
_LOW = (HistoryUnit.EVENT, *_GOALS)


class Telling:
    """Tells what has arrived, batch by batch.

    What is on disk is enough to go on from: an event that is not over is told again from its first
    item after a restart, and becomes the same.
    """

    def __init__(
        self, writer: Writer, past: Past, calendar: Calendar, config: HistoryConfig
    ) -> None:
        self._writer = writer
        self._past = past
        self._calendar = calendar
        self._config = config
        self._chronicle: Chronicle | None = None
        self._read = ToldUpTo(0, 0)
        self.horizon_ns = 0
        """All up to here is told, except what comes late."""

    @property
    def goal_ids(self) -> frozenset[str]:
        """Goals into which more may come."""
        return frozenset() if self._chronicle is None else self._chronicle.goal_ids

    def tell(self, now_ns: int) -> bool:
        """Tells one batch; whether more is there."""
        chronicle = self._chronicle
        try:
            return self._tell(now_ns)
        except InputError:
            self._chronicle = None
            if chronicle is None:
                raise
            # A node was forgotten meanwhile: the disk tells where to go on.
            return True

    def _tell(self, now_ns: int) -> bool:
        horizon_ns = max(0, now_ns - seconds(self._config.history_settle_s))
        if self._chronicle is None:
            self._read = self._past.told_up_to()
            begin = beginning(self._past)
            self._chronicle = Chronicle(self._past, self._calendar, self._config, begin)
        else:
            self._chronicle.refresh()
        batch = read_batch(self._past, self._read, horizon_ns, now_ns)
        paths = EpisodePaths(self._past, batch.items)
        for set_back in batch.set_back:
            self._chronicle.go_back(set_back)
        late = self._chronicle.take(batch.items, paths)
        self._write_late(late, paths)
        if batch.is_last:
            self._chronicle.advance(horizon_ns)
        self._write(self._chronicle, batch.told)
        self._read = batch.told
        self.horizon_ns = batch.until_ns
        return not batch.is_last

    def _write(self, chronicle: Chronicle, read: ToldUpTo) -> None:
        told = chronicle.told(read)
        nodes = chronicle.drafts.nodes()
        if nodes or told != self._past.told_up_to():
            chronicle.drafts.written(self._writer.put_history(nodes, told=told))

    def _write_late(self, items: Sequence[Item], paths: EpisodePaths) -> None:
        """What belongs to a node becomes its evidence; the rest is told apart, below no day."""
        uncovered = []
        for item in items:
            node = self._covering(item, paths.of(item))
            if node is None:
                uncovered.append(item)
            elif _tells(item) and item.item_id not in node.evidence:
                self._writer.put_history([replace(node, evidence=(*node.evidence, item.item_id))])
        if any(not item.is_silent for item in uncovered):
            apart = Chronicle(self._past, self._calendar, self._config, Beginning(), has_days=False)
            apart.take(uncovered, None)
            apart.end()
            self._writer.put_history(apart.drafts.nodes())

    def _covering(self, item: Item, path: Path) -> HistoryNode | None:
        """The lowest node that the item is within, of its own episode if that is told; where it is
        within none, a stretch outside of episodes that is not long before or after.
        """
        stamp_ns = item.start_ns
        around = self._past.history_between(stamp_ns, stamp_ns, _LOW)
        day = self._calendar.period(HistoryUnit.DAY, stamp_ns)
        of_day = self._past.history_between(day.start_ns, day.end_ns - 1, _GOALS) if path else []
        for goal in of_day:
            if goal.evidence[:1] == (path[-1].episode_id,):
                return _lowest(each for each in around if each.parent_id == goal.node_id) or goal
        pause_ns = seconds(self._config.history_pause_s)
        beside = self._past.history_between(stamp_ns - pause_ns, stamp_ns + pause_ns, _GOALS)
        return _lowest(around) or _lowest(goal for goal in beside if not is_of_episode(goal))


def _lowest(nodes: Iterable[HistoryNode]) -> HistoryNode | None:
    return min(nodes, key=lambda node: (node.level, -node.start_ns), default=None)


def _tells(item: Item) -> bool:
    return item.is_chunk or (item.kind not in (Kind.SCENE, Kind.NOTE) and not item.is_silent)
