"""Which goals an item belongs to: the episodes around it, outermost first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memory_nodes.episodic.history.items import Item
from memory_nodes.records import Episode, EpisodeOrigin, EpisodeStatus, HistoryNode
from memory_nodes.store.episodes import named_key
from memory_nodes.store.past import Past

Path = tuple[Episode, ...]


class EpisodePaths:
    """The episodes around some items. A session is no goal: what is within it is outside of any."""

    def __init__(self, past: Past, items: Sequence[Item]) -> None:
        chunks = [item for item in items if item.is_chunk]
        found = past.episodes({item.episode_id for item in items if item.episode_id})
        if chunks:
            found += past.episodes_between(
                min(item.start_ns for item in chunks), max(item.start_ns for item in chunks)
            )
        self._episodes = {episode.episode_id: episode for episode in found}
        self._around_chunks = tuple(self._episodes.values())
        while missing := self._missing_parents():
            self._episodes |= {each.episode_id: each for each in past.episodes(missing)}

    def of(self, item: Item) -> Path:
        episode_id = self._innermost(item.start_ns) if item.is_chunk else item.episode_id
        path: list[Episode] = []
        while (episode := self._episodes.get(episode_id)) is not None:
            if episode.origin is not EpisodeOrigin.SESSION:
                path.insert(0, episode)
            episode_id = episode.parent_id
        return tuple(path)

    def _innermost(self, stamp_ns: int) -> str:
        """Of the episodes that go on at a stamp the one that was begun last: as what a chunk says
        belongs to it, and time may begin again.
        """
        around = [each for each in self._around_chunks if holds(each, stamp_ns)]
        last = max(around, key=lambda each: named_key(each.episode_id) or 0, default=None)
        return "" if last is None else last.episode_id

    def _missing_parents(self) -> set[str]:
        return _parents(self._episodes.values()) - self._episodes.keys()


def is_of_episode(goal: HistoryNode) -> bool:
    """Otherwise it is a stretch outside of any."""
    return bool(goal.evidence) and named_key(goal.evidence[0]) is not None


def is_episode_over(past: Past, episode_id: str, horizon_ns: int) -> bool:
    """Whether an episode had ended by a stamp, or is forgotten."""
    for episode in past.episodes([episode_id]):
        has_ended = episode.status is not EpisodeStatus.ACTIVE and episode.end_ns is not None
        return has_ended and (episode.end_ns or 0) <= horizon_ns
    return True


def holds(episode: Episode, stamp_ns: int) -> bool:
    """Whether an episode goes on at a stamp."""
    return episode.start_ns <= stamp_ns and (episode.end_ns is None or stamp_ns <= episode.end_ns)


def _parents(episodes: Iterable[Episode]) -> set[str]:
    return {episode.parent_id for episode in episodes if episode.parent_id}
