"""The second half: from chunks that wait on disk to a memory, as the nodes would do it."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from memory_nodes.association.associator import WITHOUT_MODEL, Associator, AssociatorConfig
from memory_nodes.dates import Dates
from memory_nodes.episodic.auto_episodes import AutoEpisodes, AutoEpisodesConfig
from memory_nodes.episodic.chunk_observations import ChunkObservationsConfig, chunk_observations
from memory_nodes.episodic.consolidator import ConsolidationConfig, Consolidator
from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.teller import HistoryTeller
from memory_nodes.errors import ChunkTooLarge, InputError, ModelUnavailable
from memory_nodes.models.ports import ChatModel
from memory_nodes.perception.detector import ChunkDetector, DetectorConfig
from memory_nodes.perception.spool import Spool
from memory_nodes.records import NS_PER_S, ChunkGraph, Counts
from memory_nodes.replay.recording import Progress
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_nodes.suite import SuiteConfig

DETECTING, TELLING = "asking the model", "telling the history"
MAX_CALLS = 3
"""Calls for one chunk that may fail before it ends; what waits then waits on disk."""


class Rememberer:
    """Detects, associates and stores what waits in the spool of a memory, then looks back at it."""

    def __init__(
        self,
        memory_dir: Path,
        spool: Spool,
        model: ChatModel,
        suite: SuiteConfig,
        detection: DetectorConfig,
        call_timeout_s: float,
    ) -> None:
        self.problems: list[str] = []
        """What a person should see to."""
        self.notes: list[str] = []
        """What was wrong with single replies of the model, and was mended or left out."""
        self._spool, self._detection = spool, detection
        with ExitStack() as opened:
            self._writer = opened.enter_context(closing(Writer(memory_dir)))
            self._reader = opened.enter_context(closing(Reader(memory_dir)))
            self._past = opened.enter_context(closing(Past(memory_dir)))
            self._opened = opened.pop_all()
        self._detector = ChunkDetector(model, memory_dir, detection, call_timeout_s)
        self._associator = Associator(model, self._reader, AssociatorConfig(), call_timeout_s)
        self._episodes = AutoEpisodes(self._writer, AutoEpisodesConfig(), suite)
        dates = Dates(suite.time_zone)
        self._consolidator = Consolidator(
            self._writer,
            self._past,
            model,
            None,
            ConsolidationConfig(),
            dates=dates,
            timeout_s=call_timeout_s,
        )
        self._teller = HistoryTeller(
            self._writer, self._past, model, HistoryConfig(), dates, call_timeout_s
        )

    def __enter__(self) -> Rememberer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._episodes.close()
        self._opened.close()

    def counts(self) -> Counts:
        return self._writer.counts()

    async def remember(self, progress: Progress) -> None:
        """Raises ModelUnavailable when the model stays away; the next call goes on from there."""
        self._spool.remove_stored(self._writer.counts().last_chunk_id)
        waiting, done = self._waiting(), 0
        while (chunk_id := await self._next_detected()) is not None:
            await self._store(self._spool.detections(chunk_id))
            self._spool.remove_stored(chunk_id)
            done += 1
            waiting = max(waiting, done + self._waiting())  # a chunk may have been split
            progress(DETECTING, done, waiting)
        self._episodes.close()
        await self._look_back(progress)

    def _waiting(self) -> int:
        state = self._spool.state()
        return state.waiting_chunks + state.detected_chunks

    async def _next_detected(self) -> int | None:
        """The oldest chunk, once the model has looked at it; None when there is none."""
        while (chunk_id := self._spool.next_undelivered_id()) is None:
            chunk = self._spool.next_undetected()
            if chunk is None:
                return None
            try:
                self._spool.store_detections(await self._detected(chunk.chunk_id))
            except ChunkTooLarge as error:
                self._spool.split(chunk.chunk_id, error.size)
        return chunk_id

    async def _detected(self, chunk_id: int) -> ChunkGraph:
        for number in range(1, MAX_CALLS + 1):
            chunk = self._spool.next_undetected()
            assert chunk is not None and chunk.chunk_id == chunk_id
            try:
                return await self._detector.detect(chunk, self._spool.depth_pngs(chunk))
            except ModelUnavailable as error:
                self._spool.put_back(chunk_id)
                if number == MAX_CALLS:
                    raise ModelUnavailable(
                        f"{self._waiting()} chunks wait on disk, call this again without a "
                        f"recording to go on with them: {error}"
                    ) from error
                await asyncio.sleep(max(self._detection.retry_s, error.retry_after_s or 0.0))
        raise AssertionError("the last call has returned or raised")

    async def _store(self, detected: ChunkGraph) -> None:
        """As episodic_node does: keyframes are kept where the rest of a graph is unusable."""
        graph = await self._associator.resolve(detected)
        chunk = f"chunk {graph.chunk.chunk_id}"
        for problem in graph.problems:
            is_grave = not graph.objects or problem.startswith(WITHOUT_MODEL)
            (self.problems if is_grave else self.notes).append(f"{chunk}: {problem}")
        self._episodes.saw(graph.chunk.keyframes)
        said = chunk_observations(graph, ChunkObservationsConfig())
        try:
            self._writer.commit_chunk(graph, said)
        except InputError as error:
            problem = f"kept without objects: {error}"
            self.problems.append(f"{chunk}: {problem}")
            bare = replace(graph, objects=(), relations=(), problems=(*graph.problems, problem))
            self._writer.commit_chunk(bare)

    async def _look_back(self, progress: Progress) -> None:
        """Gists, entities and the history, as if it were some time after the last stamp."""
        _, newest_ns, _ = self._reader.span()
        now_ns = newest_ns + round((HistoryConfig().history_settle_s + 1.0) * NS_PER_S)
        progress(TELLING, 0, 1)
        await self._consolidator.consolidate_now("", now_ns)
        while await self._teller.step(now_ns) == 0.0:
            pass
        self.problems += filter(None, (self._consolidator.problem, self._teller.problem))
        progress(TELLING, 1, 1)
