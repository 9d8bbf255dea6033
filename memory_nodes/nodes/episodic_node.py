"""The only writer: chunk graphs, observations and episodes in, store updates out."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

from robot_memory.msg import ChunkGraph, Observation, StoreUpdate
from robot_memory.srv import (
    AddObservation,
    EditObject,
    EndEpisode,
    ExportMemory,
    ForgetMemory,
    GetStats,
    StartEpisode,
)

from memory_nodes.dates import Dates
from memory_nodes.episodic.auto_episodes import AutoEpisodes, AutoEpisodesConfig
from memory_nodes.episodic.chunk_observations import ChunkObservationsConfig, chunk_observations
from memory_nodes.episodic.consolidator import ConsolidationConfig, Consolidator
from memory_nodes.episodic.embedding_worker import EmbeddingWorker, EmbeddingWorkerConfig
from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.teller import HistoryTeller
from memory_nodes.episodic.layers.config import LayersConfig
from memory_nodes.errors import InputError
from memory_nodes.mapping.config import MappingConfig
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.models.ports import TextEmbedder
from memory_nodes.models.text_embedders import TextEmbedderConfig, embedder_for
from memory_nodes.perception.disk_space import BYTES_PER_MB, disk_figures
from memory_nodes.records import ChunkGraph as ChunkGraphRecord
from memory_nodes.records import ObjectDescriptor
from memory_nodes.records import Observation as ObservationRecord
from memory_nodes.ros import endpoints
from memory_nodes.ros.bounds import bounds_of
from memory_nodes.ros.chat import metered_chat
from memory_nodes.ros.conversions import (
    counts_to_msg,
    episode_to_msg,
    graph_from_msg,
    object_to_msg,
    observation_from_msg,
    time_to_msg,
)
from memory_nodes.ros.declaring import declare
from memory_nodes.ros.diary import look_from
from memory_nodes.ros.edit_requests import edit_from
from memory_nodes.ros.layers import declare_layers, made_layers
from memory_nodes.ros.looking_back import LookingBack
from memory_nodes.ros.main import run
from memory_nodes.ros.map_follower import MapFollower, map_identity
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.senses import Senses
from memory_nodes.store.changes import ChangesConfig
from memory_nodes.store.exchange.exporting import export
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.statistics import Statistics, database_bytes, statistics
from memory_nodes.store.writer import Writer, WriterConfig

Result = TypeVar("Result")


class EpisodicNode(MemoryNode):
    """Writes in one thread, in the order of arrival, and announces each commit."""

    def __init__(self, **options: object) -> None:
        super().__init__("episodic_node", **options)
        self.writing = declare(self, WriterConfig)
        self.changing = declare(self, ChangesConfig)
        self.chunk_texts = declare(self, ChunkObservationsConfig)
        self.mapping = declare(self, MappingConfig)
        self.hearing = declare(self, LayersConfig)
        self.layer_configs = declare_layers(self, self.hearing)
        self.by_itself = declare(self, AutoEpisodesConfig)
        self.consolidation = declare(self, ConsolidationConfig)
        self.telling = declare(self, HistoryConfig)
        self.embedding = declare(self, TextEmbedderConfig)
        self.embedding_work = declare(self, EmbeddingWorkerConfig)
        self.endpoint = declare(self, EndpointConfig)

    def open(self) -> None:
        self.layers = made_layers(self, self.layer_configs)
        self.writer = Writer(self.suite.memory_path, self.writing, self.changing)
        self.on_close(self.writer.close)
        for layer in self.layers:
            self.writer.add_layer(layer.name)
        self.past = Past(self.suite.memory_path)
        self.on_close(self.past.close)
        self.disk = ThreadPoolExecutor(1, "writer")
        self.on_close(self.disk.shutdown)
        self.episodes = AutoEpisodes(self.writer, self.by_itself, self.suite)
        self.on_close(lambda: self._in_order(self.episodes.close))
        self.identity = map_identity(self.writer, self.suite)
        for layer in self.layers:
            last = self.past.last_of(layer.name)
            if last is not None:
                layer.resume(last.observation.text, last.observation.stamp_ns)
        self.embedder = embedder_for(self.embedding, self.endpoint)
        self.consolidator, self.teller = self._looking_back()
        self._sequence = 0
        self.health.gauges["store"] = self._store_figures

    def start(self) -> None:
        self._announcing: Future[None] | None = None
        self.updates = self.announce(StoreUpdate, endpoints.STORE_UPDATES, endpoints.LATCHED)
        self.listen(ChunkGraph, endpoints.CHUNK_GRAPHS, self._on_graph, endpoints.EVENT)
        self.listen(Observation, endpoints.OBSERVATIONS, self._on_observation, endpoints.STREAM)
        self.serve(AddObservation, endpoints.OBSERVE, self._observe)
        self.serve(StartEpisode, endpoints.START_EPISODE, self._start_episode)
        self.serve(EndEpisode, endpoints.END_EPISODE, self._end_episode)
        self.serve(GetStats, endpoints.STATS, self._stats)
        self.serve(ForgetMemory, endpoints.FORGET, self._forget)
        self.serve(EditObject, endpoints.EDIT_OBJECT, self._edit)
        self.serve(ExportMemory, endpoints.EXPORT_MEMORY, self._export)
        if self.embedder is not None:
            self._embed_with(self.embedder)
        LookingBack(self, self.consolidator, self.teller)
        self.maps = MapFollower(
            self, self.mapping, self.writer, self.identity, self._write, self._written
        )
        self.senses = Senses(
            self,
            self.layers,
            self.hearing.layer_pose_timeout_s,
            self.by_itself,
            self.episodes,
            take=self._take,
            in_order=self._in_order,
            write=self._write,
        )
        self._write(lambda: None)

    def on_map(self) -> None:
        self._in_order(lambda: self.episodes.change_map(self.suite.map_id))

    def _on_graph(self, message: ChunkGraph) -> None:
        """A chunk that is stored already is announced again: the sender has not heard of it."""
        graph = graph_from_msg(message)
        self._write(lambda: self._commit(graph))

    def _commit(self, graph: ChunkGraphRecord) -> None:
        """In the disk thread. Keyframes are kept even where the rest of a graph is unusable."""
        self.episodes.saw(graph.chunk.keyframes)
        try:
            self.writer.commit_chunk(graph, chunk_observations(graph, self.chunk_texts))
        except InputError as error:
            self.counters["unusable_graphs"] += 1
            problems = (*graph.problems, f"kept without objects: {error}")
            self.writer.commit_chunk(replace(graph, objects=(), relations=(), problems=problems))

    def _on_observation(self, message: Observation) -> None:
        self._take(observation_from_msg(message))

    def _take(self, observation: ObservationRecord) -> None:
        stored = self.writer.submit(observation)
        stored.add_done_callback(lambda done: self.in_executor(lambda: self._on_stored(done)))

    def _on_stored(self, stored: Future[str]) -> None:
        """Announces the newest state once for all that were stored meanwhile."""
        stored.result()
        if self._announcing is None or self._announcing.done():
            self._announcing = self.disk.submit(self._announce)

    def _embed_with(self, embedder: TextEmbedder) -> None:
        """In the background: vectors for texts that have none."""
        worker = EmbeddingWorker(
            self.writer,
            embedder,
            self.embedding.embedding_timeout_s,
            reembed=self.embedding_work.reembed,
        )

        async def embed() -> float:
            wait_s = await worker.step()
            problem = worker.problem
            self.in_executor(lambda: self.trouble(problem, "text embedder"))
            return wait_s

        self.repeat(embed)

    def _looking_back(self) -> tuple[Consolidator, HistoryTeller]:
        model, dates = metered_chat(self.health, lambda: self.endpoint), Dates(self.suite.time_zone)
        timeout_s = self.endpoint.call_timeout_s
        consolidator = Consolidator(
            self.writer,
            self.past,
            model,
            self.embedder,
            self.consolidation,
            dates=dates,
            timeout_s=timeout_s,
        )
        teller = HistoryTeller(self.writer, self.past, model, self.telling, dates, timeout_s)
        return consolidator, teller

    async def _observe(
        self, request: AddObservation.Request, response: AddObservation.Response
    ) -> None:
        observation = observation_from_msg(request.observation)
        look = look_from(request)

        def write() -> str:
            observation_id = self.writer.add(observation)
            if look is not None:
                self.writer.note_look(look)
            return observation_id

        response.observation_id = await self._written(write)
        response.durable = True

    async def _start_episode(
        self, request: StartEpisode.Request, response: StartEpisode.Response
    ) -> None:
        stamp_ns = self.now_ns()
        response.episode_id = await self._written(
            lambda: self.episodes.start(request.name, request.parent_id, stamp_ns)
        )

    async def _end_episode(
        self, request: EndEpisode.Request, response: EndEpisode.Response
    ) -> None:
        stamp_ns = self.now_ns()
        episode = await self._written(lambda: self.episodes.end(request.episode_id, stamp_ns))
        response.episode = episode_to_msg(episode)

    async def _stats(self, request: GetStats.Request, response: GetStats.Response) -> None:
        memory_path = self.suite.memory_path

        def read() -> Statistics:
            reader = Reader(memory_path)
            try:
                return statistics(reader, memory_path)
            finally:
                reader.close()

        found = await self.result_of(self.background.run(read))
        response.counts = counts_to_msg(found.counts)
        response.disk_bytes = found.disk_bytes
        response.first_stamp = time_to_msg(found.first_stamp_ns)
        response.last_stamp = time_to_msg(found.last_stamp_ns)
        response.map_ids = list(found.map_ids)

    async def _forget(self, request: ForgetMemory.Request, response: ForgetMemory.Response) -> None:
        what = Forget(ids=tuple(request.ids), text=request.text, **bounds_of(request))
        found = await self._written(lambda: self.writer.forget(what, dry_run=request.dry_run))
        response.message = "; ".join(found.problems)
        for kind in (
            *("keyframes", "objects", "observations", "episodes", "gists", "entities"),
            *("history_nodes", "images"),
        ):
            setattr(response, kind, getattr(found, kind))

    async def _edit(self, request: EditObject.Request, response: EditObject.Response) -> None:
        what, stamp_ns = edit_from(request), self.now_ns()
        edited = await self._written(lambda: self.writer.edit(what, stamp_ns))
        response.event_id = edited.event_id
        memory_path = self.suite.memory_path

        def read() -> list[ObjectDescriptor]:
            reader = Reader(memory_path)
            try:
                return reader.objects(edited.object_ids)
            finally:
                reader.close()

        found = await self.result_of(self.background.run(read))
        response.objects = [object_to_msg(item) for item in found]

    async def _export(self, request: ExportMemory.Request, response: ExportMemory.Response) -> None:
        memory_path = self.suite.memory_path
        path = await self.result_of(
            self.background.run(lambda: export(memory_path, request.name, request.format))
        )
        response.path = str(path.relative_to(memory_path))

    def _store_figures(self) -> dict[str, object]:
        memory_path = self.suite.memory_path
        return {
            "store_sequence": self._sequence,
            "store_mb": round(database_bytes(memory_path) / BYTES_PER_MB, 1),
            **disk_figures(memory_path),
        }

    def _write(self, work: Callable[[], Any]) -> None:
        """Writes, then announces; an error is logged and counted."""
        self._in_order(work)
        self.disk.submit(self._announce)

    def _in_order(self, work: Callable[[], Any]) -> None:
        """Work for the disk thread; an error is logged and counted."""
        job = self.disk.submit(work)
        job.add_done_callback(lambda done: self.in_executor(done.result))

    async def _written(self, work: Callable[[], Result]) -> Result:
        """Writes, then announces; an error goes to the caller."""
        job = self.disk.submit(work)
        self.disk.submit(self._announce)
        return await self.result_of(job)

    def _announce(self) -> None:
        """In the disk thread: tells the newest state of the memory."""
        update = counts_to_msg(self.writer.counts())
        self._sequence = int(update.sequence)
        self.in_executor(lambda: self.updates.publish(update))


def main() -> int:
    return run(EpisodicNode)
