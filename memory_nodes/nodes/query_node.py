"""Questions in, answers with their evidence out."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from functools import partial

from robot_memory.msg import MemoryAnswer, StoreUpdate
from robot_memory.srv import CallTool, GetContext, LocateObject, QueryMemory, SummarizeHistory
from std_msgs.msg import String

from memory_nodes.answering.agents.config import AgentConfig
from memory_nodes.answering.agents.modes import agents_by_mode
from memory_nodes.answering.answerer import Answerer
from memory_nodes.answering.config import AnswererConfig
from memory_nodes.answering.locating import locate_objects
from memory_nodes.answering.on_map import is_elsewhere, with_map
from memory_nodes.answering.recall import Recall
from memory_nodes.answering.speech import spoken
from memory_nodes.answering.surroundings import Around, surroundings
from memory_nodes.answering.tools.toolbox import Sources, Toolbox, ToolsConfig
from memory_nodes.dates import Dates
from memory_nodes.episodic.history.summary import summary
from memory_nodes.errors import (
    ConfigurationError,
    ExtraMissing,
    InputError,
    ModelError,
    StoreError,
    StoreMissing,
)
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.models.text_embedders import TextEmbedderConfig, embedder_for
from memory_nodes.models.visual_embeddings import OpenClipEmbedder, VisualConfig
from memory_nodes.navigation.commands import asks_to_go, is_stop
from memory_nodes.records import Answer
from memory_nodes.retrieval.object_vectors import ObjectVectors
from memory_nodes.retrieval.retriever import RetrievalConfig, Retriever
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.retrieval.visual import Grounding
from memory_nodes.ros import endpoints
from memory_nodes.ros.bounds import bounds_of
from memory_nodes.ros.chat import metered_chat
from memory_nodes.ros.conversions import (
    answer_to_msg,
    duration_to_msg,
    object_to_msg,
    retrieved_to_msg,
    time_from_msg,
)
from memory_nodes.ros.declaring import declare
from memory_nodes.ros.index_health import IndexHealth
from memory_nodes.ros.main import run
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.store.filters import Filter
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_nodes.store.sightings import Sightings

DEFAULT_MAX_OBJECTS = 5
IDLE_S = 1.0
RETRY_S = 10.0
LAYER = "detections"


class QueryNode(MemoryNode):
    """Answers by service and by topic; each question runs beside the others."""

    def __init__(self, **options: object) -> None:
        super().__init__("query_node", **options)
        self.answering = declare(self, AnswererConfig)
        self.retrieval = declare(self, RetrievalConfig)
        self.endpoint = declare(self, EndpointConfig)
        self.embedding = declare(self, TextEmbedderConfig)
        self.visual = declare(self, VisualConfig)
        self.tools = declare(self, ToolsConfig)
        self.agency = declare(self, AgentConfig)

    def open(self) -> None:
        self.reader = Reader(self.suite.memory_path)
        self.on_close(self.reader.close)
        self.past = Past(self.suite.memory_path)
        self.on_close(self.past.close)
        self.search = Search(self.suite.memory_path)
        self.on_close(self.search.close)
        self.index = IndexHealth(self.search)
        self.health.gauges["index"] = self.index.figures
        self.sightings = Sightings(self.suite.memory_path)
        self.on_close(self.sightings.close)
        self.dates = Dates(self.suite.time_zone)
        self.snapshots = SnapshotCache(self.reader)
        embedder = self.embedder = embedder_for(self.embedding, self.endpoint)
        self.vectors = (
            ObjectVectors(embedder, self.embedding.embedding_timeout_s) if embedder else None
        )
        self.model = metered_chat(self.health, lambda: self.endpoint)
        self.grounding = self._grounding()

    def use_parameters(self) -> None:
        """New stages; a question that is thought about already keeps those it began with."""
        retriever = Retriever(self.retrieval, self.model, self.vectors, self.grounding)
        sources = Sources(
            reader=self.reader,
            past=self.past,
            search=self.search,
            sightings=self.sightings,
            snapshots=self.snapshots,
            dates=self.dates,
            retriever=retriever,
            embedder=self.embedder,
            embedding_timeout_s=self.embedding.embedding_timeout_s,
            map_id=self.suite.map_id,
        )
        self.toolbox = Toolbox(sources, self.tools)
        memory_dir = self.suite.memory_path
        agents = agents_by_mode(
            self.model, self.toolbox, self.past, memory_dir, self.agency, self.dates
        )
        self.answerer = Answerer(
            self.model,
            self.snapshots,
            self.answering,
            self.dates,
            retriever,
            self.past,
            agents,
            Recall(self.sightings),
            self.search,
        )

    def _grounding(self) -> Grounding | None:
        """Nothing where no pictures are compared, or what that needs is not installed."""
        if not self.visual.use_visual_embeddings:
            return None
        try:
            model = OpenClipEmbedder(self.visual)
        except ExtraMissing as error:
            self.trouble(str(error), "visual_embeddings")
            return None
        if model.loads_locally:
            model.load(with_texts=True)
        return Grounding(model, self.reader, self.answering.answer_timeout_s)

    def start(self) -> None:
        self.answers = self.announce(MemoryAnswer, endpoints.ANSWERS, endpoints.EVENT)
        self.speech = self.announce(String, endpoints.SPEECH, endpoints.EVENT)
        self.commands = self.announce(String, endpoints.COMMANDS, endpoints.EVENT)
        self._thinking: Future[Answer] | None = None
        self.on_stop(self._stop_thinking)
        self.serve(QueryMemory, endpoints.QUERY, self._query)
        self.serve(LocateObject, endpoints.LOCATE, self._locate)
        self.serve(CallTool, endpoints.RECALL, self._recall)
        self.serve(SummarizeHistory, endpoints.SUMMARIZE, self._summarize)
        self.serve(GetContext, endpoints.CONTEXT, self._tell_context)
        self.listen(String, endpoints.QUESTIONS, self._on_question, endpoints.EVENT)
        self.listen(StoreUpdate, endpoints.STORE_UPDATES, self._on_stored, endpoints.LATCHED)
        if self.vectors is not None:
            self.repeat(partial(self._learn, self.vectors))

    def _on_stored(self, update: StoreUpdate) -> None:
        self.index.heard(int(update.sequence))

    async def _learn(self, vectors: ObjectVectors) -> float:
        """In the background: what the objects mean that are new."""
        problem = None
        wait_s = IDLE_S
        try:
            snapshot = await asyncio.to_thread(self.snapshots.current)
            if await vectors.learn(snapshot) > 0:
                wait_s = 0.0
        except StoreMissing:
            pass
        except (ModelError, ConfigurationError) as error:
            problem, wait_s = str(error), RETRY_S
        self.in_executor(lambda: self.trouble(problem, "text embedder"))
        return wait_s

    async def _query(self, request: QueryMemory.Request, response: QueryMemory.Response) -> None:
        if request.layers and LAYER not in request.layers:
            raise InputError(f"no such layer answers questions yet: ask for {LAYER!r} or for all")
        work = self.background.start(
            self.answerer.answer(
                request.question,
                self.now_ns(),
                request.mode or "auto",
                Filter(**bounds_of(request)),
                request.max_keyframes,
            )
        )
        response.answer = self._told(await self.result_of(work))

    async def _locate(self, request: LocateObject.Request, response: LocateObject.Response) -> None:
        current = await self.result_of(self.background.run(self.snapshots.current))
        snapshot = current.filtered(Filter(map_id=request.map_id))
        located = locate_objects(
            snapshot,
            request.text,
            request.object_id,
            self.retrieval.min_score,
            request.max_objects or DEFAULT_MAX_OBJECTS,
        )
        now_ns = self.now_ns()
        response.objects = [object_to_msg(item.descriptor) for item in located]
        response.ages = [
            duration_to_msg(max(0, now_ns - item.descriptor.last_seen_ns)) for item in located
        ]
        response.keyframes = [retrieved_to_msg(item.keyframe) for item in located]
        response.message = "" if located else "not seen"
        if is_elsewhere([item.keyframe for item in located], self.suite.map_id):
            response.message = "seen on another map"

    async def _recall(self, request: CallTool.Request, response: CallTool.Response) -> None:
        work = self.background.start(
            self.toolbox.call(request.tool, request.arguments_json, self.now_ns())
        )
        reply = await self.result_of(work)
        response.success = reply.is_ok
        response.message = "" if reply.is_ok else reply.text
        response.result_json, response.text = reply.as_json(), reply.text

    async def _summarize(
        self, request: SummarizeHistory.Request, response: SummarizeHistory.Response
    ) -> None:
        since_ns = time_from_msg(request.since)
        asked_ns = time_from_msg(request.until)
        until_ns = asked_ns if asked_ns != 0 else self.now_ns()
        found = await self.result_of(
            self.background.run(
                lambda: summary(self.past, since_ns, until_ns, request.level, self.dates)
            )
        )
        response.text = found.text
        response.node_ids = [node.node_id for node in found.nodes]
        response.node_texts = [node.text for node in found.nodes]

    async def _tell_context(
        self, request: GetContext.Request, response: GetContext.Response
    ) -> None:
        center = request.center
        around = Around(
            map_id=self.suite.map_id,
            center_map_m=None if request.here else (center.x, center.y, center.z),
            radius_m=request.radius,
        )
        now_ns = self.now_ns()
        found = await self.result_of(
            self.background.run(
                lambda: surroundings(self.snapshots, self.past, self.search, around, now_ns)
            )
        )
        response.layers = [item.layer for item in found.layers]
        response.texts = [item.text for item in found.layers]
        response.objects = [object_to_msg(descriptor) for descriptor in found.objects]
        response.message = "" if found.layers else "nothing is known around there"

    def _on_question(self, message: String) -> None:
        """The newest utterance counts: an older one that is still thought about is dropped."""
        self._stop_thinking()
        if is_stop(message.data) or asks_to_go(message.data):
            self.commands.publish(message)
            return
        work = self.background.start(self.answerer.answer(message.data, self.now_ns()))
        self._thinking = work
        work.add_done_callback(lambda done: self.in_executor(lambda: self._speak(done)))

    def _stop_thinking(self) -> None:
        """Ends the work of the last spoken question, its model call too."""
        if self._thinking is not None and self._thinking.cancel():
            self.counters["questions_superseded"] += 1
        self._thinking = None

    def _speak(self, work: Future[Answer]) -> None:
        if work is not self._thinking or work.cancelled():
            return
        self._thinking = None
        try:
            answer = work.result()
        except InputError as error:
            self.speech.publish(String(data=f"I did not understand: {spoken(str(error))}."))
            return
        except StoreError as error:
            self.survived(error)
            self.speech.publish(String(data="I cannot read my memory now."))
            return
        self.speech.publish(String(data=spoken(self._told(answer).text)))

    def _told(self, answer: Answer) -> MemoryAnswer:
        """Publishes an answer and gives it as a message."""
        is_troubled = answer.degraded and bool(self.endpoint.base_url)
        self.trouble(answer.problems[0] if is_troubled else None, "model")
        map_id = self.suite.map_id
        message = answer_to_msg(with_map(answer, map_id), map_id)
        self.answers.publish(message)
        return message


def main() -> int:
    return run(QueryNode)
