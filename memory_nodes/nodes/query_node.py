"""Questions in, answers with their evidence out."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from functools import partial

from robot_memory.msg import MemoryAnswer
from robot_memory.srv import LocateObject, QueryMemory, SummarizeHistory
from std_msgs.msg import String

from memory_nodes.answering.answerer import Answerer, AnswererConfig
from memory_nodes.answering.locating import locate_objects
from memory_nodes.answering.on_map import is_elsewhere, with_map
from memory_nodes.dates import Dates
from memory_nodes.episodic.history.summary import summary
from memory_nodes.errors import (
    ConfigurationError,
    ExtraMissing,
    InputError,
    ModelError,
    StoreMissing,
)
from memory_nodes.models.openai_chat import chat_for
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.models.text_embedders import TextEmbedderConfig, embedder_for
from memory_nodes.models.visual_embeddings import OpenClipEmbedder, VisualConfig
from memory_nodes.records import Answer
from memory_nodes.retrieval.object_vectors import ObjectVectors
from memory_nodes.retrieval.retriever import RetrievalConfig, Retriever
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.retrieval.visual import Grounding
from memory_nodes.ros import endpoints
from memory_nodes.ros.bounds import bounds_of
from memory_nodes.ros.conversions import (
    answer_to_msg,
    duration_to_msg,
    object_to_msg,
    retrieved_to_msg,
    time_from_msg,
)
from memory_nodes.ros.declaring import declare
from memory_nodes.ros.main import run
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.store.filters import Filter
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader

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

    def open(self) -> None:
        self.reader = Reader(self.suite.memory_path)
        self.past = Past(self.suite.memory_path)
        self.dates = Dates(self.suite.time_zone)
        self.snapshots = SnapshotCache(self.reader)
        embedder = embedder_for(self.embedding, self.endpoint)
        self.vectors = (
            ObjectVectors(embedder, self.embedding.embedding_timeout_s) if embedder else None
        )
        model = chat_for(self.endpoint)
        retriever = Retriever(self.retrieval, model, self.vectors, self._grounding())
        self.answerer = Answerer(model, self.snapshots, self.answering, self.dates, retriever)

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
        self.serve(QueryMemory, endpoints.QUERY, self._query)
        self.serve(LocateObject, endpoints.LOCATE, self._locate)
        self.serve(SummarizeHistory, endpoints.SUMMARIZE, self._summarize)
        self.listen(String, endpoints.QUESTIONS, self._on_question, endpoints.EVENT)
        if self.vectors is not None:
            self.repeat(partial(self._learn, self.vectors))

    def close(self) -> None:
        self.reader.close()
        self.past.close()

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

    def _on_question(self, message: String) -> None:
        work = self.background.start(self.answerer.answer(message.data, self.now_ns()))
        work.add_done_callback(lambda done: self.in_executor(lambda: self._speak(done)))

    def _speak(self, work: Future[Answer]) -> None:
        if work.cancelled():
            return
        try:
            answer = work.result()
        except InputError as error:
            self.speech.publish(String(data=f"I did not understand: {error}."))
            return
        self.speech.publish(String(data=self._told(answer).text))

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
