"""What the tools read: one memory, by words, meaning, place, time and graph."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from memory_nodes.answering.whereabouts import newest_whereabouts
from memory_nodes.dates import Dates
from memory_nodes.errors import ConfigurationError, ModelError
from memory_nodes.geometry import Array, Vector3
from memory_nodes.models.ports import TextEmbedder
from memory_nodes.retrieval.retriever import Retriever
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.store.filters import Filter
from memory_nodes.store.hits import Hit
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_nodes.store.sightings import Sightings

EMBEDDING_TIMEOUT_S = 20.0
PER_TEXT = 2
"""What was said many times is found in its newest observations."""


@dataclass(frozen=True)
class Sources:
    """Readers of one memory. Safe in threads; each raises StoreMissing while there is no memory."""

    reader: Reader
    past: Past
    search: Search
    sightings: Sightings
    snapshots: SnapshotCache
    dates: Dates
    retriever: Retriever
    embedder: TextEmbedder | None = None
    """Of questions; used where it made the vectors of the memory too."""
    embedding_timeout_s: float = EMBEDDING_TIMEOUT_S
    map_id: str = ""
    """Of the map that the robot is on; empty: that of the newest keyframe or observation."""

    @classmethod
    def of(
        cls,
        memory_dir: Path,
        dates: Dates,
        *,
        retriever: Retriever | None = None,
        embedder: TextEmbedder | None = None,
        embedding_timeout_s: float = EMBEDDING_TIMEOUT_S,
        map_id: str = "",
        saves_caches: bool = True,
    ) -> Sources:
        """Opens the memory in a directory, which need not be there yet.

        ``saves_caches``: false writes nothing at all beside the memory.
        """
        reader = Reader(memory_dir)
        return cls(
            reader=reader,
            past=Past(memory_dir),
            search=Search(memory_dir, saves_caches=saves_caches),
            sightings=Sightings(memory_dir),
            snapshots=SnapshotCache(reader),
            dates=dates,
            retriever=retriever if retriever is not None else Retriever(),
            embedder=embedder,
            embedding_timeout_s=embedding_timeout_s,
            map_id=map_id,
        )

    def close(self) -> None:
        for item in (self.search, self.sightings, self.past, self.reader):
            item.close()

    def map_now(self) -> str:
        """The map that the robot is on; empty where that is not known."""
        return self.map_id or self.whereabouts("")[0]

    def whereabouts(self, map_id: str) -> tuple[str, Vector3 | None]:
        """The map and place of the newest that was seen or observed there, or on any map."""
        keyframe = self.reader.latest_keyframe()
        found = newest_whereabouts(self.search, keyframe, Filter(map_id=map_id))
        return (map_id, None) if found is None else (found.map_id, found.position_map_m)

    async def hybrid(
        self, text: str, k: int, wanted: Filter
    ) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
        """What fits a text by meaning and words, best first, and what was done without."""
        vector, problems = await self._vector(text)
        found = await asyncio.to_thread(
            self.search.hybrid, text, vector, k, wanted, per_text=PER_TEXT
        )
        return found.hits, problems

    async def _vector(self, text: str) -> tuple[Array | None, tuple[str, ...]]:
        if self.embedder is None:
            return None, ()
        model = await asyncio.to_thread(self.reader.embedding_model)
        if model is None:
            return None, ()
        if model.model_id != self.embedder.model_id:
            return None, (f"found by words alone: the vectors are of {model.model_id}",)
        try:
            vectors = await self.embedder.embed([text], self.embedding_timeout_s)
        except (ModelError, ConfigurationError) as error:
            return None, (f"found by words alone: {error}",)
        return vectors[0], ()
