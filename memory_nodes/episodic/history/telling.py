"""Writes down events and goals as they come, and what comes late into those that cover it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory_nodes.episodic.history.batch import read_batch
from memory_nodes.episodic.history.beginning import beginning
from memory_nodes.episodic.history.calendar import Calendar
from memory_nodes.episodic.history.chronicle import Beginning, Chronicle
from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.items import Item, Kind, seconds
from memory_nodes.episodic.history.paths import EpisodePaths
from memory_nodes.errors import InputError
from memory_nodes.records import HistoryNode, HistoryUnit
from memory_nodes.store.history_nodes import ToldUpTo
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer


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
        late = self._chronicle.take(batch.items, paths)
        self._write_late(late)
        if batch.is_last:
            self._chronicle.advance(horizon_ns)
        self._write(self._chronicle, batch.told)
        self._read = batch.told
        self.horizon_ns = max(self.horizon_ns, batch.until_ns)
        return not batch.is_last

    def _write(self, chronicle: Chronicle, read: ToldUpTo) -> None:
        told = chronicle.told(read)
        nodes = chronicle.drafts.nodes()
        if nodes or told != self._past.told_up_to():
            chronicle.drafts.written(self._writer.put_history(nodes, told=told))

    def _write_late(self, items: Sequence[Item]) -> None:
        """What a node covers becomes its evidence; the rest is told apart, as goals of no day."""
        uncovered = []
        for item in items:
            node = self._covering(item)
            if node is None:
                uncovered.append(item)
            elif _tells(item) and item.item_id not in node.evidence:
                self._writer.put_history([replace(node, evidence=(*node.evidence, item.item_id))])
        if any(not item.is_silent for item in uncovered):
            apart = Chronicle(self._past, self._calendar, self._config, Beginning(), has_days=False)
            apart.take(uncovered, None)
            apart.end()
            self._writer.put_history(apart.drafts.nodes())

    def _covering(self, item: Item) -> HistoryNode | None:
        """The lowest node that the item is within."""
        stamp_ns = item.start_ns
        units = (HistoryUnit.EVENT, HistoryUnit.GOAL)
        around = self._past.history_between(stamp_ns, stamp_ns, units)
        return min(around, key=lambda node: (node.level, -node.start_ns), default=None)


def _tells(item: Item) -> bool:
    return item.is_chunk or (item.kind not in (Kind.SCENE, Kind.NOTE) and not item.is_silent)
