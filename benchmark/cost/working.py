"""A memory that a day of work is written into as the nodes do."""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import cycle
from pathlib import Path

from benchmark.cost.shares import Shares, shares
from benchmark.store.embedder import DIMENSION, MODEL_ID, HashedWords
from memory_nodes.episodic.chunk_observations import ChunkObservationsConfig, chunk_observations
from memory_nodes.episodic.consolidator import Consolidator
from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.teller import HistoryTeller
from memory_nodes.perception.spool import SPOOL_NAME, Spool
from memory_nodes.records import NS_PER_S, ChunkGraph
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.image_files import link_or_copy
from memory_nodes.store.past import Past
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.house import House
from memory_test_support.household.histories import DATES, remember
from memory_test_support.tour import load_tour
from memory_test_support.working_day import QUARTER_S, Quarter, working_day

DAY_NS = 86_400 * NS_PER_S
EMBEDDED_AT_ONCE = 500


class Worker:
    """Keeps all that the nodes keep: database, spool, images, and the caches of a reader."""

    def __init__(self, memory_dir: Path) -> None:
        self._memory_dir = memory_dir
        self._embedder = HashedWords()
        self._writer = Writer(memory_dir)
        self._writer.use_embedding_model(EmbeddingModel(MODEL_ID, DIMENSION))
        self._past = Past(memory_dir)
        self._spool = Spool(memory_dir)
        self._pictures = cycle([frame.image_path for frame in load_tour().frames])
        self._end_ns = 0

    def close(self) -> None:
        self._past.close()
        self._spool.close()
        self._writer.close()

    def work(self, house: House, quarters: int) -> None:
        """Writes so many quarters of an hour in a house, and looks back on the day next morning."""
        for quarter in working_day(house, quarters):
            self._live(quarter)
        asyncio.run(self._look_back())
        self._embed()

    def archive(self) -> None:
        """All of it, as if it had been long ago."""
        self._writer.archive(self._end_ns + DAY_NS, only_consolidated=True)

    def drop_images(self) -> None:
        """But for the newest of each object."""
        self._writer.drop_images(self._end_ns + DAY_NS)

    def rows(self) -> dict[str, int]:
        """How many there are of each item that is counted."""
        counts = self._writer.counts()
        names = ("keyframes", "views", "relations", "observations", "gists", "history_nodes")
        return {"chunks": counts.last_chunk_id} | {name: getattr(counts, name) for name in names}

    def shares(self) -> Shares:
        """Of the database as it is now."""
        with self._writer.database.reading() as connection:
            return shares(connection)

    def file_bytes(self) -> dict[str, int]:
        """Of all files, by what they hold; what is not named is there while a process runs."""
        search = Search(self._memory_dir)
        search.hybrid("chair", self._embedder.embed(["chair"])[0])
        search.close()  # writes its caches
        self._writer.database.clear_wal()
        sizes: Counter[str] = Counter(database=0, index=0, images=0, spool=0)
        for path in self._memory_dir.rglob("*"):
            if path.is_file():
                sizes[_kind(path.relative_to(self._memory_dir))] += path.stat().st_size
        return dict(sizes)

    def _live(self, quarter: Quarter) -> None:
        """The session of a quarter has the task in it, and chunks come when they are seen."""
        first_ns = quarter.graphs[0].chunk.keyframes[0].stamp_ns
        self._end_ns = first_ns + QUARTER_S * NS_PER_S
        session = self._writer.start_episode("session", "", first_ns)
        remember(self._writer, quarter.task)
        for observation in quarter.sensed:
            self._writer.submit(observation)
        for graph in quarter.graphs:
            self._record(graph)
        self._writer.end_episode(session, self._end_ns)

    def _record(self, graph: ChunkGraph) -> None:
        """From the camera through the spool into the memory."""
        chunk = graph.chunk
        for keyframe in chunk.keyframes:
            target = self._memory_dir / keyframe.image_path
            target.parent.mkdir(parents=True, exist_ok=True)
            link_or_copy(next(self._pictures), target)
            self._spool.add(keyframe, None, target.stat().st_size)
        self._spool.close_chunk(len(chunk.keyframes))
        self._spool.store_detections(graph)
        self._writer.commit_chunk(graph, chunk_observations(graph, ChunkObservationsConfig()))
        self._spool.remove_stored(chunk.chunk_id)

    async def _look_back(self) -> None:
        now_ns = self._end_ns + DAY_NS
        consolidator = Consolidator(self._writer, self._past, None, None, dates=DATES)
        await consolidator.consolidate_now("", now_ns)
        teller = HistoryTeller(self._writer, self._past, None, HistoryConfig(), DATES)
        while await teller.step(now_ns) == 0.0:
            """Until nothing is left to tell."""

    def _embed(self) -> None:
        while waiting := self._writer.texts_without_vector(EMBEDDED_AT_ONCE):
            vectors = self._embedder.embed(list(waiting.values()))
            self._writer.store_vectors(dict(zip(waiting, vectors, strict=True)))


def _kind(path: Path) -> str:
    if path.name == DATABASE_NAME:
        return "database"
    return "spool" if path.name == SPOOL_NAME else path.parts[0]
